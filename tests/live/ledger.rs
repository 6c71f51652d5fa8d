//! The ledger, as the database's own superuser sees it from inside the primary's Pod.

use serde_json::json;

use crate::Result;
use crate::command::get;
use crate::command::kubectl;
use crate::command::send;
use crate::command::text;
use crate::overlay;
use crate::run;

/// Makes the tables as their owner, by a Job of our own image.
pub(crate) fn install() -> Result<()> {
    let (name, digest) = overlay::image()?;
    let secret = |key: &str| json!({ "secretKeyRef": { "name": "ql3-postgres-migration-auth", "key": key } });
    let job = json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": { "name": INSTALL },
        "spec": { "backoffLimit": 0, "activeDeadlineSeconds": 120, "template": { "spec": {
            "restartPolicy": "Never",
            "automountServiceAccountToken": false,
            "securityContext": {
                "runAsNonRoot": true, "runAsUser": 10001, "runAsGroup": 10001,
                "seccompProfile": { "type": "RuntimeDefault" }
            },
            "containers": [{
                "name": "install",
                "image": format!("{name}@{digest}"),
                "args": ["ledger", "install"],
                "securityContext": {
                    "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
                    "capabilities": { "drop": ["ALL"] }
                },
                "env": [
                    { "name": "QL3_POSTGRES_TLS_MODE", "value": "verify-full" },
                    { "name": "QL3_POSTGRES_TLS_CA_FILE", "value": "/ca/ca.crt" },
                    { "name": "QL3_POSTGRES_TLS_SERVERNAME", "value": SERVER },
                    { "name": "QL3_POSTGRES_MIGRATION_HOST", "value": SERVER },
                    { "name": "QL3_POSTGRES_MIGRATION_PORT", "value": "5432" },
                    { "name": "QL3_POSTGRES_MIGRATION_DATABASE", "value": "qinglong" },
                    { "name": "QL3_POSTGRES_MIGRATION_USER", "valueFrom": secret("username") },
                    { "name": "QL3_POSTGRES_MIGRATION_PASSWORD", "valueFrom": secret("password") },
                ],
                "volumeMounts": [{ "name": "ca", "mountPath": "/ca", "readOnly": true }],
            }],
            "volumes": [{ "name": "ca", "secret": {
                "secretName": "ql3-postgres-ca", "items": [{ "key": "ca.crt", "path": "ca.crt" }]
            } }],
        } } },
    });
    run::delete_job(INSTALL)?;
    send(&["create", "--filename=-"], &job.to_string())?;
    run::completed(INSTALL, 120)
}

/// Preparations and completions for a key.
pub(crate) fn rows(key: &str) -> Result<(u32, u32)> {
    let count = |table: &str| -> Result<u32> {
        let table = format!("ql3_ai.model_invocation_prompt_output_key_retirement_{table}");
        Ok(ask(&format!("select count(*) from {table} where key_id = '{key}'"))?.parse()?)
    };
    Ok((count("preparations")?, count("completions")?))
}

/// `server_version_num`.
pub(crate) fn version() -> Result<u32> {
    Ok(ask("show server_version_num")?.parse()?)
}

/// How many of the role's logins the primary has logged, and how many of them with TLS.
pub(crate) fn logins(role: &str) -> Result<(usize, usize)> {
    let log = kubectl(&["logs", &primary()?, "--container=postgres"])?;
    let begin = format!("connection authorized: user={role} ");
    let logins: Vec<_> = log.lines().filter(|line| line.contains(&begin)).collect();
    Ok((logins.len(), logins.iter().filter(|line| line.contains("SSL enabled (protocol=TLSv1.")).count()))
}

fn ask(question: &str) -> Result<String> {
    let primary = primary()?;
    let psql =
        ["psql", "--no-psqlrc", "--tuples-only", "--no-align", "--dbname=qinglong", "--command", question];
    Ok(kubectl(&[&["exec", &primary, "--container=postgres", "--"], psql.as_slice()].concat())?
        .trim()
        .to_owned())
}

fn primary() -> Result<String> {
    let cluster = get(&["clusters.postgresql.cnpg.io", "ql3-postgres"])?;
    Ok(text(&cluster, "/status/currentPrimary").to_owned())
}

const INSTALL: &str = "ql3-ledger-install";
const SERVER: &str = "ql3-postgres-rw.qinglong3-system.svc";
