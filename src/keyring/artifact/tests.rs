//! What sealing and opening promise, beyond the golden cases.

use proptest::prelude::*;
use ring::aead::Aad;
use ring::aead::Nonce;
use serde_json::Value;
use serde_json::json;

use super::Artifact;
use super::Draft;
use super::Error;
use super::metadata::Metadata;
use super::seal::cipher;
use crate::keyring::Material;

type Change = fn(&mut Metadata);

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
    for shown in [format!("{draft:?}"), format!("{artifact:?}"), format!("{output:?}")] {
        assert!(!shown.contains("canary"), "{shown}");
    }
}

#[test]
fn two_seals_of_one_draft_share_no_nonce() {
    let (draft, material) = (Draft::from_value(&draft()).unwrap(), Material::generate().unwrap());
    let [one, two] = [(); 2].map(|()| Artifact::seal(&draft, &material).unwrap());
    assert_ne!(one.sealed.nonce, two.sealed.nonce);
}

#[test]
fn a_draft_out_of_bounds_is_refused_by_name() {
    let bounds = [
        ("/runId", json!("r".repeat(36)), json!("r".repeat(37))),
        ("/runId", json!("a:b"), json!("a/b")),
        ("/stepRunId", json!("a/b"), json!("/a")),
        ("/requestedBy/id", json!("😀".repeat(127)), json!("😀".repeat(128))),
        ("/requestedBy/id", json!("é\u{80}"), json!("\u{7f}")),
        ("/result/provider", json!("p".repeat(128)), json!("p".repeat(129))),
        ("/result/text", json!("\0".repeat(175_000)), json!("x".repeat(1_048_577))),
        ("/retentionPolicy/retentionMs", json!(31_536_000_000_u64), json!(31_536_000_001_u64)),
        ("/retentionPolicy/retentionMs", json!(3_600_000), json!(3_599_999)),
        ("/sealedAtMs", json!(9_007_199_251_140_991_u64), json!(9_007_199_251_140_992_u64)),
        ("/result/usage/totalTokens", json!(3), json!(4)),
        ("/keyId", json!("a.b"), json!("a:b")),
    ];
    let material = Material::generate().unwrap();
    let seal = |value: &Value| Draft::from_value(value).and_then(|draft| Artifact::seal(&draft, &material));
    for (pointer, good, bad) in bounds {
        assert!(seal(&with(pointer, good)).is_ok(), "{pointer}");
        assert!(matches!(seal(&with(pointer, bad)), Err(Error::Member(_))), "{pointer}");
    }
    // Within the bound of its text, but not of the plaintext that it would become.
    let escaped = with("/result/text", json!("\0".repeat(176_000)));
    assert_eq!(seal(&escaped), Err(Error::Member("text")));
    for (pointer, value) in [("/requestedBy/type", json!("robot")), ("/result/finishReason", json!("Stop"))] {
        assert_eq!(seal(&with(pointer, value)), Err(Error::Shape("draft")), "{pointer}");
    }
}

#[test]
fn an_authentic_envelope_that_misdescribes_its_content_is_not_opened() {
    let material = Material::generate().unwrap();
    let draft = Draft::from_value(&draft()).unwrap();
    let changes: [Change; 4] = [
        |metadata| metadata.provider = metadata.project_id.clone(),
        |metadata| metadata.model = metadata.project_id.clone(),
        |metadata| metadata.output_bytes += 1,
        |metadata| metadata.content_digest = metadata.retention.digest(),
    ];
    for change in changes {
        let mut artifact = Artifact::seal(&draft, &material).unwrap();
        change(&mut artifact.metadata);
        let mut bytes = draft.output.plaintext().expose().to_vec();
        let nonce = Nonce::assume_unique_for_key(artifact.sealed.nonce);
        let data = Aad::from(artifact.metadata.additional_data());
        let tag = cipher(&material).unwrap().seal_in_place_separate_tag(nonce, data, &mut bytes).unwrap();
        artifact.sealed.ciphertext = bytes;
        artifact.sealed.auth_tag = tag.as_ref().try_into().unwrap();
        assert_eq!(artifact.open(&material), Err(Error::Content), "{:?}", artifact.metadata);
    }
}

#[test]
fn members_that_follow_from_others_must_follow() {
    let artifact =
        Artifact::seal(&Draft::from_value(&draft()).unwrap(), &Material::generate().unwrap()).unwrap();
    let read = |value: &Value| Artifact::from_value(value).unwrap_err();
    // The digest covers what should stand there, so that it alone would not notice.
    for (name, value) in [
        ("schema", json!("qinglong/plugin-package-prompt-output-artifact@v2")),
        ("artifactId", json!(format!("pao:{}", "0".repeat(32)))),
        ("retentionPolicyDigest", json!("0".repeat(64))),
        ("retentionEligibleAtMs", json!(3_600_002)),
        ("algorithm", json!("aes-128-gcm")),
    ] {
        let mut envelope = artifact.to_value();
        *envelope.get_mut(name).unwrap() = value;
        assert_eq!(read(&envelope), Error::Member(name));
    }
    // The digest covers what does stand there.
    let changes: [(&str, Change); 3] = [
        ("plaintextBytes", |metadata| metadata.plaintext_bytes += 1),
        ("plaintextBytes", |metadata| metadata.plaintext_bytes = 1_052_673),
        ("outputBytes", |metadata| metadata.output_bytes = 1_048_577),
    ];
    for (name, change) in changes {
        let mut metadata = artifact.metadata.clone();
        change(&mut metadata);
        assert_eq!(read(&Artifact::new(metadata, artifact.sealed.clone()).to_value()), Error::Member(name));
    }
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
