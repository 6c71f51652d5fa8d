//! Why the ledger could not be opened, read or written.

mod codes;

use std::io;

use super::fault::Fault;
use super::fault::Sqlstate;
use crate::code::Code;
use crate::keyring;
use crate::names;
use crate::tls::postgres;

pub use codes::CODES;

/// The ledger holds another order for the key.
pub static ANOTHER: &Code = &codes::ANOTHER;
/// Ciphertexts under the key are still kept.
pub static LIVE: &Code = &codes::LIVE;

/// What the ledger says against an order that is well-formed.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Conflict {
    /// The key's row was written by another order: run that order again, or leave the key alone.
    #[error("the ledger holds another command for this key")]
    Another,
    /// Somebody wrote a row with one of these identities meanwhile: run again to read it.
    #[error("a constraint refused the row with SQLSTATE {0}")]
    Constraint(Sqlstate),
    /// Ciphertexts under the key are still kept; wait until they are collected.
    #[error("{0} ciphertexts under the key are still kept")]
    LiveArtifacts(u64),
    /// There is no preparation for the completion to refer to.
    #[error("the ledger does not hold this preparation")]
    Unprepared,
}

/// A failure of the ledger.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The order contradicts what is recorded.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// Three attempts met somebody else's transaction: run again.
    #[error("three attempts ran into other transactions, the last with SQLSTATE {0}")]
    Contended(Sqlstate),
    /// The role may not do this: `ledger check` says which grant is missing.
    #[error("the role may not do this (SQLSTATE {0})")]
    Denied(Sqlstate),
    /// A step of the schema was changed after it was released: restore the version that made it.
    #[error("the schema step {0} was installed with other statements")]
    Drifted(&'static str),
    /// Somebody holds the key's fence or a row for longer than 5 s: run again.
    #[error("a lock was not to be had within 5 s")]
    Locked,
    /// The login was refused: look at role, password, expiry and `pg_hba.conf`.
    #[error("the login was refused with SQLSTATE {0}")]
    Login(Sqlstate),
    /// The session ended; the server's reason is given where it gave one.
    #[error("the session ended{}", reason(*.0))]
    Lost(Option<Sqlstate>),
    /// The host's name has no address, or nobody said so: check name, cluster DNS and the egress rule to it.
    #[error("the database's name was not resolved")]
    Name(#[source] names::Error),
    /// The role has too much or too little: `ledger check` prints what to run.
    #[error("{0} privileges are not as they must be")]
    NotGranted(usize),
    /// Tables, schemas or roles are not there: `ledger check` prints which.
    #[error("the ledger is not installed: {0} privileges cannot be as they must be")]
    NotInstalled(usize),
    /// Written on the primary, and nobody waited for its replica: see to the replica, then run again.
    #[error("the commit was answered with a warning: its replication is not assured")]
    NotReplicated,
    /// The database is open for reading only: look at `default_transaction_read_only`.
    #[error("the session is read-only")]
    ReadOnly,
    /// A value of ours does not form a receipt.
    #[error("the receipt cannot be formed")]
    Receipt(#[source] keyring::Error),
    /// The server refused the statement for another reason.
    #[error("the server refused a statement with SQLSTATE {0}")]
    Refused(Sqlstate),
    /// A stored row contradicts itself: somebody wrote it by hand. Restore it.
    #[error("a stored {0}")]
    Row(Row),
    /// Tables or columns are missing: install them, or use the version that fits.
    #[error("the tables are not those of this version (SQLSTATE {0})")]
    Schema(Sqlstate),
    /// A pooler stands between, and it dropped or refused the session's settings: connect past it.
    #[error("the session's setting {0} was not taken")]
    Settings(&'static str),
    /// No answer within the time for one statement.
    #[error("the database did not answer in time")]
    Silent,
    /// The server spoke outside its protocol.
    #[error("the database answered with something else than was asked")]
    Spoken,
    /// A standby answered: dial the primary's service.
    #[error("the database is a standby")]
    Standby,
    /// It did not prove who it is.
    #[error("the database's identity was not proven")]
    Tls(#[source] postgres::Error),
    /// Too many connections, starting or shutting down: run again.
    #[error("the database takes no session now (SQLSTATE {0})")]
    Unready(Sqlstate),
    /// Nobody answers at the address.
    #[error("the database cannot be reached: {0}")]
    Unreachable(io::ErrorKind),
    /// A COMMIT was sent, its answer is lost, and nobody could be asked: the next run finds out.
    #[error("a commit was sent and its outcome could not be learnt in time")]
    Unsettled(#[source] Option<Box<Self>>),
}

/// What a stored row has against it.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Row {
    /// A column differs from the receipt in the same row.
    #[error("row differs from its receipt in {0}")]
    Column(&'static str),
    /// A completion whose preparation is missing.
    #[error("completion has no preparation")]
    Orphan,
    /// The completion refers to another preparation.
    #[error("completion belongs to another preparation")]
    Pair,
    /// The receipt does not prove itself.
    #[error("receipt is not valid")]
    Receipt,
    /// One key has two rows.
    #[error("row is there twice")]
    Twice,
}

impl Error {
    /// What a failed statement means to the operator.
    pub(super) fn from_fault(fault: Fault) -> Self {
        match fault {
            Fault::Answer(state) => Self::from_state(state),
            Fault::Lost(state) => Self::Lost(state),
            Fault::Odd => Self::Spoken,
            Fault::Silent => Self::Silent,
        }
    }

    fn from_state(state: Sqlstate) -> Self {
        match state.as_str() {
            "23503" | "23505" | "23514" => Self::Conflict(Conflict::Constraint(state)),
            "40001" | "40P01" => Self::Contended(state),
            "55P03" => Self::Locked,
            "42501" => Self::Denied(state),
            "25006" => Self::ReadOnly,
            // The first statement of ours that a hot standby refuses is BEGIN ... SERIALIZABLE.
            "0A000" => Self::Standby,
            "3F000" | "42703" | "42704" | "42804" | "42883" | "42P01" => Self::Schema(state),
            _ => Self::Refused(state),
        }
    }

    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::Conflict(Conflict::Constraint(_)) => &codes::RACE,
            Self::Conflict(Conflict::Another | Conflict::Unprepared) => &codes::ANOTHER,
            Self::Conflict(Conflict::LiveArtifacts(_)) => &codes::LIVE,
            Self::Contended(_) | Self::Locked => &codes::BUSY,
            Self::Denied(_) => &codes::DENIED,
            Self::Drifted(_) => &codes::DRIFTED,
            Self::Login(_) => &codes::LOGIN,
            Self::Lost(_) | Self::Refused(_) | Self::Silent | Self::Spoken => &codes::UNAVAILABLE,
            Self::Name(source) if source.is_of_settings() => source.code(),
            Self::NotGranted(_) => &codes::NOT_GRANTED,
            Self::NotInstalled(_) => &codes::NOT_INSTALLED,
            Self::NotReplicated => &codes::NOT_REPLICATED,
            Self::ReadOnly => &codes::READ_ONLY,
            Self::Receipt(source) => source.code(),
            Self::Row(_) => &codes::ROW,
            Self::Schema(_) => &codes::SCHEMA,
            Self::Settings(_) => &codes::SETTINGS,
            Self::Standby => &codes::STANDBY,
            Self::Tls(source) => source.code(),
            Self::Name(_) | Self::Unreachable(_) | Self::Unready(_) => &codes::UNREACHABLE,
            Self::Unsettled(_) => &codes::UNSETTLED,
        }
    }
}

fn reason(state: Option<Sqlstate>) -> String {
    state.map_or_else(String::new, |state| format!(" with SQLSTATE {state}"))
}
