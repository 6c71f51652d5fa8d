//! A SHA-256 digest, and how every digest of the keyring is made: a domain, a NUL byte, then the content.

use std::fmt;

use serde::Serialize;
use serde::Serializer;
use sha2::Digest as _;
use sha2::Sha256;

use super::Error;
use super::canonical;

/// A digest or proof, always written as 64 lowercase hexadecimal digits without a prefix.
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Reads the 64 digits.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::named("digest", text)
    }

    /// As [`Self::parse`], with the member's name in the error.
    pub(super) fn named(name: &'static str, text: &str) -> Result<Self, Error> {
        from_hex(text).map(Self).ok_or(Error::Member(name))
    }

    /// Hashes `domain`, one NUL byte and the parts, one after the other.
    pub(super) fn of(domain: &str, parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        hash.update(domain);
        hash.update([0]);
        for part in parts {
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// Hashes `domain`, one NUL byte and the compact JSON of a value.
    pub(super) fn of_json(domain: &str, value: &impl Serialize) -> Self {
        Self::of(domain, &[canonical::text(value).as_bytes()])
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

fn from_hex(text: &str) -> Option<[u8; 32]> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let mut bytes = [0; 32];
    if pairs.len() != bytes.len() {
        return None;
    }
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = (nibble(*high)? << 4) | nibble(*low)?;
    }
    Some(bytes)
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sixty_four_lowercase_digits_are_a_digest() {
        let good = "0123456789abcdef".repeat(4);
        assert_eq!(Digest::parse(&good).unwrap().to_string(), good);
        let near = [
            String::new(),
            good.to_uppercase(),
            format!("{good}\n"),
            format!("sha256:{good}"),
            good.replacen('0', "", 1),
            good.replace('0', "g"),
        ];
        for text in near {
            assert_eq!(Digest::parse(&text), Err(Error::Member("digest")), "{text}");
        }
    }
}
