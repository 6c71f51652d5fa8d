//! A keyring without key material, for people and logs.

use serde::Serialize;

use super::Digest;
use super::KeyId;
use super::Manifest;

/// What may be shown of a keyring. Both lists stand in byte order.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Always 1.
    pub schema_version: u32,
    /// Counts the changes, from 1.
    pub generation: u64,
    /// The key that new content is encrypted with.
    pub active_key_id: KeyId,
    /// The keys that are held.
    pub key_ids: Vec<KeyId>,
    /// The keys that retired.
    pub retired_key_ids: Vec<KeyId>,
    /// The digest of the catalogue as it is now.
    pub catalog_digest: Digest,
}

impl Manifest {
    /// Describes the keyring.
    pub fn summary(&self) -> Summary {
        Summary {
            schema_version: 1,
            generation: self.generation,
            active_key_id: self.active.clone(),
            key_ids: in_byte_order(self.keys.keys()),
            retired_key_ids: in_byte_order(self.retirements.keys()),
            catalog_digest: self.catalog_digest(),
        }
    }
}

fn in_byte_order<'a>(ids: impl Iterator<Item = &'a KeyId>) -> Vec<KeyId> {
    let mut ids: Vec<_> = ids.cloned().collect();
    ids.sort_by(KeyId::cmp_bytes);
    ids
}
