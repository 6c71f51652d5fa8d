//! Control proofs that prove something else. No twin, and a canary that is dead by now: the proof alone would
//! turn its reset into a closed port.

use std::time::SystemTime;

use serde_json::Value;
use serde_json::json;

use super::BLIND;
use super::CONFIG;
use super::Row;
use crate::Result;
use crate::names::Answer;
use crate::net::Family;
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
        Row::v4("a proof that is stale", REFUSED, |scene| window(scene, -600_000, -300_000)),
        Row::v4("a proof from the future", REFUSED, |scene| window(scene, 3_600_000, 3_900_000)),
        Row::v4("a proof that ends before it begins", REFUSED, |scene| window(scene, 60_000, -60_000)),
        Row::v4("a proof that holds for a year", REFUSED, |scene| window(scene, -1000, 31_536_000_000)),
        Row::v4("a proof for another nonce", REFUSED, |scene| {
            proved(scene)?;
            scene.set(NONCE, "fedcba9876543210fedcba9876543210");
            Ok(())
        }),
        Row::v4("a proof for another command", REFUSED, |scene| {
            proved(scene)?;
            scene.set(COMMAND, "{\"keyId\":\"key-2024\"}\n");
            Ok(())
        }),
        Row::v4("a proof of another address", REFUSED, |scene| {
            with(scene, "canary", json!([format!("{}:{DENY}", Family::V4.server(21))]))
        }),
        Row::v4("a proof of another port", REFUSED, |scene| {
            with(scene, "canary", json!([format!("{}:{CONTROL}", Family::V4.canary())]))
        }),
        Row::v4("a proof of no address", REFUSED, |scene| with(scene, "canary", json!([]))),
        Row::v4("a proof of one address, the canary has two", REFUSED, |scene| {
            proved(scene)?;
            let both = [Family::V4.canary(), Family::V4.server(21)];
            scene.name_canary(Answer::Addresses(both.to_vec()))
        }),
        Row::v4("a proof that nobody connected", REFUSED, |scene| {
            with(scene, "outcome", json!("refused-by-reset"))
        }),
        Row::v4("a proof of another schema", REFUSED, |scene| {
            with(scene, "schema", json!("ql3-ops/barrier-control@v2"))
        }),
        Row::v4("a proof with a member too many", REFUSED, |scene| with(scene, "extra", json!(1))),
        Row::v4("a proof without an end", REFUSED, |scene| {
            edit(scene, |text| text.replace("notAfterMs", "notAfter"))
        }),
        Row::v4("a proof that names a member twice", REFUSED, |scene| {
            edit(scene, |text| text.replacen('{', "{\"outcome\":\"connected\",", 1))
        }),
        Row::v4("a proof that is cut off", REFUSED, |scene| {
            edit(scene, |text| text.chars().take(text.len() / 2).collect())
        }),
        Row::v4("a proof of more than 4 KiB", REFUSED, |scene| {
            edit(scene, |text| format!("{text}{}", " ".repeat(4097)))
        }),
        Row::v4("a proof with something behind it", REFUSED, |scene| {
            edit(scene, |text| format!("{text}{{}}"))
        }),
        Row::v4("a proof without the command", CONFIG, |scene| {
            proved(scene)?;
            scene.unset(COMMAND);
            Ok(())
        }),
        Row::v4("a proof without the nonce", CONFIG, |scene| {
            proved(scene)?;
            scene.unset(NONCE);
            Ok(())
        }),
        Row::v4("neither twin nor proof", CONFIG, |scene| {
            scene.kill_canaries();
            scene.unset(CONTROL_PORT);
            Ok(())
        }),
        Row::v4("a good proof, then the canary dies with its twin", BLIND, |scene| {
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

/// As wrong configuration, or as no ground at all.
const REFUSED: super::Expected = &["config", "blind"];
