//! The script of one retirement: what floor and peer send.

use ql3_ops::keyring::Manifest;
use serde_json::Value;
use serde_json::json;

use super::stage;
use super::stage::NAMESPACE;
use super::stage::SECRET;
use super::stage::Stage;
use super::statements;
use super::statements::Recording;
use super::statements::Statement;
use super::turn::Receipts;
use super::turn::annotations;
use super::turn::data;

/// Every request and statement of a first run, in the order of ADR-0262.
pub(crate) fn script(stage: &Stage<'_>, recording: &Recording, receipts: &Receipts, secret: &Value) -> Value {
    let path = format!("/api/v1/namespaces/{NAMESPACE}/secrets/{SECRET}");
    let get = json!({"request": {"method": "GET", "path": path}});
    let put = json!({"request": {"method": "PUT", "body": successor(secret, &receipts.after).to_string(),
        "path": format!("{path}?fieldManager=qinglong-prompt-output-key-retirement&fieldValidation=Strict")}});
    let told = recording.told(receipts);
    let mut steps: Vec<Value> = REVIEWS.iter().map(review).collect();
    steps.extend(told.opening.iter().map(statement));
    steps.push(get.clone());
    steps.extend(told.prepare.iter().map(statement));
    steps.extend([get.clone(), get, put]);
    steps.extend(told.complete.iter().map(statement));
    let api = json!({"host": stage.api.host, "port": stage.api.port, "root": stage.root(),
        "ca": stage.service_account().join("ca.crt"), "token": stage.service_account().join("token")});
    let database = json!({"host": stage::HOST, "port": stage.lab.postgres_port, "ca": stage.lab.postgres_ca,
        "server_name": stage.lab.server_name, "database": stage::DATABASE, "user": stage::MAINTENANCE,
        "password": stage.lab.maintenance_password, "options": statements::OPTIONS});
    json!({"api": api, "database": database, "steps": steps})
}

fn review((verb, resource, name): &(&str, &str, Option<&str>)) -> Value {
    let mut attributes = json!({"namespace": NAMESPACE, "verb": verb, "resource": resource});
    if let (Some(name), Some(members)) = (name, attributes.as_object_mut()) {
        members.insert("name".to_owned(), (*name).into());
    }
    let body = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes}});
    json!({"request": {"method": "POST", "path": "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        "body": body.to_string()}})
}

fn statement(statement: &Statement) -> Value {
    json!({"statement": statement})
}

/// The object as it was read, with the keyring replaced.
fn successor(secret: &Value, keyring: &Manifest) -> Value {
    let mut successor = secret.clone();
    for (place, value) in [("/data", data(keyring)), ("/metadata/annotations", annotations(keyring))] {
        if let Some(member) = successor.pointer_mut(place) {
            *member = value;
        }
    }
    successor
}

/// Verb, resource and name of each access review (ADR-0262).
const REVIEWS: [(&str, &str, Option<&str>); 10] = [
    ("get", "secrets", Some(SECRET)),
    ("update", "secrets", Some(SECRET)),
    ("list", "secrets", None),
    ("watch", "secrets", None),
    ("create", "secrets", None),
    ("delete", "secrets", Some(SECRET)),
    ("patch", "secrets", Some(SECRET)),
    ("get", "secrets", Some("ql3-prompt-output-keyring-other")),
    ("get", "configmaps", None),
    ("get", "pods", None),
];
