//! `inspect.json`: what a keyring says about one key.

use ql3_ops::keyring::KeyId;
use ql3_ops::keyring::Manifest;

use super::Sheet;

pub(super) fn run(sheet: &mut Sheet) {
    sheet.each("cases", |case| {
        let manifest = Manifest::parse(case.text("canonicalUtf8").as_bytes()).unwrap();
        let state = KeyId::parse(&case.text("keyId")).and_then(|key| manifest.state(&key));
        match state {
            Ok(state) => assert_eq!(serde_json::to_value(state).unwrap(), case.take("state")),
            Err(error) => assert_eq!(error.code().printed(), case.text("errorCode")),
        }
    });
}
