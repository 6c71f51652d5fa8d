//! Which Secrets and which addresses are accepted.

use std::sync::Arc;
use std::sync::Mutex;

use ql3_ops::cluster::Error;
use ql3_ops::cluster::SecretRef;
use ql3_ops::keyring::KeyId;
use serde_json::Value;

use super::Sheet;
use crate::support::apiserver::Answer;
use crate::support::apiserver::Http;
use crate::support::scene::Scene;
use crate::support::scene::soon;

pub(crate) fn run(sheet: &mut Sheet) {
    let secret = address(&sheet.take("options"));
    let shown = Arc::new(Mutex::new(Value::Null));
    let held = Arc::clone(&shown);
    let scene = Scene::new(Http::Two, move |_seen| Answer::json(200, &held.lock().unwrap()).into());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let cluster = runtime.block_on(async { scene.cluster() });
    for case in sheet.cases("cases") {
        case["secret"].clone_into(&mut shown.lock().unwrap());
        let observed = runtime.block_on(cluster.read(&secret, soon()));
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
