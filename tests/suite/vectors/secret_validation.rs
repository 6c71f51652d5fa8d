//! Which Secrets and which addresses are accepted.

use ql3_ops::cluster::Error;
use ql3_ops::cluster::Observed;
use ql3_ops::cluster::SecretRef;
use ql3_ops::keyring::KeyId;
use serde_json::Value;

use super::Sheet;

pub(crate) fn run(sheet: &mut Sheet) {
    let secret = address(&sheet.take("options"));
    for case in sheet.cases("cases") {
        let Value::Object(object) = case["secret"].clone() else { panic!("an object") };
        let observed = Observed::from_object(object, &secret).map_err(Error::from);
        let name = &case["name"];
        if case["accepted"] == true {
            let key = KeyId::parse(case["state"]["keyId"].as_str().unwrap()).unwrap();
            let state = observed.unwrap().manifest().state(&key).unwrap();
            assert_eq!(serde_json::to_value(state).unwrap(), case["state"], "{name}");
        } else {
            assert_code(&observed.map(|_observed| ()).unwrap_err(), &case);
        }
    }
    for case in sheet.cases("optionsAccepted") {
        assert_eq!(address(&case["options"]).check(), Ok(()), "{}", case["name"]);
    }
    for case in sheet.cases("optionsRejected") {
        let error = address(&case["options"]).check().unwrap_err();
        assert!(case["errorMessage"].as_str().unwrap().ends_with(&error.to_string()), "{}", case["name"]);
        assert_code(&error.into(), &case);
    }
}

pub(crate) fn address(options: &Value) -> SecretRef {
    let text = |name: &str| options[name].as_str().unwrap().to_owned();
    SecretRef {
        namespace: text("namespace"),
        name: text("secretName"),
        uid: text("expectedSecretUid"),
        data_key: text("dataKey"),
    }
}

/// Name and code are the vector's; where it has no code, ours stands there.
pub(crate) fn assert_code(error: &Error, case: &Value) {
    assert_eq!(error.code().name, case["errorName"], "{}: {error:?}", case["name"]);
    if let Some(code) = case["errorCode"].as_str() {
        assert_eq!(error.code().printed(), code, "{}: {error:?}", case["name"]);
    }
}
