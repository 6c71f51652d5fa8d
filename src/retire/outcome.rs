//! How a retirement ended well, and the line that says so (ADR-0262).

use serde::Serialize;

use super::COMPONENT;
use crate::keyring::Completion;
use crate::report::LastWords;
use crate::report::Report;

/// The key is out of the Secret and the ledger says so.
#[derive(Debug)]
pub struct Outcome {
    /// Whether this run recorded it.
    pub status: Status,
    /// The receipt.
    pub completion: Completion,
}

/// Whether this run recorded the completion.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Status {
    /// This run inserted it.
    Completed,
    /// It was there already.
    Existing,
}

impl Status {
    /// The word in the result.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Existing => "existing",
        }
    }
}

impl Outcome {
    /// The result line and the last words.
    pub fn report(&self) -> Report {
        let request = self.completion.request();
        let receipt = self.completion.digest().to_string();
        let line = Line {
            schema_version: 1,
            component: COMPONENT,
            event: "key_retirement_completed",
            status: self.status.word(),
            key_id: request.key_id.as_str(),
            retirement_id: request.retirement_id.as_str(),
            preparation_digest: self.completion.preparation_digest().to_string(),
            completion_digest: receipt.clone(),
            completed_at_ms: self.completion.completed_at_ms(),
        };
        let stdout = serde_json::to_string(&line).unwrap_or_default() + "\n";
        Report::done(stdout, LastWords::done(self.status.word(), Some(receipt)))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    schema_version: u8,
    component: &'static str,
    event: &'static str,
    status: &'static str,
    key_id: &'a str,
    retirement_id: &'a str,
    preparation_digest: String,
    completion_digest: String,
    completed_at_ms: u64,
}
