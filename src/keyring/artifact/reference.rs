//! What may be said of an artifact where its content must not go.

use serde::Serialize;
use serde_json::Value;

use crate::keyring::Digest;
use crate::keyring::Identity;
use crate::keyring::KeyId;
use crate::keyring::canonical;

use super::metadata::ALGORITHM;
use super::metadata::Metadata;

/// A reference to one artifact, free of content.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reference {
    schema: &'static str,
    artifact_id: String,
    project_id: Identity,
    run_id: Identity,
    step_run_id: Identity,
    invocation_id: Identity,
    content_digest: Digest,
    output_bytes: u64,
    retention_policy_digest: Digest,
    pub(super) retention_eligible_at_ms: u64,
    key_id: KeyId,
    algorithm: &'static str,
    artifact_digest: Digest,
}

impl Reference {
    pub(super) fn new(metadata: &Metadata, artifact_digest: Digest) -> Self {
        Self {
            schema: SCHEMA,
            artifact_id: metadata.artifact_id(),
            project_id: metadata.project_id.clone(),
            run_id: metadata.run_id.clone(),
            step_run_id: metadata.step_run_id.clone(),
            invocation_id: metadata.invocation_id.clone(),
            content_digest: metadata.content_digest,
            output_bytes: metadata.output_bytes,
            retention_policy_digest: metadata.retention.digest(),
            retention_eligible_at_ms: metadata.eligible_at_ms,
            key_id: metadata.key_id.clone(),
            algorithm: ALGORITHM,
            artifact_digest,
        }
    }

    /// The members as a JSON object.
    pub fn to_value(&self) -> Value {
        canonical::value(self)
    }
}

const SCHEMA: &str = "qinglong/plugin-package-prompt-output-artifact-reference@v1";
