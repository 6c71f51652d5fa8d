//! `receipts.json`: preparations, absence proofs and completions.

use ql3_ops::keyring::Completion;
use ql3_ops::keyring::Digest;
use ql3_ops::keyring::Error;
use ql3_ops::keyring::Preparation;
use ql3_ops::keyring::Request;
use ql3_ops::keyring::absence_proof;
use serde_json::Map;
use serde_json::Value;

use super::Case;
use super::Sheet;
use super::sha256;

pub(super) fn run(sheet: &mut Sheet) {
    let domain = sheet.text("preparationDomainUtf8");
    sheet.each("preparations", |case| prepare(case, &domain));
    let domain = sheet.text("absenceProofDomainUtf8");
    sheet.each("absenceProofs", |case| {
        let preparation = Preparation::from_value(&case.take("preparation")).unwrap();
        let retired = Digest::parse(&case.text("retiredCatalogDigest")).unwrap();
        let proof = case.text("absenceProof");
        assert_eq!(sha256(domain.clone() + &case.text("hashedJsonUtf8")), proof);
        assert_eq!(absence_proof(&preparation, retired).to_string(), proof);
    });
    let domain = sheet.text("completionDomainUtf8");
    sheet.each("completions", |case| complete(case, &domain));
    sheet.each("rejectedPreparations", |case| {
        refused(case, Preparation::from_value);
    });
    sheet.each("rejectedCompletions", |case| {
        refused(case, Completion::from_value);
    });
}

fn prepare(case: &mut Case, domain: &str) {
    let mut input = case.object("input");
    let request: Map<_, _> = ["keyId", "retirementId", "requestId", "mutationId"]
        .map(|name| (name.to_owned(), input.take(name)))
        .into_iter()
        .collect();
    let request = Request::from_value(&Value::Object(request)).unwrap();
    let catalog_digest = Digest::parse(&input.text("catalogDigest")).unwrap();
    let material_proof = Digest::parse(&input.text("materialProof")).unwrap();
    let time = input.number("preparedAtMs");
    input.finish();

    let preparation = Preparation::new(&request, catalog_digest, material_proof, time).unwrap();
    let digest = case.text("preparationDigest");
    assert_eq!(sha256(domain.to_owned() + &case.text("hashedJsonUtf8")), digest);
    assert_eq!(preparation.digest().to_string(), digest);
    assert_eq!(preparation.canonical_json(), case.text("preparationJsonUtf8"));
    let value = case.take("preparation");
    assert_eq!(preparation.to_value(), value);
    let read = Preparation::from_value(&value).unwrap();
    assert_eq!(read, preparation);
    assert_eq!(read.request(), &request);
    assert_eq!((read.catalog_digest(), read.material_proof()), (catalog_digest, material_proof));
    assert_eq!(read.prepared_at_ms(), time);
}

fn complete(case: &mut Case, domain: &str) {
    let preparation = Preparation::from_value(&case.take("preparation")).unwrap();
    let retired = Digest::parse(&case.text("retiredCatalogDigest")).unwrap();
    let proof = Digest::parse(&case.text("absenceProof")).unwrap();
    assert_eq!(absence_proof(&preparation, retired), proof);
    let time = case.number("completedAtMs");

    let completion = Completion::new(&preparation, retired, proof, time).unwrap();
    let digest = case.text("completionDigest");
    assert_eq!(sha256(domain.to_owned() + &case.text("hashedJsonUtf8")), digest);
    assert_eq!(completion.digest().to_string(), digest);
    assert_eq!(completion.canonical_json(), case.text("completionJsonUtf8"));
    let value = case.take("completion");
    assert_eq!(completion.to_value(), value);
    let read = Completion::from_value(&value).unwrap();
    assert_eq!(read, completion);
    assert_eq!(read.request(), preparation.request());
    assert_eq!(read.preparation_digest(), preparation.digest());
    assert_eq!((read.retired_catalog_digest(), read.absence_proof()), (retired, proof));
    assert_eq!(read.completed_at_ms(), time);
}

/// The code must be the same; the message is ours, but where it names a member it names the same one.
pub(super) fn refused<T: std::fmt::Debug>(case: &mut Case, read: impl Fn(&Value) -> Result<T, Error>) {
    let error = read(&case.take("value")).unwrap_err();
    assert_eq!(error.code().printed(), case.text("errorCode"), "{error}");
    let message = case.text("errorMessage");
    if let Error::Member(name) = error {
        assert!(message.contains(name), "{name} in {message}");
    }
}
