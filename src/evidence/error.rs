//! Why a report was not accepted.

use crate::code::Code;
use crate::exit::Exit;
use crate::file;
use crate::json;

/// A report that was not audited, or did not stand up to it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file could not be read.
    #[error("the report cannot be read")]
    File(#[source] file::Error),
    /// There are findings; they are on stdout.
    #[error("the report has {0} findings")]
    Incompatible(usize),
    /// It is no JSON.
    #[error("the report cannot be parsed")]
    Syntax(#[source] json::Error),
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::File(error) => error.code(),
            Self::Incompatible(_) => &INCOMPATIBLE,
            Self::Syntax(_) => &SYNTAX,
        }
    }
}

/// The codes of this module.
pub static CODES: &[&Code] = &[&INCOMPATIBLE, &SYNTAX];

static INCOMPATIBLE: Code = Code::own(
    "QL3_EVIDENCE_INCOMPATIBLE",
    Exit::Data,
    "the report is not complete, not honest or not passed; its findings are on stdout",
    "read the findings, mend what the live gate found, and run it again; never edit a report",
);
static SYNTAX: Code = Code::own(
    "QL3_EVIDENCE_NOT_JSON",
    Exit::Data,
    "the report is not one JSON value without doubled members",
    "audit the file that the live gate wrote, as it is",
);
