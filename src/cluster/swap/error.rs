//! Why the one write did not end as wished.

use crate::cluster::code;
use crate::cluster::secret;
use crate::cluster::session;
use crate::code::Code;
use crate::exit::Exit;

/// A write that did not retire the key, or may not have.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// The answer to the write shows another keyring than was sent: something in between changes it.
    #[error("the answer to the write shows another keyring than was sent")]
    Altered,
    /// Another writer was first (409).
    #[error("another writer changed the Secret first")]
    Overtaken,
    /// The write was answered with a status that is neither success nor 409.
    #[error("the write was refused")]
    Refused(#[source] session::Error),
    /// The write was lost, and the Secret has moved on without it.
    #[error("the write was lost and the Secret has moved on without it")]
    Superseded,
    /// Another writer was first (409), and what it left is not the keyring's.
    #[error("another writer was first, and the Secret is not the keyring's any more")]
    Unfit(#[source] secret::Error),
    /// The write never left.
    #[error("the write was not sent")]
    Unsent(#[source] session::Error),
    /// The write was sent, and nothing tells what became of it.
    #[error("nothing tells what became of the write")]
    Unsettled,
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::Altered => code::unavailable(Exit::Config),
            Self::Overtaken => &code::CONFLICT,
            Self::Refused(error) if error.leaves_open() => code::unavailable(Exit::Unsettled),
            Self::Refused(error) | Self::Unsent(error) => code::unavailable(error.code().exit),
            Self::Superseded => code::unavailable(Exit::TryAgain),
            Self::Unfit(error) => error.code(),
            Self::Unsettled => code::unavailable(Exit::Unsettled),
        }
    }
}
