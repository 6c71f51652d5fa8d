//! The one Secret of a stand-in, under the API server's own rules for writing it.

use serde_json::Value;
use serde_json::json;

use crate::support::apiserver::Answer;
use crate::support::apiserver::Seen;

/// A Secret that is replaced only under its resource version and UID.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    pub(crate) object: Value,
}

impl Store {
    pub(crate) fn version(&self) -> u64 {
        self.object["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap()
    }

    /// Another writer replaces the object; the version moves on.
    pub(crate) fn write(&mut self, mut object: Value) {
        object["metadata"]["resourceVersion"] = (self.version() + 1).to_string().into();
        self.object = object;
    }

    /// Acts on a request as the API server would and says what it would answer.
    pub(crate) fn answer(&mut self, seen: &Seen) -> Answer {
        match seen.method.as_str() {
            "GET" => Answer::json(200, &self.object),
            "PUT" => {
                let sent = seen.json();
                let held = |name: &str| sent["metadata"][name] == self.object["metadata"][name];
                if !held("resourceVersion") || !held("uid") {
                    return status(409);
                }
                self.write(sent);
                Answer::json(200, &self.object)
            }
            "POST" => review(seen),
            other => panic!("{other} {}", seen.target),
        }
    }
}

/// The API server's object for what is not a success.
pub(crate) fn status(code: u16) -> Answer {
    Answer::json(code, &json!({ "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code }))
}

/// A review answered as the matrix wants it.
pub(crate) fn review(seen: &Seen) -> Answer {
    let mut review = seen.json();
    let attributes = &review["spec"]["resourceAttributes"];
    let other = attributes["name"].as_str().is_some_and(|name| name.ends_with("-other"));
    let verb = attributes["verb"].as_str().unwrap();
    let allowed = attributes["resource"] == "secrets" && ["get", "update"].contains(&verb) && !other;
    review["metadata"] = json!({ "creationTimestamp": null });
    review["status"] = json!({ "allowed": allowed });
    Answer::json(201, &review)
}
