//! Live ciphertexts, as the platform's runtime inserts them.

use serde_json::json;
use tokio_postgres::Client;

/// The parents that artifact `number` refers to.
pub(crate) async fn parents(admin: &Client, number: u32) {
    let rows = format!(
        "INSERT INTO ql3.runs VALUES ('run-{number}');
         INSERT INTO ql3.step_runs VALUES ('run-{number}', 'step');
         INSERT INTO ql3_ai.model_invocation_starts VALUES ('invocation-{number}');
         INSERT INTO ql3_ai.model_invocation_prompt_admissions VALUES ('request-{number}', 'invocation-{number}')"
    );
    admin.batch_execute(&rows).await.unwrap();
}

/// What the runtime's INSERT of artifact `number` under a key is.
pub(crate) fn artifact(number: u32, key: &str, project: &str, sealed_at_ms: u64) -> String {
    let eligible = sealed_at_ms + 3_600_000;
    let hash = format!("{number:064x}");
    let json = json!({
        "schema": "qinglong/plugin-package-prompt-output-artifact@v1", "artifactId": format!("pao:{number}"),
        "projectId": project, "runId": format!("run-{number}"), "stepRunId": "step",
        "invocationId": format!("invocation-{number}"), "requestedBy": {"type": "user", "id": "u"},
        "provider": "p", "model": "m", "contentDigest": hash, "outputBytes": 1,
        "retentionPolicy": {"revision": "1", "retentionMs": 3_600_000}, "retentionPolicyDigest": hash,
        "retentionEligibleAtMs": eligible, "keyId": key, "algorithm": "aes-256-gcm", "plaintextBytes": 1,
        "sealedAtMs": sealed_at_ms, "artifactDigest": hash,
    });
    format!(
        "INSERT INTO ql3_ai.model_invocation_prompt_output_artifacts VALUES ('pao:{number}', '{project}',
         'run-{number}', 'step', 'invocation-{number}', 'user', 'u', 'p', 'm', '{hash}', 1, '1', 3600000, '{hash}',
         {eligible}, '{key}', 'aes-256-gcm', 1, {sealed_at_ms}, '{hash}', '{json}')"
    )
}
