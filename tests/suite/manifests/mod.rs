//! The bundle: what it renders to, and that it says the same as the program.

mod args;
mod golden;
mod job;
mod network;
mod rights;
mod values;

use std::collections::BTreeMap;

use serde_json::Value;

pub(crate) use network::with_endpoints;

use crate::support::kustomize::objects;
use crate::support::kustomize::one;

/// Every kustomization that can be applied.
const FOLDERS: [&str; 7] = [
    "kustomize/canary/base",
    "kustomize/canary/control",
    "kustomize/canary/overlays/example-private",
    "kustomize/canary/overlays/example-private-control",
    BASE,
    CLOUDNATIVE_PG,
    PRIVATE,
];

const BASE: &str = "kustomize/key-retirement/base";
const CLOUDNATIVE_PG: &str = "kustomize/key-retirement/overlays/cloudnative-pg";
pub(crate) const PRIVATE: &str = "kustomize/key-retirement/overlays/example-private";

/// The three forms of the retirement's Job.
const RETIREMENTS: [&str; 3] = [BASE, CLOUDNATIVE_PG, PRIVATE];

/// The Pod's specification in a Job or Deployment.
fn pod(object: &Value) -> &Value {
    &object["spec"]["template"]["spec"]
}

/// Every Pod of the bundle, with its folder.
fn pods() -> Vec<(&'static str, Value)> {
    let mut pods = Vec::new();
    for folder in FOLDERS {
        let workloads = objects(folder).into_iter().filter(|object| pod(object).is_object());
        pods.extend(workloads.map(|object| (folder, object)));
    }
    assert_eq!(pods.len(), FOLDERS.len(), "one Pod in each");
    pods
}

/// A container's variables by name.
pub(crate) fn environment(container: &Value) -> BTreeMap<String, Value> {
    let entries = container["env"].as_array().unwrap();
    let named: BTreeMap<_, _> = entries
        .iter()
        .map(|entry| {
            let mut entry = entry.as_object().unwrap().clone();
            let Some(Value::String(name)) = entry.remove("name") else { panic!("no name") };
            (name, Value::Object(entry))
        })
        .collect();
    assert_eq!(named.len(), entries.len(), "no name stands twice");
    named
}

/// The two containers of a retirement's Job.
pub(crate) fn both(folder: &str) -> [Value; 2] {
    containers(pod(&one(&objects(folder), "Job"))).try_into().unwrap()
}

/// Init containers and containers.
fn containers(pod: &Value) -> Vec<Value> {
    let lists = ["initContainers", "containers"].into_iter().filter_map(|list| pod[list].as_array());
    lists.flatten().cloned().collect()
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}
