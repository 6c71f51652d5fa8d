//! What a keyring says about one key.

use serde::Serialize;

use super::Digest;
use super::Error;
use super::KeyId;
use super::Manifest;
use super::material_proof;

/// The state of a key that the keyring knows. As JSON: the members, with `state` in front.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", tag = "state")]
pub enum State {
    /// Retired: its material is gone.
    Absent(Absent),
    /// New content is encrypted with it.
    Active(Present),
    /// It decrypts what was encrypted earlier.
    Inactive(Present),
}

/// A key that is held.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Present {
    /// Its id.
    pub key_id: KeyId,
    /// The digest of the catalogue as it is now.
    pub catalog_digest: Digest,
    /// The proof of its material.
    pub material_proof: Digest,
}

/// A key that retired.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Absent {
    /// Its id.
    pub key_id: KeyId,
    /// The digest of the first catalogue without it, recorded when it retired.
    pub catalog_digest: Digest,
    /// The proof that it is gone.
    pub absence_proof: Digest,
}

impl Manifest {
    /// The state of one key, or [`Error::UnknownKey`].
    pub fn state(&self, key: &KeyId) -> Result<State, Error> {
        if let Some(material) = self.keys.get(key) {
            let present = Present {
                key_id: key.clone(),
                catalog_digest: self.catalog_digest(),
                material_proof: material_proof(key, material),
            };
            return Ok(if *key == self.active { State::Active(present) } else { State::Inactive(present) });
        }
        let record = self.retirements.get(key).ok_or(Error::UnknownKey)?;
        Ok(State::Absent(record.absent()))
    }
}
