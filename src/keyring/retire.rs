//! The transformation: a keyring and a preparation become the keyring without the key.

use super::Absent;
use super::Error;
use super::Manifest;
use super::Preparation;
use super::absence_proof;
use super::manifest::MAX_RECORDS;
use super::manifest::Record;
use super::material_proof;
use super::members::MAX_INTEGER;

/// How a keyring answers a preparation.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Retirement {
    /// The key leaves with this successor; it must be written.
    Changed {
        /// The keyring without the key, one generation on.
        manifest: Manifest,
        /// The state of the key in it.
        absent: Absent,
    },
    /// The key left earlier, under this very preparation; there is nothing to write.
    Unchanged(Absent),
}

impl Manifest {
    /// Retires the prepared key, or finds it retired by the same preparation, its time included.
    ///
    /// Everything is checked before anything is made: the key is held and not active, catalogue and material
    /// are the prepared ones, a record and a generation are left. The other keys stay as they are.
    pub fn retire(&self, preparation: &Preparation) -> Result<Retirement, Error> {
        let key = &preparation.request().key_id;
        if let Some(record) = self.retirements.get(key) {
            let same = record.preparation == *preparation;
            return if same {
                Ok(Retirement::Unchanged(record.absent()))
            } else {
                Err(Error::AnotherRetirement)
            };
        }
        self.check(preparation)?;

        let mut manifest = Self { generation: self.generation + 1, ..self.clone() };
        manifest.keys.remove(key);
        let retired_catalog_digest = manifest.catalog_digest();
        let record = Record {
            preparation: preparation.clone(),
            retired_catalog_digest,
            absence_proof: absence_proof(preparation, retired_catalog_digest),
        };
        let absent = record.absent();
        manifest.retirements.insert(key.clone(), record);
        Ok(Retirement::Changed { manifest, absent })
    }

    fn check(&self, preparation: &Preparation) -> Result<(), Error> {
        let key = &preparation.request().key_id;
        let material = self.keys.get(key).ok_or(Error::KeyNotHeld)?;
        if *key == self.active {
            return Err(Error::ActiveKey);
        }
        if self.catalog_digest() != preparation.catalog_digest() {
            return Err(Error::CatalogChanged);
        }
        if material_proof(key, material) != preparation.material_proof() {
            return Err(Error::MaterialChanged);
        }
        if self.retirements.len() >= MAX_RECORDS {
            return Err(Error::RecordsFull);
        }
        if self.generation >= MAX_INTEGER {
            return Err(Error::GenerationExhausted);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::keyring::Identity;
    use crate::keyring::KeyId;
    use crate::keyring::Kind;
    use crate::keyring::Material;
    use crate::keyring::Request;
    use crate::keyring::State;

    fn keyring(ids: &[&str], generation: u64) -> Manifest {
        let ids: Vec<_> = ids.iter().map(|id| KeyId::parse(id).unwrap()).collect();
        let mut manifest = Manifest::generate(ids[0].clone()).unwrap();
        manifest.generation = generation;
        for id in &ids[1..] {
            manifest.keys.insert(id.clone(), Material::generate().unwrap());
        }
        manifest
    }

    fn prepare(manifest: &Manifest, key: &str, time: u64) -> Preparation {
        let id = |text| Identity::parse(text).unwrap();
        let request = Request {
            key_id: KeyId::parse(key).unwrap(),
            retirement_id: id("retirement"),
            request_id: id("request"),
            mutation_id: id("mutation"),
        };
        let (State::Active(present) | State::Inactive(present)) = manifest.state(&request.key_id).unwrap()
        else {
            panic!("{key} is not held");
        };
        Preparation::new(&request, present.catalog_digest, present.material_proof, time).unwrap()
    }

    #[test]
    fn the_last_generation_is_refused_before_anything_is_made() {
        let manifest = keyring(&["active", "old"], MAX_INTEGER);
        let error = manifest.retire(&prepare(&manifest, "old", 1)).unwrap_err();
        assert_eq!((error.kind(), error), (Kind::Unavailable, Error::GenerationExhausted));
        let manifest = keyring(&["active", "old"], MAX_INTEGER - 1);
        let retirement = manifest.retire(&prepare(&manifest, "old", 1)).unwrap();
        let Retirement::Changed { manifest: last, .. } = retirement else { panic!("{retirement:?}") };
        assert_eq!(Manifest::parse(last.canonical().expose()).unwrap(), last);
        // What retired into the last generation is still found there.
        assert!(matches!(last.retire(&prepare(&manifest, "old", 1)), Ok(Retirement::Unchanged(_))));
    }

    #[test]
    fn a_preparation_of_other_material_under_the_same_catalogue_conflicts() {
        let manifest = keyring(&["active", "old"], 1);
        let good = prepare(&manifest, "old", 1);
        let forged =
            Preparation::new(good.request(), good.catalog_digest(), good.catalog_digest(), 1).unwrap();
        assert_eq!(manifest.retire(&forged).unwrap_err(), Error::MaterialChanged);
    }

    #[test]
    fn the_same_order_at_another_time_conflicts() {
        let before = keyring(&["active", "old"], 1);
        let Ok(Retirement::Changed { manifest, .. }) = before.retire(&prepare(&before, "old", 1)) else {
            panic!("not retired");
        };
        assert_eq!(manifest.retire(&prepare(&before, "old", 2)).unwrap_err(), Error::AnotherRetirement);
    }

    proptest! {
        #[test]
        fn an_inactive_key_leaves_alone_and_once(
            ids in prop::collection::hash_set("[A-Za-z0-9][A-Za-z0-9._-]{0,6}", 2..=16),
            chosen: prop::sample::Index,
        ) {
            let ids: Vec<_> = ids.iter().map(String::as_str).collect();
            let before = keyring(&ids, 7);
            let key = ids[1..][chosen.index(ids.len() - 1)];
            let preparation = prepare(&before, key, 1000);
            let Ok(Retirement::Changed { manifest: after, absent }) = before.retire(&preparation) else {
                panic!("not retired");
            };
            let mut kept = before.keys.clone();
            kept.remove(&absent.key_id);
            prop_assert_eq!((&after.keys, &after.active, after.generation), (&kept, &before.active, 8));
            prop_assert_eq!(after.state(&absent.key_id), Ok(State::Absent(absent.clone())));
            prop_assert_eq!(after.retire(&preparation), Ok(Retirement::Unchanged(absent)));
            prop_assert_eq!(Manifest::parse(after.canonical().expose()).unwrap(), after);
        }
    }
}
