//! `rejected-manifests.json`: bytes that are no keyring, and why.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ql3_ops::keyring::Digest;
use ql3_ops::keyring::Error;
use ql3_ops::keyring::Kind;
use ql3_ops::keyring::Manifest;
use ql3_ops::keyring::Preparation;
use ql3_ops::keyring::Request;
use ql3_ops::keyring::absence_proof;
use serde_json::Value;
use serde_json::json;

use super::Case;
use super::Sheet;
use super::directory;
use super::sha256;

pub(super) fn run(sheet: &mut Sheet) {
    sheet.each("cases", |case| {
        let length = usize::try_from(case.number("byteLength")).unwrap();
        let bytes = match case.maybe("synthetic") {
            Some(description) => synthetic(description.as_str().unwrap(), length),
            None => literal(case),
        };
        assert_eq!(bytes.len(), length);
        assert_eq!(sha256(&bytes), case.text("sha256"));

        let error = Manifest::parse(&bytes).unwrap_err();
        assert_eq!(error.kind(), Kind::Unavailable, "{error}");
        let reason = case.text("reasonKind");
        assert!(is_reason(&reason, &error), "{reason}: {error:?}");
        // Where the reference needs the comparison of bytes, we may see it before; never the other way.
        let stage = case.text("stage");
        assert!(
            stage == "canonical-compare" || stage == "parse" && error != Error::NotCanonical,
            "{stage}: {error:?}"
        );
    });
}

/// Whether our reason says the same as the file's label. Typed reading sees more as a matter of shape.
fn is_reason(label: &str, error: &Error) -> bool {
    match label {
        "absence-proof" => {
            matches!(error, Error::Forged) || *error == Error::Inside(Box::new(Error::Member("absenceProof")))
        }
        "active" => matches!(error, Error::ActiveKeyMissing | Error::Inside(_)),
        "generation" => matches!(error, Error::Generation | Error::NotJson(_)),
        "json" | "shape" => matches!(error, Error::NotJson(_)),
        "key-count" => matches!(error, Error::KeyCount),
        "key-id" => matches!(error, Error::Inside(_)),
        "material" => matches!(error, Error::Material | Error::NotJson(_)),
        "non-canonical" => matches!(error, Error::NotCanonical | Error::NotJson(_)),
        "overlap" => matches!(error, Error::Overlap),
        "retirement-count" => matches!(error, Error::RecordCount),
        "retirement-key" => matches!(error, Error::RecordKey),
        "schema" => *error == Error::Inside(Box::new(Error::Schema("keyring"))),
        "size" => matches!(error, Error::Size),
        // A label of a later file: then only the kind is compared.
        _ => true,
    }
}

fn literal(case: &mut Case) -> Vec<u8> {
    let bytes = STANDARD.decode(case.text("bytesBase64")).unwrap();
    // The text is for the reader, and bytes that are not UTF-8 have none.
    if let Some(text) = case.maybe("bytesUtf8") {
        assert_eq!(String::from_utf8_lossy(&bytes), text.as_str().unwrap());
    }
    bytes
}

/// The files that are described instead of given, from the accepted ones beside them.
fn synthetic(description: &str, length: usize) -> Vec<u8> {
    if description.starts_with("the two-keys manifest without its final newline, then spaces") {
        let mut bytes = accepted("two-keys-generation-2").trim_end().as_bytes().to_vec();
        bytes.resize(length - 1, b' ');
        bytes.push(b'\n');
        return bytes;
    }
    if description.starts_with("the sixty-four-retirements manifest") {
        let full = accepted("sixty-four-retirements");
        let record = format!(r#","old-64":{}"#, sixty_fifth());
        return full.replace("}}\n", &format!("{record}}}}}\n")).into_bytes();
    }
    panic!("how to make {description}?");
}

fn accepted(name: &str) -> String {
    let text = std::fs::read(directory().join("keyring-canonical.json")).unwrap();
    let sheet: Value = serde_json::from_slice(&text).unwrap();
    let cases = sheet["cases"].as_array().unwrap();
    let case = cases.iter().find(|case| case["name"] == name).unwrap();
    case["canonicalUtf8"].as_str().unwrap().to_owned()
}

fn sixty_fifth() -> String {
    let request =
        json!({ "keyId": "old-64", "retirementId": "r64", "requestId": "q64", "mutationId": "m64" });
    let request = Request::from_value(&request).unwrap();
    let digest = |digit: &str| Digest::parse(&digit.repeat(64)).unwrap();
    let preparation = Preparation::new(&request, digest("1"), digest("2"), 1).unwrap();
    let proof = absence_proof(&preparation, digest("3"));
    let (preparation, retired) = (preparation.canonical_json(), digest("3"));
    format!(r#"{{"preparation":{preparation},"retiredCatalogDigest":"{retired}","absenceProof":"{proof}"}}"#)
}
