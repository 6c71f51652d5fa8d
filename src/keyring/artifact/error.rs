//! Why an artifact is refused, and whether before or after its ciphertext was touched.

use crate::code::Code;
use crate::exit::Exit;

/// No variant carries text from outside, key bytes or content.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// Another key, or another ciphertext, nonce or envelope than was sealed.
    #[error("the ciphertext does not authenticate")]
    Authentication,
    /// It decrypts, but not to the output that its envelope describes.
    #[error("the content is not what the envelope says")]
    Content,
    /// The artifact's digest does not cover what stands in it.
    #[error("the digest does not match the envelope")]
    DigestMismatch,
    /// The key itself cannot be used.
    #[error("the key cannot be used")]
    Key(#[source] crate::keyring::Error),
    /// A member's value does not fit its pattern, its range or the members that it follows from.
    #[error("{0} is invalid")]
    Member(&'static str),
    /// The operating system gave no random bytes for a nonce.
    #[error("no random bytes are to be had")]
    Random,
    /// The value is no object with exactly the members of its kind.
    #[error("the {0} does not have exactly its members")]
    Shape(&'static str),
}

impl Error {
    /// The stable code: invalid before decryption, unavailable from then on.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::DigestMismatch | Self::Member(_) | Self::Shape(_) => &INVALID,
            Self::Authentication | Self::Content | Self::Key(_) | Self::Random => &UNAVAILABLE,
        }
    }
}

impl From<crate::keyring::Error> for Error {
    fn from(error: crate::keyring::Error) -> Self {
        Self::Key(error)
    }
}

pub(in crate::keyring) static INVALID: Code = Code {
    code: "QL3_ARTIFACT_INVALID",
    reference: Some("PLUGIN_PACKAGE_PROMPT_OUTPUT_ARTIFACT_INVALID"),
    name: "InvalidPluginPackagePromptOutputArtifactError",
    exit: Exit::Data,
    meaning: "an artifact's envelope is malformed or was changed",
    remedy: "fetch the artifact again from where it is kept; an altered one cannot be repaired",
};
pub(in crate::keyring) static UNAVAILABLE: Code = Code {
    code: "QL3_ARTIFACT_UNREADABLE",
    reference: Some("PLUGIN_PACKAGE_PROMPT_OUTPUT_ARTIFACT_UNAVAILABLE"),
    name: "PluginPackagePromptOutputArtifactUnavailableError",
    exit: Exit::Data,
    meaning: "an artifact cannot be decrypted with this key",
    remedy: "check that the keyring's generation is the one that holds the artifact's key",
};
