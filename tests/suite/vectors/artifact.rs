//! `artifact.json`: outputs sealed under known nonces, and envelopes that were tampered with.

use std::collections::BTreeMap;

use ql3_ops::keyring::Material;
use ql3_ops::keyring::artifact::Artifact;
use ql3_ops::keyring::artifact::Draft;
use ql3_ops::keyring::artifact::Tombstone;
use serde_json::Value;

use super::Case;
use super::Sheet;
use super::hex;
use super::sha256;
use super::text;
use super::unhex;

pub(super) fn run(sheet: &mut Sheet) {
    let domains = Domains::take(sheet);
    sheet.each("cases", |case| check(case, &domains));
    sheet.each("rejected", |case| {
        let key = unhex(&case.text("keyHex"));
        let opened = Artifact::from_value(&case.take("artifact")).and_then(|artifact| {
            let material = Material::from_bytes(&key)?;
            artifact.open(&material)
        });
        let code = opened.unwrap_err().code();
        assert_eq!((code.printed(), code.name), (&*case.text("errorCode"), &*case.text("errorName")));
    });
}

fn check(case: &mut Case, domains: &Domains) {
    let material = Material::from_bytes(&unhex(&case.text("keyHex"))).unwrap();
    let nonce = unhex(&case.text("nonceHex")).try_into().unwrap();
    let input = case.take("input");
    let draft = Draft::from_value(&input).unwrap();
    let artifact = Artifact::seal_with_nonce(&draft, &material, nonce).unwrap();
    let envelope = case.take("artifact");
    assert_eq!(artifact.to_value(), envelope);
    if let Some(json) = case.maybe("artifactJsonUtf8") {
        assert_eq!(artifact.canonical_json(), text(json));
    }
    check_texts(case, domains, &input, &envelope);

    let read = Artifact::from_value(&envelope).unwrap();
    assert_eq!(read, artifact);
    let output = read.open(&material).unwrap();
    assert_eq!(output, draft.output);
    assert_eq!(output.text().expose_str(), input["result"]["text"].as_str());

    assert_eq!(artifact.reference().to_value(), case.take("reference"));
    let tombstone = case.take("tombstone");
    let time = tombstone["tombstonedAtMs"].as_u64().unwrap();
    assert_eq!(time, envelope["retentionEligibleAtMs"].as_u64().unwrap() + 1);
    assert_eq!(Tombstone::new(artifact.reference(), time).unwrap().to_value(), tombstone);
    assert!(Tombstone::new(artifact.reference(), time - 2).is_err());
    check_tombstone_digest(domains, &tombstone);
}

/// Each text that the file gives as hashed or authenticated leads to the value in the envelope, which was
/// compared with ours before: so ours is made of the same text.
fn check_texts(case: &mut Case, domains: &Domains, input: &Value, envelope: &Value) {
    let plaintext = case.text("plaintextUtf8");
    assert_eq!(hex(plaintext.as_bytes()), case.text("plaintextHex"));
    assert_eq!(domains.hash("contentDigest", &plaintext), envelope["contentDigest"]);
    assert_eq!(plaintext.len() as u64, envelope["plaintextBytes"]);
    assert_eq!(input["result"]["text"].as_str().unwrap().len() as u64, envelope["outputBytes"]);

    let additional = domains.0["aad"].clone() + &case.text("aadJsonUtf8");
    assert_eq!(hex(additional.as_bytes()), case.text("aadHex"));
    assert_eq!(base64url(&case.text("ciphertextHex")), envelope["ciphertext"]);
    assert_eq!(base64url(&case.text("authTagHex")), envelope["authTag"]);

    let digest = domains.hash("artifactDigest", &case.text("artifactDigestJsonUtf8"));
    assert_eq!(digest, envelope["artifactDigest"]);
    let policy = domains.hash("retentionPolicyDigest", &case.text("retentionPolicyDigestJsonUtf8"));
    assert_eq!(policy, envelope["retentionPolicyDigest"]);
    let id = domains.hash("artifactId", &case.text("artifactIdJsonUtf8"));
    assert_eq!(format!("pao:{}", id.split_at(32).0), envelope["artifactId"]);
}

/// The text of a tombstone's digest is not in the file: here it is made in its order from the values.
fn check_tombstone_digest(domains: &Domains, tombstone: &Value) {
    let names = [
        "schema",
        "artifactId",
        "projectId",
        "runId",
        "stepRunId",
        "invocationId",
        "contentDigest",
        "outputBytes",
        "retentionPolicyDigest",
        "retentionEligibleAtMs",
        "keyId",
        "algorithm",
        "artifactDigest",
    ];
    let reference = tombstone["reference"].as_object().unwrap();
    assert_eq!(reference.len(), names.len());
    let members: Vec<_> = names.iter().map(|name| format!(r#""{name}":{}"#, reference[*name])).collect();
    let (schema, time) = (&tombstone["schema"], &tombstone["tombstonedAtMs"]);
    let members = members.join(",");
    let json = format!(r#"{{"schema":{schema},"reference":{{{members}}},"tombstonedAtMs":{time}}}"#);
    assert_eq!(domains.hash("tombstoneDigest", &json), tombstone["tombstoneDigest"]);
}

struct Domains(BTreeMap<String, String>);

impl Domains {
    fn take(sheet: &mut Sheet) -> Self {
        Self(serde_json::from_value(sheet.take("domainsUtf8")).unwrap())
    }

    fn hash(&self, domain: &str, json: &str) -> String {
        sha256(format!("{}{json}", self.0[domain]))
    }
}

fn base64url(hex: &str) -> String {
    use base64::Engine;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(unhex(hex))
}
