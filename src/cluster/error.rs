//! Everything that can go wrong with the cluster, by what was being done.

use crate::cluster::address;
use crate::cluster::authority;
use crate::cluster::endpoints;
use crate::cluster::review;
use crate::cluster::secret;
use crate::cluster::swap;
use crate::code::Code;
use crate::keyring;

/// A failure about the cluster.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// The order names something that cannot exist.
    #[error("the Secret's address is malformed")]
    Address(#[from] address::Error),
    /// The authority cannot be used.
    #[error("the cluster's authority cannot be used")]
    Authority(#[from] authority::Error),
    /// It could not be learnt where the API server answers.
    #[error("the API server's addresses are not known")]
    Endpoints(#[from] endpoints::Error),
    /// The keyring does not let the key retire as prepared.
    #[error("the key cannot retire")]
    Keyring(#[from] keyring::Error),
    /// Our rights are not exactly the expected ones, or could not be learnt.
    #[error("the access reviews do not pass")]
    Review(#[from] review::Error),
    /// The Secret could not be read, or is not the keyring's.
    #[error("the Secret cannot be used")]
    Secret(#[from] secret::Error),
    /// The one write did not end as wished.
    #[error("the Secret was not swapped")]
    Swap(#[from] swap::Error),
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::Address(error) => error.code(),
            Self::Authority(error) => error.code(),
            Self::Endpoints(error) => error.code(),
            Self::Keyring(error) => error.code(),
            Self::Review(error) => error.code(),
            Self::Secret(error) => error.code(),
            Self::Swap(error) => error.code(),
        }
    }
}
