//! Why the ledger could not be made or checked.

use crate::code::Code;
use crate::exit::Exit;
use crate::ledger;

/// A failed verb on the ledger.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Other tables than ours are there, and not all that are needed.
    #[error("the schemas hold tables of others, and these are missing: {0}")]
    Foreign(String),
    /// Roles are missing, so their grants are too. The tables are there.
    #[error("roles do not exist, and have no grants; an administrator runs: {0}")]
    RolesMissing(String),
    /// The environment does not describe the database.
    #[error("the database's settings cannot be used")]
    Settings(#[source] ledger::settings::Error),
    /// The database's side.
    #[error("the ledger's side failed")]
    Store(#[source] ledger::Error),
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::Foreign(_) => &FOREIGN,
            Self::RolesMissing(_) => &ROLES_MISSING,
            Self::Settings(error) => error.code(),
            Self::Store(error) => error.code(),
        }
    }
}

/// The codes of this module.
pub static CODES: &[&Code] = &[&FOREIGN, &ROLES_MISSING];

static FOREIGN: Code = Code::own(
    "QL3_LEDGER_FOREIGN_TABLES",
    Exit::Config,
    "the schemas ql3 and ql3_ai hold tables of others, and not all that a retirement needs; nothing was changed",
    "let the platform's migrations finish, or install into a database of its own",
);
static ROLES_MISSING: Code = Code::own(
    "QL3_LEDGER_ROLES_MISSING",
    Exit::Config,
    "the tables are there, and roles that need grants on them do not exist",
    "let an administrator run the statements that the reason gives, then run `ql3-ops ledger install` again",
);
