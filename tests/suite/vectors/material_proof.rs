//! `material-proof.json`: key material as text, and what the world may know of it.

use ql3_ops::keyring::KeyId;
use ql3_ops::keyring::Material;
use ql3_ops::keyring::material_proof;

use super::Sheet;
use super::hex;
use super::sha256;
use super::unhex;

pub(super) fn run(sheet: &mut Sheet) {
    let domain = sheet.text("domainUtf8");
    sheet.each("accepted", |case| {
        let key = KeyId::parse(&case.text("keyId")).unwrap();
        let material = Material::parse(&case.text("encoded")).unwrap();
        assert_eq!(hex(material.expose()), case.text("materialHex"));
        let preimage = unhex(&case.text("preimageHex"));
        let ours = [domain.as_bytes(), key.as_str().as_bytes(), &[0], material.expose()].concat();
        assert_eq!(ours, preimage);
        let proof = case.text("materialProof");
        assert_eq!(sha256(preimage), proof);
        assert_eq!(material_proof(&key, &material).to_string(), proof);
    });
    sheet.each("rejectedEncodings", |case| {
        let error = Material::parse(&case.text("encoded")).unwrap_err();
        assert_eq!(error.code().printed(), case.text("errorCode"));
    });
}
