//! The bytes of a key: they do not print, are compared in constant time and are wiped wherever they stood.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use subtle::Choice;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::Digest;
use super::Error;
use super::KeyId;
use super::random;

/// 32 bytes of key material.
///
/// They stand on the heap, so that moving a value moves a pointer and leaves no bytes behind.
#[derive(Clone)]
pub struct Material(Box<Zeroizing<[u8; LENGTH]>>);

impl Material {
    /// Fresh bytes from the operating system.
    pub fn generate() -> Result<Self, Error> {
        Self::filled(|bytes| random::fill(bytes))
    }

    /// Copies exactly 32 bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let bytes: &[u8; LENGTH] = bytes.try_into().map_err(|_length| Error::Material)?;
        Self::filled(|own| {
            own.copy_from_slice(bytes);
            Ok(())
        })
    }

    /// Decodes 43 characters of unpadded base64url (RFC 4648, section 5) that would be encoded the same.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if text.len() != ENCODED_LENGTH {
            return Err(Error::Material);
        }
        // The engine refuses padding, other alphabets and trailing bits that are not zero.
        Self::filled(|bytes| match URL_SAFE_NO_PAD.decode_slice(text, bytes) {
            Ok(LENGTH) => Ok(()),
            Ok(_) | Err(_) => Err(Error::Material),
        })
    }

    /// The bytes, for the one call that needs them.
    pub fn expose(&self) -> &[u8; LENGTH] {
        &self.0
    }

    /// Hands the 43 characters to `take` and wipes them.
    pub(super) fn encoded<T>(&self, take: impl FnOnce(&str) -> T) -> T {
        let mut text = Zeroizing::new([0; ENCODED_LENGTH]);
        let written = URL_SAFE_NO_PAD.encode_slice(self.expose(), text.as_mut_slice());
        debug_assert_eq!(written.ok(), Some(ENCODED_LENGTH), "32 bytes are 43 characters");
        take(std::str::from_utf8(text.as_slice()).unwrap_or_default())
    }

    fn filled(fill: impl FnOnce(&mut [u8; LENGTH]) -> Result<(), Error>) -> Result<Self, Error> {
        let mut bytes = Box::new(Zeroizing::new([0; LENGTH]));
        fill(&mut bytes)?;
        Ok(Self(bytes))
    }
}

impl ConstantTimeEq for Material {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.expose().ct_eq(other.expose())
    }
}

impl PartialEq for Material {
    fn eq(&self, other: &Self) -> bool {
        self.ct_eq(other).into()
    }
}

impl Eq for Material {}

impl fmt::Debug for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Material(..)")
    }
}

/// What the world may know of a key: a digest over its id and its bytes.
pub fn material_proof(key: &KeyId, material: &Material) -> Digest {
    Digest::of(PROOF_DOMAIN, &[key.as_str().as_bytes(), &[0], material.expose()])
}

const LENGTH: usize = 32;
const ENCODED_LENGTH: usize = 43;
const PROOF_DOMAIN: &str = "qinglong/plugin-package-prompt-output-key-material-proof@v1";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Compiles only for what wipes itself; a box of it does when it is dropped.
    fn wiped<T: zeroize::ZeroizeOnDrop>(_: &T) {}

    #[test]
    fn bytes_do_not_print_and_are_wiped_by_their_type() {
        let material = Material::from_bytes(&[0x41; 32]).unwrap();
        wiped(&*material.0);
        assert_eq!(format!("{material:?}"), "Material(..)");
    }

    #[test]
    fn two_generated_keys_differ() {
        assert_ne!(Material::generate().unwrap(), Material::generate().unwrap());
    }

    proptest! {
        #[test]
        fn what_decodes_encodes_to_itself(bytes: [u8; 32], last in "[A-Za-z0-9_-]") {
            let material = Material::from_bytes(&bytes).unwrap();
            let text = material.encoded(str::to_owned);
            prop_assert_eq!(Material::parse(&text).unwrap(), material);
            let other: String = text.chars().take(42).chain(last.chars()).collect();
            if let Ok(parsed) = Material::parse(&other) {
                prop_assert_eq!(parsed.encoded(str::to_owned), other);
            }
        }
    }
}
