//! `keyring-canonical.json`: the bytes, digests and orders of accepted keyrings.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ql3_ops::keyring::KeyId;
use ql3_ops::keyring::Manifest;
use ql3_ops::keyring::Material;
use ql3_ops::keyring::Preparation;
use ql3_ops::keyring::State;
use serde::Deserialize;
use serde::Deserializer;
use serde::de;
use serde_json::Value;

use super::Case;
use super::Sheet;
use super::sha256;

pub(super) fn run(sheet: &mut Sheet) {
    let schema = sheet.text("schema");
    let domain = sheet.text("catalogDigestDomainUtf8");
    sheet.each("cases", |case| {
        let file = case.text("canonicalUtf8");
        let manifest = Manifest::parse(file.as_bytes()).unwrap();
        assert_eq!(manifest.canonical().expose(), file.as_bytes());
        assert_eq!(STANDARD.encode(&file), case.text("canonicalBase64"));
        assert_eq!(file.len() as u64, case.number("canonicalByteLength"));
        assert_eq!(sha256(&file), case.text("canonicalSha256"));

        assert_eq!(manifest.generation(), case.number("generation"));
        assert_eq!(manifest.active().as_str(), case.text("activeKeyId"));
        let summary = case.take("summary");
        assert_eq!(serde_json::to_value(manifest.summary()).unwrap(), summary);
        check_keys(case, &manifest, &summary);
        check_records(case, &manifest, &summary);

        let names: Names = serde_json::from_str(&file).unwrap();
        assert_eq!(names.schema, schema);
        assert_eq!(Value::from(names.keys.0), case.take("keyOrderInCanonicalFile"));

        // Our digest of the same domain and text is the same text.
        let hashed = case.text("catalogDigestJsonUtf8");
        let digest = case.text("catalogDigest");
        assert_eq!(sha256(format!("{domain}{hashed}")), digest);
        assert_eq!(manifest.catalog_digest().to_string(), digest);
        check_digest_order(case, &hashed, &manifest);
    });
}

fn check_keys(case: &mut Case, manifest: &Manifest, summary: &Value) {
    let entries = case.objects("keyEntries");
    assert_eq!(entries.len(), summary["keyIds"].as_array().unwrap().len());
    for mut entry in entries {
        let key = KeyId::parse(&entry.text("keyId")).unwrap();
        let material = Material::parse(&entry.text("encoded")).unwrap();
        assert_eq!(manifest.material(&key), Some(&material));
        entry.finish();
    }
}

fn check_records(case: &mut Case, manifest: &Manifest, summary: &Value) {
    let entries = case.objects("retirementEntries");
    assert_eq!(entries.len(), summary["retiredKeyIds"].as_array().unwrap().len());
    for mut entry in entries {
        let key = KeyId::parse(&entry.text("keyId")).unwrap();
        let mut record = entry.object("record");
        let preparation = Preparation::from_value(&record.take("preparation")).unwrap();
        assert_eq!(preparation.request().key_id, key);
        let State::Absent(absent) = manifest.state(&key).unwrap() else { panic!("{key} is held") };
        assert_eq!(absent.catalog_digest.to_string(), record.text("retiredCatalogDigest"));
        assert_eq!(absent.absence_proof.to_string(), record.text("absenceProof"));
        record.finish();
        entry.finish();
    }
}

fn check_digest_order(case: &mut Case, hashed: &str, manifest: &Manifest) {
    let order = case.take("keyOrderInCatalogDigest");
    let hashed: Value = serde_json::from_str(hashed).unwrap();
    let ids: Vec<_> = hashed["keys"].as_array().unwrap().iter().map(|pair| pair[0].clone()).collect();
    assert_eq!(Value::from(ids), order);
    let mut ours = manifest.summary().key_ids;
    ours.sort();
    assert_eq!(serde_json::to_value(ours).unwrap(), order);
}

/// A keyring of which only the order of the keys is read.
#[derive(Deserialize)]
struct Names {
    schema: String,
    keys: Members,
}

/// The names of an object's members, in the order of the text.
struct Members(Vec<String>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(NamesOnly).map(Self)
    }
}

struct NamesOnly;

impl<'de> de::Visitor<'de> for NamesOnly {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut names = Vec::new();
        while let Some((name, _)) = map.next_entry::<String, de::IgnoredAny>()? {
            names.push(name);
        }
        Ok(names)
    }
}
