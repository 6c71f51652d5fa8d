//! Control proofs that prove something else. No twin, and a canary that is dead by now: the proof alone would
//! turn its reset into a closed port.

use std::time::SystemTime;

use serde_json::Value;
use serde_json::json;

use super::BLIND;
use super::DEAD;
use super::Row;
use crate::Result;
use crate::family::Family;
use crate::names::Answer;
use crate::rules::CONTROL;
use crate::rules::DENY;
use crate::scene::COMMAND;
use crate::scene::CONTROL_PORT;
use crate::scene::NONCE;
use crate::scene::PROOF;
use crate::scene::Scene;
use crate::serve::Manner;

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::v4("a proof that is stale", WINDOW, |scene| window(scene, -600_000, -300_000)),
        Row::v4("a proof from the future", WINDOW, |scene| window(scene, 3_600_000, 3_900_000)),
        Row::v4("a proof that ends before it begins", MALFORMED, |scene| window(scene, 60_000, -60_000)),
        Row::v4("a proof that holds for a year", MALFORMED, |scene| window(scene, -1000, 31_536_000_000)),
        Row::v4("a proof for another nonce", &["blind PROOF_OTHER_OPERATION"], |scene| {
            proved(scene)?;
            scene.set(NONCE, "fedcba9876543210fedcba9876543210");
            Ok(())
        }),
        Row::v4("a proof for another command", &["blind PROOF_OTHER_COMMAND"], |scene| {
            proved(scene)?;
            scene.set(COMMAND, "{\"keyId\":\"key-2024\"}\n");
            Ok(())
        }),
        Row::v4("a proof of another address", ADDRESS, |scene| {
            with(scene, "canary", json!([format!("{}:{DENY}", Family::V4.server(21))]))
        }),
        Row::v4("a proof of another port", ADDRESS, |scene| {
            with(scene, "canary", json!([format!("{}:{CONTROL}", Family::V4.canary())]))
        }),
        Row::v4("a proof of no address", MALFORMED, |scene| with(scene, "canary", json!([]))),
        Row::v4("a proof of one address, the canary has two", ADDRESS, |scene| {
            proved(scene)?;
            let both = [Family::V4.canary(), Family::V4.server(21)];
            scene.name_canary(Answer::Addresses(both.to_vec()))
        }),
        Row::v4("a proof that nobody connected", MALFORMED, |scene| {
            with(scene, "outcome", json!("refused-by-reset"))
        }),
        Row::v4("a proof of another schema", MALFORMED, |scene| {
            with(scene, "schema", json!("ql3-ops/barrier-control@v2"))
        }),
        Row::v4("a proof with a member too many", MALFORMED, |scene| with(scene, "extra", json!(1))),
        Row::v4("a proof without an end", MALFORMED, |scene| {
            edit(scene, |text| text.replace("notAfterMs", "notAfter"))
        }),
        Row::v4("a proof that names a member twice", MALFORMED, |scene| {
            edit(scene, |text| text.replacen('{', "{\"outcome\":\"connected\",", 1))
        }),
        Row::v4("a proof that is cut off", MALFORMED, |scene| {
            edit(scene, |text| text.chars().take(text.len() / 2).collect())
        }),
        Row::v4("a proof of more than 4 KiB", MALFORMED, |scene| {
            edit(scene, |text| format!("{text}{}", " ".repeat(4097)))
        }),
        Row::v4("a proof with something behind it", MALFORMED, |scene| {
            edit(scene, |text| format!("{text}{{}}"))
        }),
        Row::v4("a proof without the command", &["config PROOF_UNBOUND"], |scene| {
            proved(scene)?;
            scene.unset(COMMAND);
            Ok(())
        }),
        Row::v4("a proof without the nonce", &["config PROOF_UNBOUND"], |scene| {
            proved(scene)?;
            scene.unset(NONCE);
            Ok(())
        }),
        Row::v4("neither twin nor proof", &["config GROUNDLESS"], |scene| {
            scene.kill_canaries();
            scene.unset(CONTROL_PORT);
            Ok(())
        }),
        Row::v4("a good proof, then the canary dies with its twin", DEAD, |scene| {
            scene.prove()?;
            scene.kill_canaries();
            Ok(())
        }),
        Row::v4("a good proof, then another program takes the twin's port", BLIND, |scene| {
            scene.prove()?;
            scene.kill_canaries();
            scene.serve(scene.family.canary(), CONTROL, Manner::Accept)
        }),
    ]
}

/// A proof that was good; then the canary dies. The twin is not used.
fn proved(scene: &mut Scene) -> Result<String> {
    scene.unset(CONTROL_PORT);
    let proof = scene.prove()?;
    scene.kill_canaries();
    Ok(proof)
}

fn edit(scene: &mut Scene, change: impl FnOnce(String) -> String) -> Result<()> {
    let proof = proved(scene)?;
    scene.set(PROOF, change(proof));
    Ok(())
}

fn with(scene: &mut Scene, member: &str, value: Value) -> Result<()> {
    let mut proof: Value = serde_json::from_str(&proved(scene)?)?;
    proof.as_object_mut().ok_or("no object")?.insert(member.to_owned(), value);
    scene.set(PROOF, proof);
    Ok(())
}

/// Milliseconds from now.
fn window(scene: &mut Scene, begin: i64, end: i64) -> Result<()> {
    let now = i64::try_from(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_millis())?;
    let mut proof: Value = serde_json::from_str(&proved(scene)?)?;
    let object = proof.as_object_mut().ok_or("no object")?;
    object.insert("notBeforeMs".to_owned(), json!(now + begin));
    object.insert("notAfterMs".to_owned(), json!(now + end));
    scene.set(PROOF, proof);
    Ok(())
}

const ADDRESS: super::Expected = &["blind PROOF_OTHER_ADDRESS"];
const MALFORMED: super::Expected = &["config PROOF_MALFORMED"];
const WINDOW: super::Expected = &["blind PROOF_OUTSIDE_WINDOW"];
