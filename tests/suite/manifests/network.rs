//! Everything that the Job's Pod may reach.

use serde_json::Value;
use serde_json::json;

use super::BASE;
use super::CLOUDNATIVE_PG;
use super::PRIVATE;
use super::pod;
use crate::support::kustomize::documents;
use crate::support::kustomize::objects;
use crate::support::kustomize::one;
use crate::support::kustomize::path;
use crate::support::kustomize::render;

fn dns() -> Value {
    json!({
        "to": [{ "namespaceSelector": { "matchLabels": { "kubernetes.io/metadata.name": "kube-system" } },
                 "podSelector": { "matchLabels": { "k8s-app": "kube-dns" } } }],
        "ports": [{ "port": 53, "protocol": "UDP" }, { "port": 53, "protocol": "TCP" }],
    })
}

/// The canary's control port; its deny port, 9443, is in no rule.
fn twin() -> Value {
    to(
        &json!({ "podSelector": { "matchLabels": { "app.kubernetes.io/name": "ql3-retirement-deny-canary" } } }),
        9444,
    )
}

fn database() -> Value {
    to(&json!({ "podSelector": { "matchLabels": { "cnpg.io/cluster": "ql3-postgres" } } }), 5432)
}

fn server(cidr: &str, port: u16) -> Value {
    to(&json!({ "ipBlock": { "cidr": cidr } }), port)
}

fn to(peer: &Value, port: u16) -> Value {
    json!({ "to": [peer], "ports": [{ "port": port, "protocol": "TCP" }] })
}

#[test]
fn each_overlay_adds_one_way_out_and_none_comes_in() {
    let nobody = server("192.0.2.1/32", 6443);
    for (folder, egress) in [
        (BASE, vec![dns(), twin()]),
        (CLOUDNATIVE_PG, vec![dns(), twin(), database()]),
        (PRIVATE, vec![dns(), twin(), database(), nobody]),
    ] {
        let policy = one(&objects(folder), "NetworkPolicy");
        assert_eq!(policy["spec"]["egress"], json!(egress), "{folder}");
        assert_eq!(policy["spec"]["ingress"], json!([]));
        assert_eq!(policy["spec"]["policyTypes"], json!(["Ingress", "Egress"]));
    }
}

#[test]
fn the_policy_selects_the_job_and_neither_the_canary_nor_its_control() {
    let policy = one(&objects(BASE), "NetworkPolicy");
    let wanted = policy["spec"]["podSelector"]["matchLabels"].as_object().unwrap().clone();
    assert!(!wanted.is_empty());
    let selects = |workload: &Value| {
        let labels = &workload["spec"]["template"]["metadata"]["labels"];
        wanted.iter().all(|(name, value)| labels.get(name) == Some(value))
    };
    assert!(selects(&one(&objects(BASE), "Job")));
    let canary = one(&objects("kustomize/canary/base"), "Deployment");
    assert!(!selects(&canary));
    // Unlabelled, so that no policy of anybody's selects it by what it is.
    let control = one(&objects("kustomize/canary/control"), "Job");
    assert_eq!(control["spec"]["template"].get("metadata"), None);
    assert!(pod(&control).is_object());
    let twin = twin()["to"][0]["podSelector"]["matchLabels"].clone();
    for (name, value) in twin.as_object().unwrap() {
        assert_eq!(canary["spec"]["template"]["metadata"]["labels"][name], *value);
    }
}

/// The rules that `bundle endpoint` prints take the place of the example's.
pub(crate) fn with_endpoints(patch: &str) -> Vec<Value> {
    let copy = tempfile::tempdir().unwrap();
    let folders = ["rbac/key-retirement", "networkpolicy/key-retirement", BASE, CLOUDNATIVE_PG, PRIVATE];
    for folder in folders {
        std::fs::create_dir_all(copy.path().join(folder)).unwrap();
        for entry in std::fs::read_dir(path(folder)).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), copy.path().join(folder).join(entry.file_name())).unwrap();
        }
    }
    std::fs::write(copy.path().join(PRIVATE).join("api-server-egress-patch.yaml"), patch).unwrap();
    let policy = one(&documents(&render(&copy.path().join(PRIVATE))), "NetworkPolicy");
    let egress = policy["spec"]["egress"].as_array().unwrap().clone();
    assert_eq!(egress[..3], [dns(), twin(), database()]);
    egress[3..].to_vec()
}

#[test]
fn what_is_there_for_one_address_is_there_for_several() {
    let text = std::fs::read_to_string(path(PRIVATE).join("api-server-egress-patch.yaml")).unwrap();
    assert_eq!(with_endpoints(&text), [server("192.0.2.1/32", 6443)]);
}
