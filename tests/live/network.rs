//! What two Pods reach: one that no policy selects, and one with the Job's labels.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::json;

use crate::Result;
use crate::command::get;
use crate::command::kubectl;
use crate::command::list;
use crate::command::send;
use crate::command::text;
use crate::command::until;
use crate::command::variable;

/// What a Pod reached at last, by address.
#[derive(Debug)]
pub(crate) struct Reached(BTreeMap<String, bool>);

impl Reached {
    /// Whether it reached the address; one that was never dialled is an error.
    pub(crate) fn at(&self, address: &str) -> Result<bool> {
        self.0.get(address).copied().ok_or_else(|| format!("{address} was not dialled").into())
    }
}

/// Lets a Pod with such labels dial until all is as marked, `+` or `-`, three times in a row, or 15 seconds are over.
pub(crate) fn dial(name: &str, labels: &Value, marked: &[String]) -> Result<Reached> {
    let arguments: Vec<&str> = ["dial", "15"].into_iter().chain(marked.iter().map(String::as_str)).collect();
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name, "labels": labels },
        "spec": {
            "restartPolicy": "Never", "automountServiceAccountToken": false, "enableServiceLinks": false,
            "terminationGracePeriodSeconds": 0,
            "securityContext": {
                "runAsNonRoot": true, "runAsUser": 10001, "runAsGroup": 10001,
                "seccompProfile": { "type": "RuntimeDefault" }
            },
            "containers": [{
                "name": "probe", "image": variable("QL3_LIVE_PROBE")?, "imagePullPolicy": "Never", "args": arguments,
                "securityContext": {
                    "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
                    "capabilities": { "drop": ["ALL"] }
                },
            }],
        },
    });
    let delete = ["delete", "pod", name, "--ignore-not-found"];
    kubectl(&delete)?;
    send(&["create", "--filename=-"], &pod.to_string())?;
    until(&format!("the end of the Pod {name}"), 60, || {
        let pod = get(&["pod", name])?;
        Ok(matches!(text(&pod, "/status/phase"), "Succeeded" | "Failed").then_some(()))
    })?;
    let log = kubectl(&["logs", name])?;
    kubectl(&delete)?;
    Ok(Reached(read(&log)))
}

/// The addresses of the API server: of its Service, as a Pod is told it.
pub(crate) fn api() -> Result<String> {
    let service = get(&["service", "kubernetes", "--namespace=default"])?;
    Ok(format!("{}:443", text(&service, "/spec/clusterIP")))
}

/// The one address of the canary.
pub(crate) fn canary() -> Result<String> {
    let pods = get(&["pods", "--selector=app.kubernetes.io/name=ql3-retirement-deny-canary"])?;
    let running = list(&pods, "/items").iter().find(|pod| text(pod, "/status/phase") == "Running");
    Ok(running.map(|pod| text(pod, "/status/podIP").to_owned()).ok_or("no canary runs")?)
}

/// `+ADDRESS after 3 ms; -ADDRESS after 500 ms; `: the last word on an address counts.
fn read(log: &str) -> BTreeMap<String, bool> {
    let words = log.split("; ").filter_map(|word| word.trim().split_once(" after "));
    words
        .filter_map(|(marked, _when)| {
            marked
                .strip_prefix('+')
                .map(|address| (address.to_owned(), true))
                .or_else(|| marked.strip_prefix('-').map(|address| (address.to_owned(), false)))
        })
        .collect()
}
