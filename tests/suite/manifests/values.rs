//! The environment, the placeholders, and what the version is tied to.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::ffi::OsString;

use ql3_ops::barrier::settings::Alone;
use ql3_ops::barrier::settings::Settings;
use ql3_ops::ledger;
use ql3_ops::ledger::settings::Role;
use ql3_ops::retire::Command;
use serde_json::Value;

use super::BASE;
use super::CLOUDNATIVE_PG;
use super::PRIVATE;
use super::RETIREMENTS;
use super::both;
use super::containers;
use super::environment;
use super::pod;
use super::pods;
use crate::support::kustomize::documents;
use crate::support::kustomize::objects;
use crate::support::kustomize::one;
use crate::support::kustomize::path;
use crate::support::program;

/// Every variable that the barrier asks for, given these.
fn asked_for(given: &BTreeMap<String, Value>) -> BTreeSet<String> {
    let asked = RefCell::new(BTreeSet::new());
    let lookup = |name: &str| -> Option<OsString> {
        asked.borrow_mut().insert(name.to_owned());
        let kubelet = [("KUBERNETES_SERVICE_HOST", "10.96.0.1"), ("KUBERNETES_SERVICE_PORT_HTTPS", "443")];
        let statement = r#"{"schema":"ql3-ops/barrier-control@v1","nonce":"operation-000001","commandDigest":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","canary":["192.0.2.1:9443"],"notBeforeMs":1,"notAfterMs":2,"outcome":"connected"}"#;
        let filled_in = [
            ("QL3_NETWORK_POLICY_CONTROL_PROOF", statement),
            ("QL3_NETWORK_POLICY_COMMAND", "{}"),
            ("QL3_NETWORK_POLICY_NONCE", "operation-000001"),
        ];
        let known =
            kubelet.into_iter().chain(filled_in.into_iter().filter(|(name, _)| given.contains_key(*name)));
        let value = given.get(name).and_then(|entry| entry["value"].as_str());
        value
            .or_else(|| known.into_iter().find(|(known, _)| *known == name).map(|(_, value)| value))
            .map(Into::into)
    };
    Settings::read(&lookup, Alone::Refused).unwrap();
    asked.into_inner()
}

#[test]
fn what_the_bundle_sets_is_what_the_program_reads() {
    let [init, _main] = both(PRIVATE);
    let set = environment(&init);
    let mut read = asked_for(&set);
    // The kubelet sets the first two; where the third is not set, documentation's addresses are nobody's.
    for name in ["KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT_HTTPS", "QL3_NETWORK_POLICY_DECOYS"] {
        assert!(read.remove(name), "{name}");
    }
    assert_eq!(set.keys().cloned().collect::<BTreeSet<_>>(), read);

    let database = ledger::Settings::variables(Role::Maintenance);
    for folder in RETIREMENTS {
        let [_init, main] = both(folder);
        for name in environment(&main).keys().filter(|name| !read.contains(*name)) {
            assert!(database.contains(&name.as_str()), "{name}");
        }
    }
}

#[test]
fn both_containers_and_the_control_look_at_the_same_canary() {
    for folder in RETIREMENTS {
        let [init, main] = both(folder);
        let mut main = environment(&main);
        main.retain(|name, _| name.starts_with("QL3_NETWORK_POLICY_"));
        assert_eq!(environment(&init), main, "{folder}");
    }
    let barrier = environment(&both(PRIVATE)[0]);
    let control = one(&objects("kustomize/canary/control"), "Job");
    for (name, mut entry) in environment(&containers(pod(&control))[0]) {
        let mut expected = barrier[&name].clone();
        // A statement that nothing binds is of no use, so the control does not start without them.
        for entry in [&mut entry, &mut expected] {
            if let Some(key) = entry.pointer_mut("/valueFrom/configMapKeyRef") {
                key.as_object_mut().unwrap().remove("optional");
            }
        }
        assert_eq!(entry, expected, "{name}");
    }
}

#[test]
fn the_overlay_for_cloudnative_pg_takes_the_discrete_settings() {
    let main = environment(&both(CLOUDNATIVE_PG)[1]);
    let host = "ql3-postgres-rw.qinglong3-system.svc";
    let value = |name: &str| main[name]["value"].as_str().unwrap();
    assert_eq!(value("QL3_POSTGRES_TLS_MODE"), "verify-full");
    for name in ["QL3_POSTGRES_AI_MAINTENANCE_HOST", "QL3_POSTGRES_TLS_SERVERNAME"] {
        assert_eq!(value(name), host);
    }
    assert!(!main.contains_key("QL3_POSTGRES_AI_MAINTENANCE_URL"));
    for (name, key) in [("USER", "username"), ("PASSWORD", "password")] {
        let source = &main[&format!("QL3_POSTGRES_AI_MAINTENANCE_{name}")]["valueFrom"]["secretKeyRef"];
        assert_eq!(
            (&source["name"], &source["key"]),
            (&"ql3-postgres-ai-maintenance-auth".into(), &key.into())
        );
    }
    let job = one(&objects(CLOUDNATIVE_PG), "Job");
    let authority = &pod(&job)["volumes"][1]["secret"];
    assert_eq!(authority["secretName"], "ql3-postgres-ca");
    assert_eq!(authority["items"], serde_json::json!([{ "key": "ca.crt", "path": "ca.crt" }]));
    let file = value("QL3_POSTGRES_TLS_CA_FILE");
    let mount = containers(pod(&job))[1]["volumeMounts"][1]["mountPath"].as_str().unwrap().to_owned();
    assert_eq!(file, format!("{mount}/ca.crt"));
}

#[test]
fn every_image_is_of_the_programs_version_or_one_that_nobody_has() {
    let ours = concat!("qinglong3-cluster-admin:", env!("CARGO_PKG_VERSION"));
    let nobodys = format!("registry.example.com/qinglong/qinglong3-cluster-admin@sha256:{}", "0".repeat(64));
    for (folder, workload) in pods() {
        let expected = if folder.contains("/overlays/") { &nobodys } else { ours };
        for container in containers(pod(&workload)) {
            assert_eq!(
                (&container["image"], &container["imagePullPolicy"]),
                (&expected.into(), &"IfNotPresent".into())
            );
        }
    }
}

/// The base as it is must not run, and must say what is missing.
#[test]
fn a_placeholder_is_refused_by_name() {
    let [init, _main] = both(BASE);
    let environment = environment(&init).into_iter();
    let plain = environment.filter_map(|(name, entry)| Some((name, entry["value"].as_str()?.to_owned())));
    let words = tempfile::NamedTempFile::new().unwrap();
    let mut command = program::program();
    command
        .arg("barrier")
        .arg("--termination-message")
        .arg(words.path())
        .args(["--log-level", "info"])
        .envs(plain);
    command.env("KUBERNETES_SERVICE_HOST", "192.0.2.1").env("KUBERNETES_SERVICE_PORT_HTTPS", "443");
    let ended = program::run(&mut command);
    assert_eq!(ended.exit, Some(78), "{ended:?}");
    assert!(
        ended.stderr.contains("QL3_BARRIER_TARGET_INVALID") && ended.stderr.contains("placeholder"),
        "{ended:?}"
    );
    assert_eq!(
        std::fs::read_to_string(words.path()).unwrap(),
        r#"{"schemaVersion":1,"ready":false,"code":"CONFIG_INVALID"}"#
    );
}

#[test]
fn the_example_of_a_command_is_none_until_it_is_filled_in() {
    let text = std::fs::read_to_string(path("kustomize/key-retirement/command.example.yaml")).unwrap();
    let object = one(&documents(&text), "ConfigMap");
    assert_eq!(object["metadata"]["name"], "ql3-prompt-output-key-retirement-command");
    assert_eq!(object["immutable"], true);
    let mut command = object["data"]["command.json"].as_str().unwrap().to_owned();
    for member in ["expectedSecretUid", "keyId", "retirementId", "requestId", "mutationId"] {
        let error = Command::parse(command.as_bytes()).unwrap_err();
        assert_eq!(error.code().code, "QL3_RETIREMENT_COMMAND_PLACEHOLDER");
        assert_eq!(error.to_string(), format!("the command's {member} is still a placeholder"));
        command = command.replacen("replace-with-", "", 1);
    }
    Command::parse(command.as_bytes()).unwrap();
    for folder in ["kustomize/key-retirement/base", "kustomize/key-retirement/overlays/example-private"] {
        let text = std::fs::read_to_string(path(folder).join("kustomization.yaml")).unwrap();
        assert!(!text.contains("example.yaml"), "{folder}");
    }
}
