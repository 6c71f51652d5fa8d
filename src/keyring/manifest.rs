//! The keyring itself: keys by id, the active one, and a record for each key that retired.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde::Serializer;

use crate::hidden::Hidden;

use super::Absent;
use super::Digest;
use super::Error;
use super::KeyId;
use super::Material;
use super::Preparation;
use super::canonical;

/// A keyring that keeps all its rules: 1 to 16 keys with the active one among them, at most 64 retired
/// ones, none of which is still held, a generation from 1 to 2^53 - 1 (ADR-0261).
///
/// Key bytes stand in [`Material`] only, so a clone is wiped as well. `Debug` shows ids and numbers.
#[derive(Clone, Eq, PartialEq)]
pub struct Manifest {
    pub(super) generation: u64,
    pub(super) active: KeyId,
    pub(super) keys: BTreeMap<KeyId, Material>,
    pub(super) retirements: BTreeMap<KeyId, Record>,
}

/// What is left of a retired key.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Record {
    pub(super) preparation: Preparation,
    pub(super) retired_catalog_digest: Digest,
    pub(super) absence_proof: Digest,
}

impl Record {
    pub(super) fn absent(&self) -> Absent {
        Absent {
            key_id: self.preparation.request().key_id.clone(),
            catalog_digest: self.retired_catalog_digest,
            absence_proof: self.absence_proof,
        }
    }
}

impl Manifest {
    /// A first generation that holds one fresh key.
    pub fn generate(active: KeyId) -> Result<Self, Error> {
        let keys = BTreeMap::from([(active.clone(), Material::generate()?)]);
        Ok(Self { generation: 1, active, keys, retirements: BTreeMap::new() })
    }

    /// The bytes of the file: the one form that [`Self::parse`] accepts.
    pub fn canonical(&self) -> Hidden {
        canonical::hidden(
            &File {
                schema: SCHEMA,
                generation: self.generation,
                active_key_id: &self.active,
                keys: Keys(&self.keys),
                retirements: Records(&self.retirements),
            },
            b"\n",
        )
    }

    /// Counts the changes, from 1.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The key that new content is encrypted with.
    pub fn active(&self) -> &KeyId {
        &self.active
    }

    /// The bytes of a key that is held.
    pub fn material(&self, key: &KeyId) -> Option<&Material> {
        self.keys.get(key)
    }
}

impl fmt::Debug for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Manifest")
            .field("generation", &self.generation)
            .field("active", &self.active)
            .field("keys", &self.keys.keys())
            .field("retirements", &self.retirements.keys())
            .finish()
    }
}

/// The file's members in their order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'a> {
    schema: &'static str,
    generation: u64,
    active_key_id: &'a KeyId,
    keys: Keys<'a>,
    retirements: Records<'a>,
}

struct Keys<'a>(&'a BTreeMap<KeyId, Material>);

impl Serialize for Keys<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(as_members(self.0).into_iter().map(|(id, material)| (id, Encoded(material))))
    }
}

struct Records<'a>(&'a BTreeMap<KeyId, Record>);

impl Serialize for Records<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(as_members(self.0))
    }
}

/// Key material as text. Private, so that nothing else serialises it.
struct Encoded<'a>(&'a Material);

impl Serialize for Encoded<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.encoded(|text| serializer.serialize_str(text))
    }
}

fn as_members<V>(map: &BTreeMap<KeyId, V>) -> Vec<(&KeyId, &V)> {
    let mut members: Vec<_> = map.iter().collect();
    members.sort_by(|left, right| left.0.cmp_members(right.0));
    members
}

pub(super) const SCHEMA: &str = "qinglong/plugin-package-prompt-output-file-keyring@v1";
/// Bytes of a keyring file: 256 KiB.
pub const MAX_BYTES: usize = 262_144;
pub(super) const MAX_KEYS: usize = 16;
pub(super) const MAX_RECORDS: usize = 64;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn canonical_bytes_are_read_back_as_the_same_keyring(
            ids in prop::collection::btree_set("[A-Za-z0-9][A-Za-z0-9._-]{0,9}|[0-9]{1,3}", 1..=16),
            generation in 1..=crate::keyring::members::MAX_INTEGER,
        ) {
            let mut manifest = Manifest::generate(KeyId::parse(ids.first().unwrap()).unwrap()).unwrap();
            manifest.generation = generation;
            for id in ids {
                manifest.keys.insert(KeyId::parse(&id).unwrap(), Material::generate().unwrap());
            }
            let bytes = manifest.canonical();
            let read = Manifest::parse(bytes.expose()).unwrap();
            prop_assert_eq!(&read, &manifest);
            prop_assert_eq!(read.canonical(), bytes);
        }
    }

    #[test]
    fn debug_shows_no_key_byte() {
        let manifest = Manifest::generate(KeyId::parse("k").unwrap()).unwrap();
        let text = manifest.keys.values().next().unwrap().encoded(str::to_owned);
        assert_eq!(
            format!("{manifest:?}"),
            "Manifest { generation: 1, active: k, keys: [k], retirements: [] }"
        );
        for shown in [format!("{:?}", manifest.canonical()), format!("{:?}", manifest.clone())] {
            assert!(!shown.contains(&text), "{shown}");
        }
    }
}
