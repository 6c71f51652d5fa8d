//! Why an overlay's part could not be made.

use crate::barrier;
use crate::cluster;
use crate::code::Code;
use crate::exit::Exit;

/// A failed verb on the bundle.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The API server's side.
    #[error("the egress rules were not made")]
    Cluster(#[source] cluster::Error),
    /// The statement is none, or is over.
    #[error("the statement cannot be used")]
    Proof(#[source] barrier::Error),
    /// Stdin is empty or cannot be read.
    #[error("stdin is empty or unreadable")]
    Stdin,
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::Cluster(error) => error.code(),
            Self::Proof(error) => error.code(),
            Self::Stdin => &STDIN,
        }
    }
}

/// The codes of this module.
pub static CODES: &[&Code] = &[&STDIN];

static STDIN: Code = Code::own(
    "QL3_BUNDLE_STDIN_EMPTY",
    Exit::NoInput,
    "stdin is empty or unreadable where the control's statement was to come",
    "pipe in what the control Job printed: kubectl logs job/ql3-retirement-canary-control",
);
