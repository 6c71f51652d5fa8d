//! The name of a key, and the two orders that such names stand in.

use std::cmp::Ordering;
use std::fmt;

use serde::Serialize;

use super::Error;
use super::random;

/// 1 to 128 characters: a letter or digit, then letters, digits and `._-`.
///
/// Ordered as ICU's root collation orders this alphabet, which is what the reference's
/// locale comparison does and what the digest of the catalogue is made of.
#[derive(Clone, Eq, Hash, PartialEq, Serialize)]
#[serde(transparent)]
pub struct KeyId(String);

impl KeyId {
    /// Checks the whole text.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let fits = text.len() <= MAX_LENGTH
            && text.starts_with(|first: char| first.is_ascii_alphanumeric())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        if fits { Ok(Self(text.to_owned())) } else { Err(Error::Member("keyId")) }
    }

    /// A fresh id of the form that the reference generates: `qlpo-` and 96 random bits.
    pub fn generate() -> Result<Self, Error> {
        Self::parse(&format!("qlpo-{}", random::base64url::<12>()?))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The order of the bytes, which lists for people stand in.
    pub fn cmp_bytes(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }

    /// The order of members in a keyring file: ECMAScript puts names that look like an array index first,
    /// by their number, and leaves the others as they were sorted.
    pub(super) fn cmp_members(&self, other: &Self) -> Ordering {
        self.array_index().cmp(&other.array_index()).then_with(|| self.cmp(other))
    }

    /// The number, where this is the decimal form of 0 to 2^32 - 2; otherwise one above all of them.
    fn array_index(&self) -> u32 {
        let plain = self.0 == "0" || !self.0.starts_with('0');
        // Parsing alone would also take "+1", which no key id can be.
        if plain { self.0.parse().unwrap_or(u32::MAX) } else { u32::MAX }
    }
}

impl Ord for KeyId {
    fn cmp(&self, other: &Self) -> Ordering {
        let (left, right) = (self.0.bytes(), other.0.bytes());
        let letters = left.clone().map(weight).cmp(right.clone().map(weight));
        letters.then_with(|| left.map(is_upper).cmp(right.map(is_upper)))
    }
}

impl PartialOrd for KeyId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The primary weight of a character: `_`, `-`, `.`, digits, letters without their case.
fn weight(byte: u8) -> u8 {
    match byte {
        b'_' => 0,
        b'-' => 1,
        b'.' => 2,
        other => other.to_ascii_lowercase(),
    }
}

fn is_upper(byte: u8) -> bool {
    byte.is_ascii_uppercase()
}

const MAX_LENGTH: usize = 128;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id(text: &str) -> KeyId {
        KeyId::parse(text).unwrap()
    }

    #[test]
    fn members_that_look_like_an_array_index_come_first() {
        let mut ids = ["a", "10", "4294967295", "01", "4294967294", "0", "1.0", "9", "00"]
            .map(id)
            .into_iter()
            .collect::<Vec<_>>();
        ids.sort_by(KeyId::cmp_members);
        let sorted = ids.iter().map(KeyId::as_str).collect::<Vec<_>>();
        assert_eq!(sorted, ["0", "9", "10", "4294967294", "00", "01", "1.0", "4294967295", "a"]);
    }

    #[test]
    fn case_decides_only_between_the_same_letters() {
        for pair in [("a", "A"), ("A", "b"), ("aB", "Ab"), ("key", "KEY"), ("KEY", "key_"), ("key10", "key2")]
        {
            assert!(id(pair.0) < id(pair.1), "{pair:?}");
        }
    }

    /// The rule in words, written without weights: the first character that differs other than by case
    /// decides, then the length, then the first difference of case with lowercase in front.
    fn in_words(left: &str, right: &str) -> Ordering {
        const ALPHABET: &str = "_-.0123456789abcdefghijklmnopqrstuvwxyz";
        let place = |c: char| ALPHABET.find(c.to_ascii_lowercase()).unwrap();
        for (l, r) in left.chars().zip(right.chars()) {
            if place(l) != place(r) {
                return place(l).cmp(&place(r));
            }
        }
        if left.len() != right.len() {
            return left.len().cmp(&right.len());
        }
        let differing = left.chars().zip(right.chars()).find(|(l, r)| l != r);
        differing.map_or(
            Ordering::Equal,
            |(l, _)| {
                if l.is_lowercase() { Ordering::Less } else { Ordering::Greater }
            },
        )
    }

    proptest! {
        #[test]
        fn the_order_is_total_and_the_collation_rule(
            a in "[A-Ca-c01][A-Ca-c01._-]{0,5}",
            b in "[A-Ca-c01][A-Ca-c01._-]{0,5}",
            c in "[A-Ca-c01][A-Ca-c01._-]{0,5}",
        ) {
            prop_assert_eq!(id(&a).cmp(&id(&b)), in_words(&a, &b));
            prop_assert_eq!(id(&a).cmp(&id(&b)), id(&b).cmp(&id(&a)).reverse());
            prop_assert_eq!(id(&a).cmp(&id(&b)) == Ordering::Equal, a == b);
            let mut ids = [id(&a), id(&b), id(&c)];
            ids.sort();
            prop_assert!(ids[0] <= ids[1] && ids[1] <= ids[2] && ids[0] <= ids[2]);
        }
    }
}
