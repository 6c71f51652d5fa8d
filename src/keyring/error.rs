//! What can be wrong with a keyring, a receipt, or the wish to retire a key.

use crate::code::Code;
use crate::exit::Exit;
use crate::json;

/// The three kinds that the reference tells apart; a failure line shows no more than these.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// Both sides are well-formed and contradict each other.
    Conflict,
    /// A value that was given to us is malformed.
    Invalid,
    /// The keyring cannot be used, or does not know the key.
    Unavailable,
}

/// The reason behind a [`Kind`]. No variant carries text from outside or key bytes.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// Make another key active first; the active key never retires.
    #[error("the key is the active one")]
    ActiveKey,
    /// The keyring names an active key that it does not hold; restore it.
    #[error("the active key is not among the keys")]
    ActiveKeyMissing,
    /// The key is gone already, under other identities or at another time; use those.
    #[error("the key was retired under another preparation")]
    AnotherRetirement,
    /// The keyring was changed after the preparation; this preparation can never succeed again.
    #[error("the catalogue of keys is not the prepared one")]
    CatalogChanged,
    /// A receipt's own digest does not cover what stands in it.
    #[error("the {0}'s digest does not match its content")]
    DigestMismatch(&'static str),
    /// A record's absence proof does not follow from its preparation and catalogue digest.
    #[error("a retirement record does not prove itself")]
    Forged,
    /// The generation must be an integer from 1 to 2^53 - 1.
    #[error("the generation is out of range")]
    Generation,
    /// The successor of this keyring could not be read by anyone; nothing was changed.
    #[error("no generation is left")]
    GenerationExhausted,
    /// An identifier or a receipt inside the keyring is malformed; the source says which.
    #[error("a part of the keyring is invalid")]
    Inside(#[source] Box<Self>),
    /// A keyring holds 1 to 16 keys.
    #[error("the number of keys is not 1 to 16")]
    KeyCount,
    /// The key that shall retire is neither held nor recorded as retired.
    #[error("the keyring does not hold the key")]
    KeyNotHeld,
    /// Key material is 32 bytes, written as 43 characters of unpadded base64url.
    #[error("key material is not 32 bytes in unpadded base64url")]
    Material,
    /// The key of this name has other bytes than when the retirement was prepared.
    #[error("the key's material is not the prepared one")]
    MaterialChanged,
    /// A member's value does not fit its pattern or range.
    #[error("{0} is invalid")]
    Member(&'static str),
    /// The text means a keyring but is not the one byte form that a keyring has.
    #[error("the bytes are not the canonical ones")]
    NotCanonical,
    /// The text is not JSON, or not with exactly the members of a keyring.
    #[error("the keyring is not a keyring's JSON")]
    NotJson(#[source] json::Error),
    /// A key id stands among the keys and among the retired ones.
    #[error("a key is both held and retired")]
    Overlap,
    /// The operating system gave no random bytes.
    #[error("no random bytes are to be had")]
    Random,
    /// A keyring holds at most 64 retirement records.
    #[error("there are more than 64 retirement records")]
    RecordCount,
    /// A record stands under another key id than its preparation names.
    #[error("a retirement record is about another key")]
    RecordKey,
    /// There are 64 retirement records already; no further key can retire.
    #[error("the table of retirements is full")]
    RecordsFull,
    /// The schema constant is another one.
    #[error("the {0}'s schema is another one")]
    Schema(&'static str),
    /// The value is no object with exactly the members of its kind.
    #[error("the {0} does not have exactly its members")]
    Shape(&'static str),
    /// A keyring has 1 to 262144 bytes.
    #[error("the size is not 1 to 262144 bytes")]
    Size,
    /// The key is neither held nor recorded as retired.
    #[error("the keyring does not know the key")]
    UnknownKey,
}

impl Error {
    /// Which of the reference's three kinds this is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::ActiveKey
            | Self::AnotherRetirement
            | Self::CatalogChanged
            | Self::KeyNotHeld
            | Self::MaterialChanged
            | Self::RecordsFull => Kind::Conflict,
            Self::DigestMismatch(_) | Self::Member(_) | Self::Schema(_) | Self::Shape(_) => Kind::Invalid,
            Self::ActiveKeyMissing
            | Self::Forged
            | Self::Generation
            | Self::GenerationExhausted
            | Self::Inside(_)
            | Self::KeyCount
            | Self::Material
            | Self::NotCanonical
            | Self::NotJson(_)
            | Self::Overlap
            | Self::Random
            | Self::RecordCount
            | Self::RecordKey
            | Self::Size
            | Self::UnknownKey => Kind::Unavailable,
        }
    }

    /// The stable code, one for each kind.
    pub fn code(&self) -> &'static Code {
        match self.kind() {
            Kind::Conflict => &CONFLICT,
            Kind::Invalid => &INVALID,
            Kind::Unavailable => &UNAVAILABLE,
        }
    }
}

impl Kind {
    /// The reference's error name, which failure lines print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Conflict => "PluginPackagePromptOutputKeyRetirementConflictError",
            Self::Invalid => "InvalidPluginPackagePromptOutputKeyRetirementError",
            Self::Unavailable => "PluginPackagePromptOutputKeyRetirementUnavailableError",
        }
    }

    /// The reference's code, which failure lines print.
    pub const fn reference(self) -> &'static str {
        match self {
            Self::Conflict => "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_CONFLICT",
            Self::Invalid => "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_INVALID",
            Self::Unavailable => "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_UNAVAILABLE",
        }
    }

    /// A code of our own for one way of failing of this kind.
    pub const fn code(
        self,
        code: &'static str,
        exit: Exit,
        meaning: &'static str,
        remedy: &'static str,
    ) -> Code {
        Code { code, reference: Some(self.reference()), name: self.name(), exit, meaning, remedy }
    }
}

pub(super) static CONFLICT: Code = Kind::Conflict.code(
    "QL3_KEYRING_CONFLICT",
    Exit::Data,
    "the key cannot be retired as commanded: it is active, not held, changed or retired by another command, or the keyring is full",
    "look at `ql3-ops keyring inspect`; if another command retired the key, run that one again",
);
pub(super) static INVALID: Code = Kind::Invalid.code(
    "QL3_KEYRING_INPUT_INVALID",
    Exit::Data,
    "a command, an identity or a receipt is malformed",
    "correct the member that the reason names; an altered receipt must be restored, not repaired",
);
pub(super) static UNAVAILABLE: Code = Kind::Unavailable.code(
    "QL3_KEYRING_UNUSABLE",
    Exit::Data,
    "the keyring is not in its canonical form, does not prove itself, or does not know the key",
    "read the reason; restore the Secret from the last good generation if it was edited by hand",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_invalid_inside_a_keyring_makes_the_keyring_unavailable() {
        let inner = Error::Member("keyId");
        assert_eq!(inner.code().printed(), "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_INVALID");
        assert_eq!(Error::Inside(Box::new(inner)).kind(), Kind::Unavailable);
    }
}
