//! Pure: what was seen, to the next step. The heart of the protocol of ADR-0262.

use crate::keyring;
use crate::keyring::Absent;
use crate::keyring::Completion;
use crate::keyring::Manifest;
use crate::keyring::Preparation;
use crate::keyring::Present;
use crate::keyring::Request;
use crate::keyring::State;
use crate::ledger::Record;

/// What the two stores hold about the key, as far as it was read.
#[derive(Debug)]
pub struct Scene {
    /// The ledger's rows for the key.
    pub record: Option<Record>,
    /// What the Secret says of the key.
    pub view: View,
    /// Live ciphertexts under the key, where they were counted.
    pub live: Option<u64>,
}

/// What the Secret says of the key.
#[derive(Debug)]
pub enum View {
    /// It was read.
    Read(Manifest),
    /// We swapped it and have the proof.
    Swapped(Absent),
}

/// The next thing to do.
#[derive(Debug)]
pub enum Step {
    /// Everything is there already: say so.
    Acknowledge(Completion),
    /// The key is out: record it.
    Complete(Preparation, Absent),
    /// Record what is meant, which fences new ciphertexts off.
    Prepare(Present),
    /// Take the key out of the Secret.
    Swap(Preparation),
}

/// Why nothing may be done. Each is one of the reference's three kinds, and says which.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// Rotate first: the active key encrypts.
    #[error("the key is the active one")]
    Active,
    /// Nothing is left to be ordered: the Secret says that the key went.
    #[error("the Secret says that the key is retired already")]
    AlreadyRetired,
    /// The keyring changed after the preparation, which pins it (ADR-0262). The key cannot be retired any more.
    #[error("the keyring is no longer the one that the recorded preparation was made for")]
    CatalogChanged,
    /// Ledger and Secret tell different stories.
    #[error("the ledger says that the key is retired, and the Secret does not agree")]
    CompletionDisputed,
    /// Ciphertexts under the key still exist; wait for their collection.
    #[error("live ciphertexts still need the key")]
    Live,
    /// The keyring cannot take another retirement: 64 records, or the last generation.
    #[error("the keyring has no room for the retirement")]
    NoRoom,
    /// The ledger holds this key's retirement under other identities.
    #[error("the ledger holds another command for the key")]
    OtherCommand,
    /// The key is out and ciphertexts under it live: somebody wrote past the fence, and nothing heals that.
    #[error("the key is out of the Secret, and live ciphertexts still need it")]
    PastTheFence,
    /// The Secret's retirement record is not the one that the ledger's preparation proves.
    #[error("the Secret's absence proof does not follow from the recorded preparation")]
    ProofMismatch,
    /// The Secret says retired and the ledger knows nothing of it.
    #[error("the Secret says that the key is retired, and the ledger holds no preparation")]
    RetiredElsewhere,
    /// The keyring never had the key.
    #[error("the keyring does not know the key")]
    Unknown,
}

/// The next step, or the first reason why there is none.
pub fn decide(request: &Request, scene: &Scene) -> Result<Step, Refusal> {
    match &scene.record {
        None => begin(request, scene),
        Some(record) if record.preparation.request() != request => Err(Refusal::OtherCommand),
        Some(Record { preparation, completion: Some(completion) }) => {
            acknowledge(preparation, completion, scene)
        }
        Some(Record { preparation, completion: None }) => resume(preparation, scene),
    }
}

/// Every reason that can be seen now: first the one that a run would end with, then those that would be met once it
/// is out of the way.
pub fn refusals(request: &Request, scene: &Scene) -> Vec<Refusal> {
    let decided = decide(request, scene);
    // A run meets ciphertexts only where it would write a row.
    let writes = !matches!(decided, Ok(Step::Acknowledge(_)) | Err(Refusal::PastTheFence));
    let live = (writes && scene.live.is_some_and(|count| count > 0)).then_some(Refusal::Live);
    let first = decided.err();
    let looks_behind = matches!(first, Some(Refusal::CatalogChanged | Refusal::OtherCommand));
    let behind = if looks_behind { of_the_secret(request, scene) } else { None };
    first.into_iter().chain(behind).chain(live).filter(distinct()).collect()
}

/// What the Secret alone has against a retirement of the key.
fn of_the_secret(request: &Request, scene: &Scene) -> Option<Refusal> {
    match state(&request.key_id, &scene.view) {
        Err(unknown) => Some(unknown),
        Ok(State::Absent(_)) => Some(Refusal::AlreadyRetired),
        Ok(State::Active(_)) => Some(Refusal::Active),
        Ok(State::Inactive(present)) => has_room(request, &present, &scene.view).err(),
    }
}

fn begin(request: &Request, scene: &Scene) -> Result<Step, Refusal> {
    match state(&request.key_id, &scene.view)? {
        State::Absent(_) => Err(Refusal::RetiredElsewhere),
        State::Active(_) => Err(Refusal::Active),
        State::Inactive(present) => {
            has_room(request, &present, &scene.view)?;
            Ok(Step::Prepare(present))
        }
    }
}

fn acknowledge(preparation: &Preparation, completion: &Completion, scene: &Scene) -> Result<Step, Refusal> {
    let State::Absent(absent) = state(&preparation.request().key_id, &scene.view)? else {
        return Err(Refusal::CompletionDisputed);
    };
    let agrees = completion.preparation_digest() == preparation.digest()
        && completion.retired_catalog_digest() == absent.catalog_digest
        && completion.absence_proof() == absent.absence_proof
        && proves(preparation, &absent);
    if agrees { Ok(Step::Acknowledge(completion.clone())) } else { Err(Refusal::CompletionDisputed) }
}

fn resume(preparation: &Preparation, scene: &Scene) -> Result<Step, Refusal> {
    match state(&preparation.request().key_id, &scene.view)? {
        State::Absent(absent) if proves(preparation, &absent) => {
            if scene.live.is_some_and(|count| count > 0) {
                return Err(Refusal::PastTheFence);
            }
            Ok(Step::Complete(preparation.clone(), absent))
        }
        State::Absent(_) => Err(Refusal::ProofMismatch),
        State::Active(_) => Err(Refusal::Active),
        State::Inactive(present) => {
            let pinned = present.catalog_digest == preparation.catalog_digest()
                && present.material_proof == preparation.material_proof();
            if !pinned {
                return Err(Refusal::CatalogChanged);
            }
            has_room(preparation.request(), &present, &scene.view)?;
            // The fence should have made this impossible; a swap cannot be undone, so look all the same.
            if scene.live.is_some_and(|count| count > 0) {
                return Err(Refusal::Live);
            }
            Ok(Step::Swap(preparation.clone()))
        }
    }
}

fn state(key: &keyring::KeyId, view: &View) -> Result<State, Refusal> {
    match view {
        View::Read(manifest) => manifest.state(key).map_err(|_unknown| Refusal::Unknown),
        View::Swapped(absent) => Ok(State::Absent(absent.clone())),
    }
}

/// Tries the transformation, so that nothing is written for a retirement that the keyring cannot take.
fn has_room(request: &Request, present: &Present, view: &View) -> Result<(), Refusal> {
    let View::Read(manifest) = view else { return Ok(()) };
    let retired = trial(request, present).and_then(|trial| manifest.retire(&trial));
    retired.map(drop).map_err(|_full| Refusal::NoRoom)
}

/// The preparation that a run would record, but for its time, which the catalogue digest does not cover.
pub(super) fn trial(request: &Request, present: &Present) -> Result<Preparation, keyring::Error> {
    Preparation::new(request, present.catalog_digest, present.material_proof, 0)
}

fn proves(preparation: &Preparation, absent: &Absent) -> bool {
    absent.key_id == preparation.request().key_id
        && keyring::absence_proof(preparation, absent.catalog_digest) == absent.absence_proof
}

fn distinct() -> impl FnMut(&Refusal) -> bool {
    let mut seen = Vec::new();
    move |refusal| {
        let new = !seen.contains(refusal);
        seen.push(*refusal);
        new
    }
}
