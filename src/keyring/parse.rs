//! Reading a keyring file: straight from its bytes, borrowing every text, so that no key is copied.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::Deserializer;
use serde::de;
use subtle::ConstantTimeEq;

use crate::json;

use super::Digest;
use super::Error;
use super::KeyId;
use super::Manifest;
use super::Material;
use super::absence_proof;
use super::manifest::MAX_BYTES;
use super::manifest::MAX_KEYS;
use super::manifest::MAX_RECORDS;
use super::manifest::Record;
use super::manifest::SCHEMA;
use super::members::MAX_INTEGER;
use super::preparation;

impl Manifest {
    /// Reads 1 to 262144 bytes that keep every rule of a keyring and are its canonical form.
    ///
    /// That last comparison is what refuses other whitespace, another order of members, `2.0` or `2e0` for 2,
    /// needless escapes and doubled members.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.is_empty() || bytes.len() > MAX_BYTES {
            return Err(Error::Size);
        }
        // Nothing in a keyring needs an escape. Looking first keeps the parser from unescaping a key into a
        // buffer that nobody wipes.
        if bytes.contains(&b'\\') {
            return Err(Error::NotCanonical);
        }
        let manifest = json::from_slice::<Wire<'_>>(bytes).map_err(Error::NotJson)?.read()?;
        if bool::from(manifest.canonical().expose().ct_eq(bytes)) {
            Ok(manifest)
        } else {
            Err(Error::NotCanonical)
        }
    }
}

/// The file as it comes in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Wire<'a> {
    schema: &'a str,
    generation: u64,
    active_key_id: &'a str,
    #[serde(borrow)]
    keys: Members<'a, &'a str>,
    #[serde(borrow)]
    retirements: Members<'a, WireRecord<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct WireRecord<'a> {
    #[serde(borrow)]
    preparation: preparation::Wire<'a>,
    retired_catalog_digest: &'a str,
    absence_proof: &'a str,
}

impl Wire<'_> {
    fn read(&self) -> Result<Manifest, Error> {
        if self.schema != SCHEMA {
            return Err(inside(Error::Schema("keyring")));
        }
        if self.generation == 0 || self.generation > MAX_INTEGER {
            return Err(Error::Generation);
        }
        let active = KeyId::parse(self.active_key_id).map_err(inside)?;
        let keys = self.read_keys()?;
        if !keys.contains_key(&active) {
            return Err(Error::ActiveKeyMissing);
        }
        let retirements = self.read_records()?;
        if retirements.keys().any(|id| keys.contains_key(id)) {
            return Err(Error::Overlap);
        }
        Ok(Manifest { generation: self.generation, active, keys, retirements })
    }

    fn read_keys(&self) -> Result<BTreeMap<KeyId, Material>, Error> {
        if self.keys.0.is_empty() || self.keys.0.len() > MAX_KEYS {
            return Err(Error::KeyCount);
        }
        let read =
            |(id, text): &(&str, &str)| Ok((KeyId::parse(id).map_err(inside)?, Material::parse(text)?));
        self.keys.0.iter().map(read).collect()
    }

    fn read_records(&self) -> Result<BTreeMap<KeyId, Record>, Error> {
        if self.retirements.0.len() > MAX_RECORDS {
            return Err(Error::RecordCount);
        }
        let read = |(id, wire): &(&str, WireRecord<'_>)| {
            let id = KeyId::parse(id).map_err(inside)?;
            let record = wire.read()?;
            if record.preparation.request().key_id == id { Ok((id, record)) } else { Err(Error::RecordKey) }
        };
        self.retirements.0.iter().map(read).collect()
    }
}

impl WireRecord<'_> {
    fn read(&self) -> Result<Record, Error> {
        let preparation = self.preparation.read().map_err(inside)?;
        let named = |name, text| Digest::named(name, text).map_err(inside);
        let record = Record {
            retired_catalog_digest: named("retiredCatalogDigest", self.retired_catalog_digest)?,
            absence_proof: named("absenceProof", self.absence_proof)?,
            preparation,
        };
        let proof = absence_proof(&record.preparation, record.retired_catalog_digest);
        if proof == record.absence_proof { Ok(record) } else { Err(Error::Forged) }
    }
}

fn inside(error: Error) -> Error {
    Error::Inside(Box::new(error))
}

/// The members of an object whose names are not known beforehand, as they stand in the text.
///
/// Doubled names fall together in the map that is made of them, and then the canonical form differs.
struct Members<'a, T>(Vec<(&'a str, T)>);

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for Members<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Visitor(PhantomData)).map(Self)
    }
}

struct Visitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> de::Visitor<'de> for Visitor<T> {
    type Value = Vec<(&'de str, T)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_array_of_the_members_is_no_keyring() {
        let text = format!(r#"["{SCHEMA}",1,"k",{{"k":"{}"}},{{}}]"#, "A".repeat(43));
        assert_eq!(Manifest::parse(text.as_bytes()), Err(Error::NotCanonical));
    }

    #[test]
    fn an_escape_is_refused_before_anything_is_unescaped() {
        let manifest = Manifest::generate(KeyId::parse("key").unwrap()).unwrap();
        let text = manifest.canonical().expose_str().unwrap().replacen("\"key\"", "\"\\u006bey\"", 1);
        assert_eq!(Manifest::parse(text.as_bytes()), Err(Error::NotCanonical));
    }

    proptest! {
        #[test]
        fn no_single_changed_byte_goes_unnoticed(at: prop::sample::Index, to: u8) {
            let manifest = Manifest::generate(KeyId::parse("key").unwrap()).unwrap();
            let mut bytes = manifest.canonical().expose().to_vec();
            let at = at.index(bytes.len());
            let same = bytes[at] == to;
            bytes[at] = to;
            match Manifest::parse(&bytes) {
                // A key, a generation or both ids of a key may change: then it is another keyring.
                Ok(read) => prop_assert_eq!(read == manifest, same),
                Err(_) => prop_assert!(!same),
            }
        }
    }
}
