//! Why a keyring could not be made, described or checked.

use crate::cluster;
use crate::code::Code;
use crate::exit::Exit;
use crate::file;
use crate::keyring;

/// A failed verb on a keyring.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The API server's side, or a Secret that is not acceptable.
    #[error("the Secret cannot be used")]
    Cluster(#[source] cluster::Error),
    /// A file could not be read.
    #[error("the file cannot be used")]
    File(#[source] file::Error),
    /// The id of a new key does not match the pattern.
    #[error("the key id is not acceptable")]
    KeyId(#[source] keyring::Error),
    /// The keyring is not acceptable.
    #[error("the keyring is not acceptable")]
    Keyring(#[source] keyring::Error),
    /// The new file could not be made.
    #[error("the keyring was not written")]
    NotMade(#[source] file::CreateError),
    /// The projected volume or its keyring is not acceptable.
    #[error("the projected keyring is not acceptable")]
    Projected(#[source] keyring::projected::Error),
    /// Stdin could not be read, or has more bytes than a Secret may.
    #[error("stdin is empty, unreadable or longer than {limit} bytes")]
    Stdin {
        /// Bytes allowed.
        limit: usize,
    },
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::Cluster(error) => error.code(),
            Self::File(error) => error.code(),
            Self::KeyId(error) | Self::Keyring(error) => error.code(),
            Self::NotMade(error) => error.code(),
            Self::Projected(error) => error.code(),
            Self::Stdin { .. } => &STDIN,
        }
    }
}

/// The codes of this module.
pub static CODES: &[&Code] = &[&STDIN];

static STDIN: Code = Code::own(
    "QL3_KEYRING_STDIN_INVALID",
    Exit::NoInput,
    "stdin is empty, unreadable or longer than a Secret may be",
    "pipe in one Secret, as `kubectl get secret NAME -o json` prints it",
);
