//! Why the reviews do not pass.

use crate::cluster::review::Row;
use crate::cluster::session;
use crate::code::Code;
use crate::exit::Exit;

/// A review that does not pass, named by its row.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// The review has no usable answer.
    #[error("the review of \"{row}\" has no usable answer")]
    Api {
        /// Which right was asked about.
        row: Row,
        /// What happened.
        source: session::Error,
    },
    /// A right that the work needs is not granted.
    #[error("\"{row}\" is not allowed and must be")]
    TooNarrow {
        /// Which right.
        row: Row,
    },
    /// A right that the work must not have is granted.
    #[error("\"{row}\" is allowed and must not be")]
    TooWide {
        /// Which right.
        row: Row,
    },
    /// The answer leaves open whether the right is granted.
    #[error("\"{row}\" was not worked out by the authorizer")]
    Unproven {
        /// Which right.
        row: Row,
    },
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::Api { source, .. } => source.code(),
            Self::TooNarrow { .. } => &TOO_NARROW,
            Self::TooWide { .. } => &TOO_WIDE,
            Self::Unproven { .. } => &UNPROVEN,
        }
    }
}

/// The codes of this module. The reference prints a bare `TypeError` for them.
pub static CODES: &[&Code] = &[&TOO_NARROW, &TOO_WIDE, &UNPROVEN];

static TOO_NARROW: Code = Code::type_error(
    "QL3_CLUSTER_ACCESS_TOO_NARROW",
    Exit::Denied,
    "the identity lacks a right that the work needs",
    "apply the operation's Role and RoleBinding; the reason names verb and resource",
);
static TOO_WIDE: Code = Code::type_error(
    "QL3_CLUSTER_ACCESS_TOO_WIDE",
    Exit::Denied,
    "the identity has a right that the work must not have",
    "remove the binding that grants it; the reason names verb and resource",
);
static UNPROVEN: Code = Code::type_error(
    "QL3_CLUSTER_ACCESS_UNPROVEN",
    Exit::Denied,
    "an authorizer could not work out whether a right is granted",
    "look for bindings to missing roles and for authorization webhooks that fail",
);
