//! A ConfigMap carries an operation's input into its Job (ADR-0262): we print it, the operator creates it.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

/// The order, and the nonce that a control proof of it is bound to.
pub const COMMAND: &str = "ql3-prompt-output-key-retirement-command";

/// The control proof.
pub const CONTROL_PROOF: &str = "ql3-network-policy-control-proof";

/// A ConfigMap as JSON with a newline, for `kubectl replace --force -f -`. It cannot be edited in place: what a Pod has
/// read is what everybody sees.
pub fn config_map(namespace: &str, name: &str, entries: &[(&str, &str)]) -> String {
    let data: Map<String, Value> =
        entries.iter().map(|(key, text)| ((*key).to_owned(), (*text).into())).collect();
    let object = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {
                "app.kubernetes.io/name": "ql3-prompt-output-key-retirement",
                "app.kubernetes.io/component": "ai-maintenance",
                "app.kubernetes.io/part-of": "qinglong3",
            },
        },
        "immutable": true,
        "data": data,
    });
    serde_json::to_string_pretty(&object).unwrap_or_default() + "\n"
}
