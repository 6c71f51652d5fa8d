//! Why a Secret cannot be used as the keyring's.

use crate::cluster::code;
use crate::cluster::session;
use crate::code::Code;
use crate::exit::Exit;
use crate::keyring;

/// A Secret that is not there, or not what it must be. Nothing of its content is repeated.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// An annotation does not say what the keyring says.
    #[error("the annotation of the keyring's {0} is missing or differs")]
    Annotation(&'static str),
    /// The request has no usable answer.
    #[error("the API server gave no usable answer")]
    Api(#[source] session::Error),
    /// It is being deleted.
    #[error("the Secret is being deleted")]
    Deleting,
    /// The entry's value is not standard base64 of the allowed length.
    #[error("the entry is not canonical base64 of 1 to {MAX_VALUE} characters")]
    Encoding,
    /// There is not exactly the one entry.
    #[error("the Secret does not hold exactly the one entry")]
    Entries,
    /// It is another object than the one meant: name or namespace.
    #[error("the Secret's {0} is not the expected one")]
    Identity(&'static str),
    /// The mark of immutability is missing or not false.
    #[error("the Secret is not marked as mutable")]
    Immutable,
    /// The entry is not a keyring in its canonical form.
    #[error("the entry is not a keyring")]
    Keyring(#[source] keyring::Error),
    /// A label that marks it as the keyring's is missing or differs.
    #[error("a label that marks the keyring is missing or differs")]
    Label,
    /// `kubectl apply` left a copy of the content in an annotation.
    #[error("the Secret bears kubectl's last-applied annotation")]
    LastApplied,
    /// It was deleted and made anew: key material may have been brought back.
    #[error("the Secret has another uid than the command names")]
    Recreated,
    /// It is no opaque Secret of API version v1.
    #[error("the object's {0} is not the expected one")]
    Type(&'static str),
    /// The resource version is not a plain decimal number.
    #[error("the Secret has no usable resource version")]
    Version,
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::Api(error) => code::unavailable(error.code().exit),
            Self::Annotation(_)
            | Self::Deleting
            | Self::Encoding
            | Self::Entries
            | Self::Identity(_)
            | Self::Immutable
            | Self::Keyring(_)
            | Self::Label
            | Self::LastApplied
            | Self::Recreated
            | Self::Type(_)
            | Self::Version => code::unavailable(Exit::Data),
        }
    }
}

/// Characters of an entry's value.
pub(super) const MAX_VALUE: usize = 384 * 1024;
