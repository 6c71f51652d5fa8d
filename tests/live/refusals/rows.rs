//! The rows.

use serde_json::Value;
use serde_json::json;

use super::Expected;
use super::Row;
use crate::Result;
use crate::command::NAMESPACE;
use crate::command::get;
use crate::command::kubectl;
use crate::command::list;
use crate::command::number;
use crate::command::send;
use crate::command::text;
use crate::command::until;
use crate::command::variable;
use crate::keyring::Keyring;
use crate::overlay::Patch;
use crate::run;
use crate::scene::Scene;

/// All of them.
pub(super) fn rows() -> Vec<Row> {
    [fence(), canary(), retirement(), cluster()].into_iter().flatten().collect()
}

/// What the barrier refuses for the policy's sake, or the Pod's.
fn fence() -> Vec<Row> {
    vec![
        row(
            "a credential is mounted everywhere",
            |scene| {
                let path = "/spec/template/spec/automountServiceAccountToken";
                patched(scene, Patch::job(json!([{ "op": "replace", "path": path, "value": true }])))
            },
            Expected::Barrier(78, "QL3_BARRIER_CREDENTIAL_MOUNTED"),
        ),
        row(
            "the overlay's placeholders are still there",
            |scene| scene.overlay.apply_unfilled(),
            Expected::Barrier(78, "QL3_BARRIER_TARGET_INVALID"),
        ),
        row(
            "no policy",
            |scene| {
                patched(
                    scene,
                    Patch::policy(part(
                        "networking.k8s.io/v1",
                        "NetworkPolicy",
                        json!({ "$patch": "delete" }),
                    )),
                )
            },
            Expected::Barrier(80, "QL3_BARRIER_OPEN"),
        ),
        row(
            "a policy that selects nothing",
            |scene| {
                let path = "/spec/podSelector/matchLabels/app.kubernetes.io~1component";
                patched(scene, Patch::policy(json!([{ "op": "replace", "path": path, "value": "nobody" }])))
            },
            Expected::Barrier(80, "QL3_BARRIER_OPEN"),
        ),
        row(
            "no egress to the API server",
            |scene| {
                let rules = json!([
                    { "op": "remove", "path": "/spec/egress/4" }, { "op": "remove", "path": "/spec/egress/3" }
                ]);
                patched(scene, Patch::policy(rules))
            },
            Expected::Barrier(81, "QL3_BARRIER_API_UNREACHABLE"),
        ),
        row(
            "the policy goes between barrier and retirement",
            |scene| {
                let wait = json!([{
                    "op": "add", "path": "/spec/template/spec/initContainers/-", "value": until_open()?
                }]);
                patched(scene, Patch::job(wait))?;
                until("the container between them", 60, || {
                    let pods = get(&[
                        "pods",
                        "--selector=batch.kubernetes.io/job-name=ql3-prompt-output-key-retirement",
                    ])?;
                    let pod = list(&pods, "/items").first().cloned().unwrap_or_default();
                    let between =
                        list(&pod, "/status/initContainerStatuses").get(1).cloned().unwrap_or_default();
                    let over = number(&pod, "/status/initContainerStatuses/0/state/terminated/exitCode")
                        .is_some_and(|exit| exit != 0);
                    Ok((over || between.pointer("/state/running").is_some()).then_some(()))
                })?;
                kubectl(&["delete", "networkpolicy", run::JOB]).map(drop)
            },
            Expected::Retirement(80, "QL3_BARRIER_OPEN"),
        ),
    ]
}

/// What it refuses because the canary proves nothing.
fn canary() -> Vec<Row> {
    vec![
        Row {
            name: "the canary is gone",
            before: |_scene| {
                kubectl(&["scale", CANARY, "--replicas=0"])?;
                kubectl(&["wait", "--for=delete", "pod", CANARY_PODS, "--timeout=60s"]).map(drop)
            },
            apply: plainly,
            after: |_scene| {
                kubectl(&["scale", CANARY, "--replicas=1"])?;
                kubectl(&["rollout", "status", CANARY, "--timeout=60s"]).map(drop)
            },
            expected: Expected::Barrier(81, "QL3_BARRIER_CANARY_UNRESOLVED"),
        },
        Row {
            name: "the canary's Service has an address and no endpoints",
            before: |_scene| {
                kubectl(&["delete", "configmap", PROOF])?;
                kubectl(&["create", "service", "clusterip", "ql3-live-hollow", "--tcp=9443", "--tcp=9444"])
                    .map(drop)
            },
            apply: |scene| {
                let host = json!([{
                    "name": "QL3_NETWORK_POLICY_DENY_CANARY_HOST", "value": "ql3-live-hollow.qinglong3-system.svc"
                }]);
                let containers = json!({ "spec": { "template": { "spec": {
                    "initContainers": [{ "name": "network-policy-ready", "env": host }],
                    "containers": [{ "name": "retirement", "env": host }],
                } } } });
                patched(scene, Patch::job(part("batch/v1", "Job", containers)))
            },
            after: |_scene| kubectl(&["delete", "service", "ql3-live-hollow"]).map(drop),
            expected: Expected::Barrier(81, "QL3_BARRIER_CANARY_DEAD"),
        },
        Row {
            name: "the control's statement is over",
            before: |_scene| {
                rewrite_proof(|proof| {
                    for member in ["notBeforeMs", "notAfterMs"] {
                        proof[member] = json!(proof[member].as_u64().unwrap_or_default() - 3_600_000);
                    }
                })
            },
            apply: plainly,
            after: nothing,
            expected: Expected::Barrier(81, "QL3_BARRIER_PROOF_OUTSIDE_WINDOW"),
        },
        Row {
            name: "the control's statement is for another order",
            before: |_scene| rewrite_proof(|proof| proof["nonce"] = json!("operation-of-yesterday")),
            apply: plainly,
            after: nothing,
            expected: Expected::Barrier(81, "QL3_BARRIER_PROOF_OTHER_OPERATION"),
        },
    ]
}

/// What the retirement itself refuses.
fn retirement() -> Vec<Row> {
    vec![
        row(
            "the identity may list Secrets",
            |scene| {
                let rule = json!({ "apiGroups": [""], "resources": ["secrets"], "verbs": ["list"] });
                patched(scene, Patch::role(json!([{ "op": "add", "path": "/rules/-", "value": rule }])))
            },
            Expected::Retirement(77, "QL3_CLUSTER_ACCESS_TOO_WIDE"),
        ),
        row(
            "no token is mounted",
            |scene| {
                let removed = json!([
                    { "op": "remove", "path": "/spec/template/spec/containers/0/volumeMounts/2" },
                    { "op": "remove", "path": "/spec/template/spec/volumes/2" },
                ]);
                patched(scene, Patch::job(removed))
            },
            Expected::Retirement(78, "QL3_CLUSTER_CERTIFICATE_UNREADABLE"),
        ),
        Row {
            name: "the database's authority is another",
            before: |_scene| {
                let authority = get(&["configmap", "kube-root-ca.crt"])?;
                let secret = json!({
                    "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "ql3-live-other-ca" },
                    "stringData": { "ca.crt": text(&authority, "/data/ca.crt") },
                });
                send(&["create", "--filename=-"], &secret.to_string()).map(drop)
            },
            apply: |scene| {
                let path = "/spec/template/spec/volumes/1/secret/secretName";
                patched(
                    scene,
                    Patch::job(json!([{ "op": "replace", "path": path, "value": "ql3-live-other-ca" }])),
                )
            },
            after: |_scene| kubectl(&["delete", "secret", "ql3-live-other-ca"]).map(drop),
            expected: Expected::Retirement(76, "QL3_POSTGRES_TLS_ISSUER_UNKNOWN"),
        },
        row(
            "no egress to the database",
            |scene| patched(scene, Patch::policy(json!([{ "op": "remove", "path": "/spec/egress/2" }]))),
            Expected::Retirement(69, "QL3_POSTGRES_UNREACHABLE"),
        ),
        Row {
            name: "the Secret is another object of the same name",
            before: |_scene| Keyring::recreate(),
            apply: plainly,
            after: Scene::order,
            expected: Expected::Retirement(65, "QL3_SECRET_INVALID"),
        },
    ]
}

/// What the cluster refuses.
fn cluster() -> Vec<Row> {
    vec![Row {
        name: "no Pod is allowed",
        before: |_scene| kubectl(&["create", "quota", "ql3-live-none", "--hard=pods=0"]).map(drop),
        apply: plainly,
        after: |_scene| kubectl(&["delete", "quota", "ql3-live-none"]).map(drop),
        expected: Expected::NoPod("exceeded quota: ql3-live-none"),
    }]
}

/// A row that needs nothing beforehand and leaves nothing.
fn row(name: &'static str, apply: fn(&Scene) -> Result<()>, expected: Expected) -> Row {
    Row { name, before: nothing, apply, after: nothing, expected }
}

#[expect(clippy::unnecessary_wraps, reason = "it stands where others may fail")]
fn nothing(_scene: &Scene) -> Result<()> {
    Ok(())
}

fn plainly(scene: &Scene) -> Result<()> {
    scene.overlay.apply_retirement()
}

fn patched(scene: &Scene, patch: Patch) -> Result<()> {
    scene.overlay.apply_patched(&[patch])
}

/// A part of the bundle's object of that kind.
fn part(version: &str, kind: &str, mut rest: Value) -> Value {
    rest["apiVersion"] = json!(version);
    rest["kind"] = json!(kind);
    rest["metadata"] = json!({ "name": run::JOB, "namespace": NAMESPACE });
    rest
}

/// Puts another statement in the place of the control's.
fn rewrite_proof(change: fn(&mut Value)) -> Result<()> {
    let mut map = get(&["configmap", PROOF])?;
    let mut proof: Value = serde_json::from_str(text(&map, "/data/control-proof.json"))?;
    change(&mut proof);
    map["data"]["control-proof.json"] = json!(proof.to_string());
    map["metadata"] = json!({ "name": PROOF });
    send(&["replace", "--force", "--filename=-"], &map.to_string()).map(drop)
}

/// A container that ends when the public host can be reached.
fn until_open() -> Result<Value> {
    Ok(json!({
        "name": "between", "image": variable("QL3_LIVE_PROBE")?, "imagePullPolicy": "Never",
        "args": ["dial", "60", format!("+{}:443", variable("QL3_LAB_WORLD")?)],
        "securityContext": {
            "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": { "drop": ["ALL"] }
        },
    }))
}

const CANARY: &str = "deployment/ql3-retirement-deny-canary";
const CANARY_PODS: &str = "--selector=app.kubernetes.io/name=ql3-retirement-deny-canary";
const PROOF: &str = "ql3-network-policy-control-proof";
