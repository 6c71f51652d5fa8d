//! Bytes that do not print, are wiped when dropped and are compared in constant time.

use std::fmt;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// A secret byte string: a token, a password, a file with key material.
///
/// It never grows after it was made, so no copy of it is left behind by a reallocation.
#[derive(Clone)]
pub struct Hidden(Zeroizing<Vec<u8>>);

impl Hidden {
    /// Takes the bytes over; the caller keeps no copy.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// The bytes, for the one call that needs them.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }

    /// The bytes as text, or `None` where they are not UTF-8.
    pub fn expose_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden(..)")
    }
}

impl From<String> for Hidden {
    fn from(text: String) -> Self {
        Self::new(text.into_bytes())
    }
}

impl From<&str> for Hidden {
    fn from(text: &str) -> Self {
        Self::new(text.as_bytes().to_vec())
    }
}

impl PartialEq for Hidden {
    fn eq(&self, other: &Self) -> bool {
        self.expose().ct_eq(other.expose()).into()
    }
}

impl Eq for Hidden {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_no_byte() {
        assert_eq!(format!("{:?}", Hidden::from("canary")), "Hidden(..)");
    }
}
