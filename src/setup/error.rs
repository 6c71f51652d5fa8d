//! Why the ledger could not be made or checked.

use crate::code::Code;
use crate::exit::Exit;
use crate::ledger;

/// A failed verb on the ledger.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Roles are missing, so their grants are too. The tables are there.
    #[error("these roles do not exist, and have no grants: {0}")]
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
            Self::RolesMissing(_) => &ROLES_MISSING,
            Self::Settings(error) => error.code(),
            Self::Store(error) => error.code(),
        }
    }
}

/// The codes of this module.
pub static CODES: &[&Code] = &[&ROLES_MISSING];

static ROLES_MISSING: Code = Code {
    code: "QL3_LEDGER_ROLES_MISSING",
    reference: None,
    name: "Error",
    exit: Exit::Config,
    meaning: "the tables are there, and roles that need grants on them do not exist",
    remedy: "create the roles (the log at `--log-level info` has the statements), then run it again for the grants",
};
