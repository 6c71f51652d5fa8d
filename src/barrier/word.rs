//! The reference's five words for how a barrier ended (ADR-0262): all that its tools read.

use serde::Serialize;

/// What the termination message says.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Word {
    /// The canary has no address.
    CanaryUnresolved,
    /// Something in the environment is missing or malformed.
    ConfigInvalid,
    /// The policy is not in force, or cannot be seen to be.
    PolicyNotReady,
    /// It is in force.
    PolicyReady,
    /// The operating system refused something basic.
    ProbeFailed,
}

impl Word {
    /// The whole termination message: compact JSON without a newline.
    pub fn message(self) -> String {
        let message = Message { schema_version: 1, ready: self == Self::PolicyReady, code: self };
        serde_json::to_string(&message).unwrap_or_default()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    schema_version: u32,
    ready: bool,
    code: Word,
}
