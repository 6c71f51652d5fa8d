use serde_json::Value;
use serde_json::json;

use super::*;

fn good() -> Value {
    let pass = "pass";
    json!({
        "fixture": FIXTURE,
        "observedAt": "2026-11-29T20:00:00Z",
        "program": { "version": "0.1.0", "image": format!("sha256:{}", "a".repeat(64)) },
        "platform": {
            "distribution": "ql3-lab", "kubernetesVersion": "v1.34.4", "architecture": "amd64",
            "containerRuntime": "containerd://1.6.20", "enforcer": "kube-router-v2.1.0", "newPods": "open", "nodes": 2
        },
        "database": {
            "operator": "cloudnative-pg", "operatorVersion": "1.30.0", "postgresVersionNumber": 180_006,
            "instances": 3, "readyInstances": 3, "role": "ql3_ai_maintenance", "tls": true
        },
        "operation": {
            "status": "completed", "replayStatus": "existing", "generationAfter": 2, "retirementCount": 1,
            "preparationCount": 1, "completionCount": 1, "tokenSeconds": 600, "activeKeyRetained": true,
            "inactiveKeyRemoved": true, "resourceVersionChangedOnce": true, "secretIdentityKept": true,
            "initWithoutMounts": true, "rbacExact": true
        },
        "network": {
            "barrier": "POLICY_READY", "grounds": ["twin", "control-proof"], "unselectedReachesCanary": true,
            "unselectedReachesApi": true, "unselectedReachesOutside": true, "selectedReachesCanary": false,
            "selectedReachesOutside": false
        },
        "requests": {
            "first": { "reviews": 10, "gets": 3, "puts": 1, "others": 0 },
            "replay": { "reviews": 10, "gets": 1, "puts": 0, "others": 0 }
        },
        "gates": {
            "durableReplay": pass, "exactRbac": pass, "exactRequests": pass, "keyRetired": pass,
            "managedDatabase": pass, "policyEnforced": pass, "samePodBarrier": pass,
            "secretCompareAndSwap": pass, "shortLivedToken": pass
        },
        "passed": true,
        "limitations": ["lab-is-not-production", "canary-is-a-fixture", "secret-is-no-key-management"]
    })
}

fn audit(report: &Value) -> Vec<Finding> {
    serde_json::from_value::<Report>(report.clone()).map_or(vec![Finding::Shape], |report| report.audit())
}

/// The pointers of all leaves.
fn leaves(value: &Value, at: &str) -> Vec<String> {
    match value {
        Value::Object(members) => {
            members.iter().flat_map(|(name, value)| leaves(value, &format!("{at}/{name}"))).collect()
        }
        Value::Array(items) => (0..items.len()).map(|index| format!("{at}/{index}")).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => vec![at.to_owned()],
    }
}

fn without(report: &Value, pointer: &str) -> Value {
    let mut report = report.clone();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = report.pointer_mut(parent).unwrap();
    if let Value::Object(members) = parent {
        members.remove(name);
    } else {
        parent.as_array_mut().unwrap().remove(name.parse().unwrap());
    }
    report
}

#[test]
fn a_good_report_has_no_finding() {
    assert_eq!(audit(&good()), []);
}

/// Reverse fixtures, made from every leaf: what is missing, of another type or another value is found. Free words
/// may be other plain words; one ground of two may be missing.
#[test]
fn every_leaf_that_is_dropped_retyped_or_changed_is_found() {
    let free =
        ["version", "distribution", "kubernetesVersion", "architecture", "containerRuntime", "enforcer"];
    let mut found = 0;
    for pointer in leaves(&good(), "") {
        let name = pointer.rsplit('/').next().unwrap();
        let is_ground = pointer.contains("/grounds/");
        let dropped = audit(&without(&good(), &pointer));
        assert_eq!(dropped.is_empty(), is_ground, "{pointer} dropped");
        let mut variants =
            vec![json!(null), json!([]), json!({}), json!(-1), json!(1.5), json!("a b"), json!("")];
        let free =
            is_ground || free.contains(&name) || ["operator", "operatorVersion", "newPods"].contains(&name);
        if !free {
            let good = good();
            let leaf = good.pointer(&pointer).unwrap();
            let other = leaf.as_u64().map(|number| json!(number ^ 1 << 20));
            let other = other.or(leaf.as_bool().map(|flag| json!(!flag)));
            variants.push(other.unwrap_or(json!("otherwise")));
        }
        for variant in variants {
            let mut report = good();
            *report.pointer_mut(&pointer).unwrap() = variant.clone();
            // The nodes may be more.
            if !(name == "nodes" || name == "postgresVersionNumber") || !variant.is_u64() {
                assert!(!audit(&report).is_empty(), "{pointer} = {variant}");
                found += 1;
            }
        }
    }
    assert!(found > 250, "{found}");
}

#[test]
fn unknown_members_are_found_in_every_section() {
    for section in
        ["", "/program", "/platform", "/database", "/operation", "/network", "/requests/first", "/gates"]
    {
        let mut report = good();
        report.pointer_mut(section).unwrap()["token"] = json!("x");
        assert_eq!(audit(&report), [Finding::Shape], "{section}");
    }
}

#[test]
fn a_gate_that_was_not_run_is_no_pass_and_a_gate_that_lies_is_found() {
    let mut report = good();
    report["database"] = Value::Null;
    assert_eq!(audit(&report), [Finding::Misjudged]);
    report["gates"]["managedDatabase"] = json!("not-run");
    assert_eq!(audit(&report), [Finding::Misjudged, Finding::NotPassed]);
    report["passed"] = json!(false);
    assert_eq!(audit(&report), [Finding::NotPassed]);

    let mut report = good();
    report["network"]["selectedReachesCanary"] = json!(true);
    assert_eq!(audit(&report), [Finding::Misjudged]);
    report["gates"]["policyEnforced"] = json!("fail");
    report["passed"] = json!(false);
    assert_eq!(audit(&report), [Finding::NotPassed]);
}
