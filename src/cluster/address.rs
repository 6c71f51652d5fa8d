//! Which Secret, and which entry of it: names as an order gives them, checked before they enter a URL.

use crate::cluster::code;
use crate::code::Code;

/// One entry of one Secret, bound to the object's identity.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SecretRef {
    /// A DNS label of 1 to 63 characters.
    pub namespace: String,
    /// 1 to 253 lower-case letters, digits, dots and dashes; the ends are letters or digits.
    pub name: String,
    /// The UID that the object must have: 1 to 128 of `[A-Za-z0-9._:-]`, the first a letter or digit.
    pub uid: String,
    /// The entry: 1 to 253 of `[A-Za-z0-9._-]`.
    pub data_key: String,
}

/// A name that does not fit its pattern. The reference says so in the words of its own options.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// The entry's name.
    #[error("dataKey is invalid")]
    DataKey,
    /// The Secret's name.
    #[error("secretName is invalid")]
    Name,
    /// The namespace.
    #[error("namespace is invalid")]
    Namespace,
    /// The UID.
    #[error("expectedSecretUid is invalid")]
    Uid,
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::DataKey | Self::Name | Self::Namespace | Self::Uid => &code::INVALID,
        }
    }
}

impl SecretRef {
    /// Checks every member against its pattern (ADR-0262).
    pub fn check(&self) -> Result<(), Error> {
        self.wanted().check()?;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte);
        let first = self.uid.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        if first && fits(&self.uid, 128, plain) { Ok(()) } else { Err(Error::Uid) }
    }

    pub(crate) fn wanted(&self) -> Wanted<'_> {
        let Self { namespace, name, uid, data_key } = self;
        Wanted { namespace, name, uid: Some(uid), data_key }
    }
}

/// A [`SecretRef`] whose UID may not be known yet.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    pub(crate) uid: Option<&'a str>,
    pub(crate) data_key: &'a str,
}

impl Wanted<'_> {
    pub(crate) fn check(&self) -> Result<(), Error> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let ends = |text: &str| !text.starts_with(['-', '.']) && !text.ends_with(['-', '.']);
        if !(fits(self.namespace, 63, plain) && ends(self.namespace)) {
            return Err(Error::Namespace);
        }
        if !(fits(self.name, 253, |byte| plain(byte) || byte == b'.') && ends(self.name)) {
            return Err(Error::Name);
        }
        if !fits(self.data_key, 253, |byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)) {
            return Err(Error::DataKey);
        }
        Ok(())
    }

    /// The object's path. Only of a checked one.
    pub(crate) fn path(&self) -> String {
        format!("/api/v1/namespaces/{}/secrets/{}", self.namespace, self.name)
    }
}

fn fits(text: &str, most: usize, plain: impl Fn(u8) -> bool) -> bool {
    (1..=most).contains(&text.len()) && text.bytes().all(plain)
}
