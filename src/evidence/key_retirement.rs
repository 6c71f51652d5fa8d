//! The report of the reference's live gate for retiring a key, and its audit (ADR-0262).

use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::instant::is_instant;

/// What is wrong with a report, in the order in which findings are listed.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub enum Finding {
    /// The top level: another fixture, time or set of members.
    #[serde(rename = "QL3_PROMPT_OUTPUT_KEY_RETIREMENT_LIVE_REPORT_SHAPE")]
    ReportShape,
    /// The cluster that it ran on.
    #[serde(rename = "QL3_PROMPT_OUTPUT_KEY_RETIREMENT_LIVE_PLATFORM")]
    Platform,
    /// The database that it ran with.
    #[serde(rename = "QL3_PROMPT_OUTPUT_KEY_RETIREMENT_LIVE_DATABASE")]
    Database,
    /// What was done and observed.
    #[serde(rename = "QL3_PROMPT_OUTPUT_KEY_RETIREMENT_LIVE_OPERATION")]
    Operation,
    /// What was claimed from it.
    #[serde(rename = "QL3_PROMPT_OUTPUT_KEY_RETIREMENT_LIVE_GATES")]
    Gates,
    /// The limitations are not stated, or a member could hold a secret.
    #[serde(rename = "QL3_PROMPT_OUTPUT_KEY_RETIREMENT_LIVE_CONTENT")]
    Content,
}

/// The outcome of an audit. As compact JSON it is the line that the reference prints.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Audit {
    schema_version: u32,
    fixture: &'static str,
    /// What was found, in order.
    pub findings: Vec<Finding>,
    /// Whether nothing was found.
    pub compatible: bool,
}

/// Judges a report. Members are compared as sets; numbers must be the plain integers.
pub fn audit(report: &Value) -> Audit {
    let judgements = [
        (Finding::ReportShape, has_shape(report)),
        (
            Finding::Platform,
            is_section(report.get("platform"), &platform(), &PLATFORM_FREE) && has_image(report),
        ),
        (Finding::Database, is_section(report.get("database"), &database(), &DATABASE_FREE)),
        (Finding::Operation, is_section(report.get("operation"), &operation(), &[])),
        (Finding::Gates, is_section(report.get("gates"), &gates(), &[])),
        (Finding::Content, report.get("limitations") == Some(&json!(LIMITATIONS)) && !names_a_secret(report)),
    ];
    let findings: Vec<_> =
        judgements.into_iter().filter_map(|(finding, good)| (!good).then_some(finding)).collect();
    Audit { schema_version: 1, fixture: FIXTURE, compatible: findings.is_empty(), findings }
}

fn has_shape(report: &Value) -> bool {
    let Value::Object(members) = report else {
        return false;
    };
    members.len() == MEMBERS.len()
        && MEMBERS.iter().all(|name| members.contains_key(*name))
        && members.get("fixture") == Some(&json!(FIXTURE))
        && members.get("observedAt").and_then(Value::as_str).is_some_and(is_instant)
}

/// Whether a section has the fixed members with their values, the free ones with any, and no others.
fn is_section(section: Option<&Value>, fixed: &Value, free: &[&str]) -> bool {
    let (Some(Value::Object(section)), Value::Object(fixed)) = (section, fixed) else {
        return false;
    };
    section.len() == fixed.len() + free.len()
        && free.iter().all(|name| section.contains_key(*name))
        && fixed.iter().all(|(name, value)| section.get(name) == Some(value))
}

fn has_image(report: &Value) -> bool {
    let image = report.pointer("/platform/kubernetesImageId").and_then(Value::as_str);
    image.and_then(|id| id.strip_prefix("sha256:")).is_some_and(|digest| {
        digest.len() == 64 && digest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Whether a member at any depth has a name under which something secret could stand.
fn names_a_secret(value: &Value) -> bool {
    let among = |members: &Map<String, Value>| {
        members.iter().any(|(name, value)| SECRET_NAMES.contains(&name.as_str()) || names_a_secret(value))
    };
    match value {
        Value::Object(members) => among(members),
        Value::Array(items) => items.iter().any(names_a_secret),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn platform() -> Value {
    json!({ "distribution": "k3s", "cniName": "flannel", "controlPlaneNodes": 1, "workerNodes": 2 })
}

/// The counts of migrations are those of the reference's release.
fn database() -> Value {
    json!({
        "operator": "cloudnative-pg",
        "instances": 3,
        "readyInstances": 3,
        "migrationCount": 54,
        "aiMigrationCount": 16,
        "role": "ql3_ai_maintenance",
        "tlsVerified": true,
    })
}

fn operation() -> Value {
    json!({
        "jobsRun": 2,
        "status": "completed",
        "replayStatus": "existing",
        "generationAfter": 2,
        "retirementCount": 1,
        "preparationCount": 1,
        "completionCount": 1,
        "projectedTokenExpirationSeconds": 600,
        "activeKeyRetained": true,
        "inactiveKeyRemoved": true,
        "resourceVersionChangedOnce": true,
        "secretIdentityBound": true,
        "tokenAbsentFromInit": true,
        "rbacExact": true,
        "denyCanaryControlReachable": true,
        "denyCanaryEgressDenied": true,
    })
}

fn gates() -> Value {
    json!({
        "contentFreeEvidence": true,
        "durableReplay": true,
        "exactRbac": true,
        "passed": true,
        "realCloudNativePg": true,
        "realKubernetesApi": true,
        "resourceVersionCas": true,
        "samePodNetworkBarrier": true,
        "shortLivedToken": true,
    })
}

const FIXTURE: &str = "qinglong/prompt-output-key-retirement-kubernetes-live-contract@v1";
const MEMBERS: [&str; 7] =
    ["fixture", "observedAt", "platform", "database", "operation", "gates", "limitations"];
const PLATFORM_FREE: [&str; 3] = ["kubernetesVersion", "architecture", "kubernetesImageId"];
const DATABASE_FREE: [&str; 2] = ["operatorVersion", "postgresVersionNumber"];
/// Wire constants: the audit compares them byte for byte.
const LIMITATIONS: [&str; 3] = [
    "three privileged K3s Docker nodes with dynamic local-path volumes are not production infrastructure, CSI \
     or control-plane HA evidence",
    "the reachable deny canary is an in-cluster deterministic fixture rather than a production monitoring \
     dependency",
    "Kubernetes Secret resourceVersion CAS is not KMS wrapping, HSM non-exportability or external key custody \
     evidence",
];
const SECRET_NAMES: [&str; 9] =
    ["authorization", "data", "keyring", "material", "password", "resourceVersion", "secret", "token", "uid"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_object_has_every_finding() {
        let all = [
            Finding::ReportShape,
            Finding::Platform,
            Finding::Database,
            Finding::Operation,
            Finding::Gates,
            Finding::Content,
        ];
        for report in [Value::Null, json!([]), json!({}), json!("x")] {
            assert_eq!(audit(&report).findings, all, "{report}");
        }
        assert!(all.is_sorted());
    }

    #[test]
    fn a_free_member_may_have_any_value_but_must_be_there() {
        let fixed = json!({ "a": 1 });
        let section = |value: Value| is_section(Some(&value), &fixed, &["b"]);
        assert!(section(json!({ "a": 1, "b": null })));
        for other in [json!({ "a": 1 }), json!({ "a": 1, "c": 1 }), json!({ "a": 2, "b": 1 }), json!([])] {
            assert!(!section(other.clone()), "{other}");
        }
    }

    #[test]
    fn a_secret_name_is_found_at_any_depth_but_only_as_a_whole_name() {
        assert!(names_a_secret(&json!([{ "a": [{ "token": 1 }] }])));
        assert!(!names_a_secret(&json!({ "tokens": ["token"], "Token": "uid" })));
    }
}
