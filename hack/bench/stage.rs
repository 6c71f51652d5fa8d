//! What all retirements share: a `ServiceAccount` with exactly the rights of the operation, a database, folders.

use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use serde_json::json;
use tempfile::TempDir;

use super::Result;
use super::lab;
use super::lab::ApiServer;
use super::lab::Lab;

pub(crate) struct Stage<'a> {
    pub(crate) lab: &'a Lab,
    pub(crate) api: ApiServer,
    /// The release binary.
    pub(crate) program: PathBuf,
    folder: TempDir,
}

impl<'a> Stage<'a> {
    pub(crate) fn set(lab: &'a Lab) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let program = beside_us("../ql3-ops")?;
        let stage = Self { lab, api: lab.api_server()?, program, folder };
        lab.kubectl(&["apply", "-f", "-"], &rights().to_string())?;
        let mount = stage.service_account();
        fs::create_dir_all(&mount)?;
        fs::write(mount.join("ca.crt"), &stage.api.ca)?;
        fs::write(mount.join("namespace"), NAMESPACE)?;
        let token = lab.kubectl(&["create", "token", ACCOUNT, "-n", NAMESPACE, "--duration=1h"], "")?;
        fs::write(mount.join("token"), token.trim_end())?;
        stage.fresh_database()?;
        Ok(stage)
    }

    /// Removes what the retirements left; the namespace and the rights in it stay for the next time.
    pub(crate) fn strike(&self) -> Result<()> {
        self.lab.kubectl(&["delete", "secret", SECRET, "-n", NAMESPACE], "")?;
        self.lab.psql("postgres", DROP).map(drop)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What a Pod finds at /var/run/secrets, below this folder.
    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn service_account(&self) -> PathBuf {
        self.path("var/run/secrets/kubernetes.io/serviceaccount")
    }

    /// The variables that describe a session to the program: the table owner's, or the operation's own.
    pub(crate) fn database_variables(&self, role: Role) -> Vec<(String, String)> {
        let Lab { postgres_port, postgres_ca, server_name, .. } = self.lab;
        let (prefix, user, password) = match role {
            Role::Maintenance => ("AI_MAINTENANCE", MAINTENANCE, &self.lab.maintenance_password),
            Role::Migration => ("MIGRATION", "ql3_migration", &self.lab.migration_password),
        };
        let named = |name: &str, value: String| (format!("QL3_POSTGRES_{prefix}_{name}"), value);
        vec![
            named("HOST", HOST.to_owned()),
            named("PORT", postgres_port.to_string()),
            named("DATABASE", DATABASE.to_owned()),
            named("USER", user.to_owned()),
            named("PASSWORD_FILE", password.display().to_string()),
            ("QL3_POSTGRES_TLS_CA_FILE".to_owned(), postgres_ca.display().to_string()),
            ("QL3_POSTGRES_TLS_SERVERNAME".to_owned(), server_name.clone()),
        ]
    }

    pub(crate) fn completions(&self) -> Result<usize> {
        let count = "SELECT count(*) FROM ql3_ai.model_invocation_prompt_output_key_retirement_completions";
        Ok(self.lab.psql(DATABASE, count)?.trim().parse()?)
    }

    fn fresh_database(&self) -> Result<()> {
        self.lab.psql("postgres", DROP)?;
        self.lab.psql("postgres", &format!("CREATE DATABASE {DATABASE} OWNER ql3_migration"))?;
        let mut install = Command::new(&self.program);
        install.args(["ledger", "install"]).env_clear().envs(self.database_variables(Role::Migration));
        lab::run(&mut install, "").map(drop)
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Role {
    Maintenance,
    Migration,
}

/// Another program that the same build made.
pub(crate) fn beside_us(name: &str) -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    Ok(own.parent().ok_or("we are nowhere")?.join(name).canonicalize()?)
}

/// Get and update of the one Secret. The right to ask about oneself has everybody.
fn rights() -> Value {
    let metadata = json!({"name": ACCOUNT, "namespace": NAMESPACE});
    let rbac = "rbac.authorization.k8s.io";
    let rule = json!({"apiGroups": [""], "resources": ["secrets"], "resourceNames": [SECRET], "verbs": ["get", "update"]});
    json!({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata},
        {"apiVersion": format!("{rbac}/v1"), "kind": "Role", "metadata": metadata, "rules": [rule]},
        {"apiVersion": format!("{rbac}/v1"), "kind": "RoleBinding", "metadata": metadata,
         "roleRef": {"apiGroup": rbac, "kind": "Role", "name": ACCOUNT},
         "subjects": [{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": NAMESPACE}]},
    ]})
}

pub(crate) const NAMESPACE: &str = "ql3-bench";
pub(crate) const ACCOUNT: &str = "ql3-prompt-output-key-retirement";
pub(crate) const SECRET: &str = "ql3-prompt-output-keyring";
pub(crate) const DATABASE: &str = "ql3_bench";
pub(crate) const MAINTENANCE: &str = "ql3_ai_maintenance";
pub(crate) const HOST: &str = "127.0.0.1";
const DROP: &str = "DROP DATABASE IF EXISTS ql3_bench WITH (FORCE)";
