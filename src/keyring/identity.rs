//! The name of an order, a request, a project: whatever is identified but is no key.

use std::fmt;

use serde::Serialize;

use super::Error;
use super::random;

/// 1 to 128 characters: a letter or digit, then letters, digits and `._:/-`.
#[derive(Clone, Eq, Hash, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Identity(String);

impl Identity {
    /// Checks the whole text.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::named("identity", text)
    }

    /// One that nobody has used: a word of the caller's and 128 random bits.
    pub fn generate(kind: &str) -> Result<Self, Error> {
        Self::parse(&format!("{kind}-{}", random::hex::<16>()?))
    }

    /// As [`Self::parse`], with the member's name in the error.
    pub(super) fn named(name: &'static str, text: &str) -> Result<Self, Error> {
        Self::bounded(MAX_LENGTH, text).ok_or(Error::Member(name))
    }

    /// As [`Self::parse`], with another bound on the length.
    pub(super) fn bounded(limit: usize, text: &str) -> Option<Self> {
        let fits = text.len() <= limit
            && text.starts_with(|first: char| first.is_ascii_alphanumeric())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._:/-".contains(&byte));
        fits.then(|| Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

const MAX_LENGTH: usize = 128;
