//! What sealing and opening promise, beyond the golden cases.

use proptest::prelude::*;
use serde_json::Value;
use serde_json::json;

use super::Artifact;
use super::Draft;
use super::Error;
use crate::keyring::Material;

fn draft() -> Value {
    json!({
        "projectId": "project",
        "runId": "run",
        "stepRunId": "step",
        "invocationId": "invocation",
        "requestedBy": { "type": "user", "id": "somebody" },
        "result": {
            "provider": "provider",
            "model": "model",
            "text": "a canary that sings",
            "finishReason": "stop",
            "usage": { "inputTokens": 1, "outputTokens": 2, "totalTokens": 3 },
        },
        "retentionPolicy": { "revision": "r1", "retentionMs": 3_600_000 },
        "keyId": "key",
        "sealedAtMs": 1,
    })
}

fn with(pointer: &str, value: Value) -> Value {
    let mut draft = draft();
    *draft.pointer_mut(pointer).unwrap() = value;
    draft
}

#[test]
fn neither_key_nor_text_prints() {
    let draft = Draft::from_value(&draft()).unwrap();
    let material = Material::generate().unwrap();
    let artifact = Artifact::seal(&draft, &material).unwrap();
    let output = artifact.open(&material).unwrap();
    for shown in [
        format!("{draft:?}"),
        format!("{artifact:?}"),
        format!("{output:?}"),
    ] {
        assert!(!shown.contains("canary"), "{shown}");
    }
}

#[test]
fn two_seals_of_one_draft_share_no_nonce() {
    let (draft, material) = (
        Draft::from_value(&draft()).unwrap(),
        Material::generate().unwrap(),
    );
    let [one, two] = [(); 2].map(|()| Artifact::seal(&draft, &material).unwrap());
    assert_ne!(one.sealed.nonce, two.sealed.nonce);
}

#[test]
fn a_draft_out_of_bounds_is_refused_by_name() {
    let bounds = [
        ("/runId", json!("r".repeat(36)), json!("r".repeat(37))),
        ("/runId", json!("a:b"), json!("a/b")),
        ("/stepRunId", json!("a/b"), json!("/a")),
        (
            "/requestedBy/id",
            json!("😀".repeat(127)),
            json!("😀".repeat(128)),
        ),
        ("/requestedBy/id", json!("é\u{80}"), json!("\u{7f}")),
        ("/result/provider", json!("p".repeat(128)), json!("p".repeat(129))),
        (
            "/result/text",
            json!("\0".repeat(175_000)),
            json!("x".repeat(1_048_577)),
        ),
        (
            "/retentionPolicy/retentionMs",
            json!(31_536_000_000_u64),
            json!(31_536_000_001_u64),
        ),
        ("/retentionPolicy/retentionMs", json!(3_600_000), json!(3_599_999)),
        (
            "/sealedAtMs",
            json!(9_007_199_251_140_991_u64),
            json!(9_007_199_251_140_992_u64),
        ),
        ("/result/usage/totalTokens", json!(3), json!(4)),
        ("/keyId", json!("a.b"), json!("a:b")),
    ];
    let material = Material::generate().unwrap();
    let seal = |value: &Value| Draft::from_value(value).and_then(|draft| Artifact::seal(&draft, &material));
    for (pointer, good, bad) in bounds {
        assert!(seal(&with(pointer, good)).is_ok(), "{pointer}");
        assert!(
            matches!(seal(&with(pointer, bad)), Err(Error::Member(_))),
            "{pointer}"
        );
    }
    // Within the bound of its text, but not of the plaintext that it would become.
    let escaped = with("/result/text", json!("\0".repeat(176_000)));
    assert_eq!(seal(&escaped), Err(Error::Member("text")));
    for (pointer, value) in [
        ("/requestedBy/type", json!("robot")),
        ("/result/finishReason", json!("Stop")),
    ] {
        assert_eq!(
            seal(&with(pointer, value)),
            Err(Error::Shape("draft")),
            "{pointer}"
        );
    }
}

#[test]
fn an_envelope_of_another_plaintext_is_not_opened() {
    let material = Material::generate().unwrap();
    let mut artifact = Artifact::seal(&Draft::from_value(&draft()).unwrap(), &material).unwrap();
    // Sealed anew with a wrong description, so that it authenticates.
    artifact.metadata.output_bytes += 1;
    let mut bytes =
        br#"{"provider":"provider","model":"model","text":"","finishReason":"stop","usage":{}}"#.to_vec();
    let tag = super::seal::cipher(&material)
        .unwrap()
        .seal_in_place_separate_tag(
            ring::aead::Nonce::assume_unique_for_key(artifact.sealed.nonce),
            ring::aead::Aad::from(artifact.metadata.additional_data()),
            &mut bytes,
        )
        .unwrap();
    artifact.sealed.ciphertext = bytes;
    artifact.sealed.auth_tag = tag.as_ref().try_into().unwrap();
    assert_eq!(artifact.open(&material), Err(Error::Content));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_sealed_opens_as_it_was_and_with_its_own_key_only(text: String) {
        let draft = Draft::from_value(&with("/result/text", json!(text))).unwrap();
        let [own, other] = [(); 2].map(|()| Material::generate().unwrap());
        let artifact = Artifact::seal(&draft, &own).unwrap();
        let value: Value = serde_json::from_str(&artifact.canonical_json()).unwrap();
        let read = Artifact::from_value(&value).unwrap();
        prop_assert_eq!(&read, &artifact);
        prop_assert_eq!(read.open(&own), Ok(draft.output));
        prop_assert_eq!(read.open(&other), Err(Error::Authentication));
    }
}
