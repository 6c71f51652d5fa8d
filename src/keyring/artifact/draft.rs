//! What is known of an output before it is sealed.

use serde::Deserialize;
use serde_json::Value;

use crate::keyring::Identity;
use crate::keyring::KeyId;

use super::Error;
use super::Output;
use super::Requester;
use super::Retention;
use super::output;
use super::wire;
use super::wire::WireRequester;
use super::wire::WireRetention;

/// An output with where it comes from, which key it is for and how long it is kept.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Draft {
    /// The project that it belongs to.
    pub project_id: Identity,
    /// The run; at most 36 characters, no slash.
    pub run_id: Identity,
    /// The step of the run.
    pub step_run_id: Identity,
    /// The invocation of the model: one artifact each.
    pub invocation_id: Identity,
    /// Who asked.
    pub requested_by: Requester,
    /// The answer.
    pub output: Output,
    /// How long it is kept.
    pub retention: Retention,
    /// The key that seals it.
    pub key_id: KeyId,
    /// When, in milliseconds.
    pub sealed_at_ms: u64,
}

impl Draft {
    /// Reads an object with exactly the members `projectId, runId, stepRunId, invocationId, requestedBy,
    /// result, retentionPolicy, keyId, sealedAtMs`.
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        let wire: Wire<'_> = wire::object("draft", value)?;
        Ok(Self {
            project_id: wire::identity("projectId", wire.project_id)?,
            run_id: wire::run_id(wire.run_id)?,
            step_run_id: wire::identity("stepRunId", wire.step_run_id)?,
            invocation_id: wire::identity("invocationId", wire.invocation_id)?,
            requested_by: wire.requested_by.read()?,
            output: wire.result.read()?,
            retention: wire.retention_policy.read()?,
            key_id: wire::key_id(wire.key_id)?,
            sealed_at_ms: wire::integer("sealedAtMs", wire.sealed_at_ms)?,
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Wire<'a> {
    project_id: &'a str,
    run_id: &'a str,
    step_run_id: &'a str,
    invocation_id: &'a str,
    #[serde(borrow)]
    requested_by: WireRequester<'a>,
    #[serde(borrow)]
    result: output::Wire<'a>,
    #[serde(borrow)]
    retention_policy: WireRetention<'a>,
    key_id: &'a str,
    sealed_at_ms: u64,
}
