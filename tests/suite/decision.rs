//! What is decided in every scene that two stores can show; that a plan's exit is the run's; and that a run keeps its
//! promises.
//!
//! The stores are a model here: the decision is the product's, the writes are the few lines below. The same
//! agreement is checked against the real stores in `retirement/run.rs`.

use proptest::prelude::*;
use proptest::sample::select;
use ql3_ops::exit::Exit;
use ql3_ops::keyring::Absent;
use ql3_ops::keyring::Completion;
use ql3_ops::keyring::KeyId;
use ql3_ops::keyring::Manifest;
use ql3_ops::keyring::Preparation;
use ql3_ops::keyring::Request;
use ql3_ops::keyring::Retirement;
use ql3_ops::keyring::State;
use ql3_ops::ledger::Record;
use ql3_ops::retire::Plan;
use ql3_ops::retire::decide;
use ql3_ops::retire::decide::Refusal;
use ql3_ops::retire::decide::Scene;
use ql3_ops::retire::decide::Step;
use ql3_ops::retire::decide::View;

/// What both stores hold.
#[derive(Clone)]
struct World {
    manifest: Manifest,
    record: Option<Record>,
    live: u64,
}

/// What the Secret shows.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Secret {
    Absent,
    AbsentByAnother,
    Active,
    Inactive,
    Unknown,
}

const SECRETS: [Secret; 5] =
    [Secret::Absent, Secret::AbsentByAnother, Secret::Active, Secret::Inactive, Secret::Unknown];

/// What the ledger holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Row {
    Another,
    Completed,
    CompletedForAnotherPreparation,
    CompletedWithAnotherCatalog,
    CompletedWithAnotherProof,
    None,
    OfAnotherCatalog,
    Prepared,
}

const ROWS: [Row; 8] = [
    Row::Another,
    Row::Completed,
    Row::CompletedForAnotherPreparation,
    Row::CompletedWithAnotherCatalog,
    Row::CompletedWithAnotherProof,
    Row::None,
    Row::OfAnotherCatalog,
    Row::Prepared,
];

/// What must be decided, written down once more and apart from the product.
fn expected(secret: Secret, row: Row) -> Result<&'static str, Refusal> {
    match (row, secret) {
        (Row::Another, _) => Err(Refusal::OtherCommand),
        (_, Secret::Unknown) => Err(Refusal::Unknown),
        (Row::None, Secret::Inactive) => Ok("prepare"),
        (Row::None | Row::Prepared | Row::OfAnotherCatalog, Secret::Active) => Err(Refusal::Active),
        (Row::None, Secret::Absent | Secret::AbsentByAnother) => Err(Refusal::RetiredElsewhere),
        (Row::Prepared, Secret::Inactive) => Ok("swap"),
        (Row::Prepared, Secret::Absent) => Ok("complete"),
        (Row::OfAnotherCatalog, Secret::Inactive) => Err(Refusal::CatalogChanged),
        (Row::Prepared | Row::OfAnotherCatalog, _) => Err(Refusal::ProofMismatch),
        (Row::Completed, Secret::Absent) => Ok("acknowledge"),
        (_, _) => Err(Refusal::CompletionDisputed),
    }
}

#[test]
fn every_scene_has_its_one_decision() {
    for secret in SECRETS {
        for row in ROWS {
            let world = world(secret, row, 0, 1);
            let decided = decide::decide(&request("mine"), &scene(&world, None)).map(|step| match step {
                Step::Acknowledge(_) => "acknowledge",
                Step::Complete(..) => "complete",
                Step::Prepare(_) => "prepare",
                Step::Swap(_) => "swap",
            });
            assert_eq!(decided, expected(secret, row), "{secret:?} {row:?}");
        }
    }
}

#[test]
fn a_swap_is_refused_where_ciphertexts_live_beside_a_preparation() {
    let world = world(Secret::Inactive, Row::Prepared, 3, 1);
    assert_eq!(decide::decide(&request("mine"), &scene(&world, Some(3))).err(), Some(Refusal::Live));
    let world = self::world(Secret::Absent, Row::Prepared, 3, 1);
    assert_eq!(decide::refusals(&request("mine"), &scene(&world, Some(3))), [Refusal::PastTheFence]);
}

fn manifest(generation: u64, active: &str, keys: &[&str]) -> Manifest {
    let entries: Vec<String> = keys
        .iter()
        .enumerate()
        .map(|(index, key)| format!("\"{key}\":\"{}\"", base64url(&[u8::try_from(index).unwrap(); 32])))
        .collect();
    let text = format!(
        "{{\"schema\":\"qinglong/plugin-package-prompt-output-file-keyring@v1\",\"generation\":{generation},\
         \"activeKeyId\":\"{active}\",\"keys\":{{{}}},\"retirements\":{{}}}}\n",
        entries.join(",")
    );
    Manifest::parse(text.as_bytes()).expect("a canonical keyring")
}

fn base64url(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

fn request(tag: &str) -> Request {
    Request::from_value(&serde_json::json!({
        "keyId": "key-a", "retirementId": format!("t-{tag}"), "requestId": format!("r-{tag}"), "mutationId": "m",
    }))
    .expect("identities")
}

fn prepare(request: &Request, manifest: &Manifest) -> Preparation {
    let key = KeyId::parse("key-a").unwrap();
    let (State::Active(present) | State::Inactive(present)) = manifest.state(&key).expect("the key is there")
    else {
        panic!("the key is gone");
    };
    Preparation::new(request, present.catalog_digest, present.material_proof, 7).expect("a preparation")
}

fn retire(manifest: &Manifest, preparation: &Preparation) -> (Manifest, Absent) {
    match manifest.retire(preparation).expect("an inactive key") {
        Retirement::Changed { manifest, absent } => (manifest, absent),
        Retirement::Unchanged(_) => panic!("retired already"),
    }
}

fn world(secret: Secret, row: Row, live: u64, generation: u64) -> World {
    let whole = manifest(generation, "key-b", &["key-a", "key-b"]);
    let mine = prepare(&request("mine"), &whole);
    let others = prepare(&request("other"), &whole);
    let (after_mine, absent) = retire(&whole, &mine);
    let (after_other, _) = retire(&whole, &others);
    let stale = prepare(&request("mine"), &manifest(generation + 1, "key-b", &["key-a", "key-b"]));
    let done = Completion::new(&mine, absent.catalog_digest, absent.absence_proof, 9).expect("a completion");
    let odd =
        |preparation, catalog, proof| Completion::new(preparation, catalog, proof, 9).expect("a completion");
    let for_another = odd(&others, absent.catalog_digest, absent.absence_proof);
    let other_catalog = odd(&mine, mine.catalog_digest(), absent.absence_proof);
    let other_proof = odd(&mine, absent.catalog_digest, mine.material_proof());
    let record = |preparation: &Preparation, completion: Option<&Completion>| {
        Some(Record { preparation: preparation.clone(), completion: completion.cloned() })
    };
    World {
        manifest: match secret {
            Secret::Absent => after_mine,
            Secret::AbsentByAnother => after_other,
            Secret::Active => manifest(generation, "key-a", &["key-a", "key-b"]),
            Secret::Inactive => whole,
            Secret::Unknown => manifest(generation, "key-b", &["key-b"]),
        },
        record: match row {
            Row::Another => record(&others, None),
            Row::Completed => record(&mine, Some(&done)),
            Row::CompletedForAnotherPreparation => record(&mine, Some(&for_another)),
            Row::CompletedWithAnotherCatalog => record(&mine, Some(&other_catalog)),
            Row::CompletedWithAnotherProof => record(&mine, Some(&other_proof)),
            Row::None => None,
            Row::OfAnotherCatalog => record(&stale, None),
            Row::Prepared => record(&mine, None),
        },
        live,
    }
}

fn scene(world: &World, live: Option<u64>) -> Scene {
    Scene { record: world.record.clone(), view: View::Read(world.manifest.clone()), live }
}

/// The run, with a model of the two stores: returns how it ends and how many writes it made.
fn run(world: &mut World, request: &Request) -> (Exit, u32) {
    for writes in 0..4 {
        let resuming = world.record.as_ref().is_some_and(|record| record.completion.is_none());
        let seen = scene(world, resuming.then_some(world.live));
        match decide::decide(request, &seen) {
            Err(refusal) => return (refusal.code().exit, writes),
            Ok(Step::Acknowledge(_)) => return (Exit::Done, writes),
            // What the transaction that inserts the row would find.
            Ok(Step::Prepare(_)) if world.live > 0 => return (Refusal::Live.code().exit, writes),
            Ok(Step::Complete(..)) if world.live > 0 => return (Refusal::PastTheFence.code().exit, writes),
            Ok(Step::Prepare(present)) => {
                let (catalog, proof) = (present.catalog_digest, present.material_proof);
                let preparation = Preparation::new(request, catalog, proof, 7).unwrap();
                world.record = Some(Record { preparation, completion: None });
            }
            Ok(Step::Swap(preparation)) => world.manifest = retire(&world.manifest, &preparation).0,
            Ok(Step::Complete(preparation, absent)) => {
                let completion =
                    Completion::new(&preparation, absent.catalog_digest, absent.absence_proof, 9);
                world.record = Some(Record { preparation, completion: Some(completion.unwrap()) });
            }
        }
    }
    panic!("the run does not settle");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn plan_and_run_agree(
        secret in select(SECRETS.to_vec()),
        row in select(ROWS.to_vec()),
        live in select(vec![0, 3]),
        generation in select(vec![1, 41]),
    ) {
        let mut world = world(secret, row, live, generation);
        let before = (world.manifest.catalog_digest(), world.manifest.generation());
        let request = request("mine");
        let plan = Plan::new(&request, &scene(&world, Some(live)), Vec::new());
        let (exit, writes) = run(&mut world, &request);
        prop_assert_eq!(plan.exit(), exit);
        if exit == Exit::Done {
            prop_assert!(matches!(world.manifest.state(&request.key_id), Ok(State::Absent(_))));
            let record = world.record.as_ref().expect("a record");
            prop_assert!(record.completion.is_some());
            prop_assert_eq!(record.preparation.request(), &request, "the receipts are this command's");
            prop_assert_eq!(run(&mut world, &request), (Exit::Done, 0), "a replay writes nothing");
        } else {
            prop_assert_eq!(writes, 0, "a refusal writes nothing");
            prop_assert_eq!(before, (world.manifest.catalog_digest(), world.manifest.generation()));
        }
        let active = world.manifest.active().clone();
        prop_assert!(matches!(world.manifest.state(&active), Ok(State::Active(_))), "the active key stays");
    }
}

#[test]
fn a_keyring_without_another_generation_is_refused_before_anything_is_written() {
    let mut world =
        World { manifest: manifest((1 << 53) - 1, "key-b", &["key-a", "key-b"]), record: None, live: 0 };
    let request = request("mine");
    assert_eq!(decide::decide(&request, &scene(&world, None)).err(), Some(Refusal::NoRoom));
    assert_eq!(run(&mut world, &request), (Exit::Data, 0));
}
