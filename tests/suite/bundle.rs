//! `bundle endpoint` and `bundle control`: what a private overlay needs, before a stand-in, before the real API server, and
//! as kustomize takes it.

use ql3_ops::barrier::proof::Nonce;
use ql3_ops::retire::Command;
use serde_json::Value;
use serde_json::json;

use crate::manifests;
use crate::manifests::with_endpoints;
use crate::support::apiserver::Answer;
use crate::support::apiserver::Http;
use crate::support::canary::Canary;
use crate::support::kustomize::documents;
use crate::support::kustomize::path;
use crate::support::lab;
use crate::support::program;
use crate::support::program::Ended;
use crate::support::scene;
use crate::support::scene::Scene;
use crate::support::store::Store;

fn endpoint(scene: &Scene) -> Ended {
    let env = scene.env();
    let mut command = program::program();
    command.args(["bundle", "endpoint", "--service-account-dir"]).arg(scene.mount.path());
    command.env("KUBERNETES_SERVICE_HOST", env.host.unwrap());
    command.env("KUBERNETES_SERVICE_PORT", env.port.unwrap());
    program::run(&mut command)
}

fn scene(service: Value, slices: Value) -> Scene {
    Scene::new(Http::Two, move |seen| {
        let found = if seen.target.contains("/services/") { &service } else { &slices };
        Answer::json(200, found).into()
    })
}

fn service(addresses: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "Service", "metadata": { "name": "kubernetes", "namespace": "default" },
            "spec": { "clusterIP": "10.96.0.1", "clusterIPs": addresses,
                      "ports": [{ "name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443 }] } })
}

fn slices(addresses: &Value) -> Value {
    json!({ "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSliceList", "metadata": {},
            "items": [{ "addressType": "IPv4", "endpoints": [{ "addresses": addresses }],
                        "ports": [{ "name": "https", "port": 6443, "protocol": "TCP" }] }] })
}

fn code(ended: &Ended) -> String {
    let line: Value = serde_json::from_str(&ended.stderr).unwrap_or_default();
    line["code"].as_str().unwrap_or_default().to_owned()
}

fn rules(patch: &str) -> Vec<(String, u64)> {
    let rules = with_endpoints(patch);
    let read = rules.iter().map(|rule| {
        assert_eq!((rule["to"].as_array().unwrap().len(), rule["ports"].as_array().unwrap().len()), (1, 1));
        assert_eq!(rule["ports"][0]["protocol"], "TCP");
        let cidr = rule["to"][0]["ipBlock"]["cidr"].as_str().unwrap().to_owned();
        (cidr, rule["ports"][0]["port"].as_u64().unwrap())
    });
    read.collect()
}

#[tokio::test]
async fn two_requests_are_made_and_kustomize_takes_the_rules() {
    let scene = scene(
        service(&json!(["10.96.0.1", "fd00::1"])),
        slices(&json!(["192.0.2.9", "192.0.2.8", "192.0.2.9"])),
    );
    let ended = endpoint(&scene);
    assert_eq!((ended.exit, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    let expected =
        [("10.96.0.1/32", 443), ("192.0.2.8/32", 6443), ("192.0.2.9/32", 6443), ("fd00::1/128", 443)];
    assert_eq!(rules(&ended.stdout), expected.map(|(cidr, port)| (cidr.to_owned(), port)));
    let seen = scene.server.seen();
    let requests: Vec<_> = seen.iter().map(|seen| (seen.method.as_str(), seen.target.as_str())).collect();
    let expected = [
        ("GET", "/api/v1/namespaces/default/services/kubernetes"),
        (
            "GET",
            "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dkubernetes&limit=16",
        ),
    ];
    assert_eq!(requests, expected);
}

#[tokio::test]
async fn what_cannot_be_a_rule_is_refused_and_nothing_is_printed() {
    let good = || (service(&json!(["10.96.0.1"])), slices(&json!(["192.0.2.9"])));
    let ((service_, slices_), many) =
        (good(), (1..=40).map(|last| format!("192.0.2.{last}")).collect::<Vec<_>>());
    for (service, slices, exit, expected) in [
        (service(&json!(["None"])), slices_.clone(), 65, "QL3_CLUSTER_ENDPOINTS_INVALID"),
        (service_.clone(), slices(&json!(["127.0.0.1"])), 65, "QL3_CLUSTER_ENDPOINTS_INVALID"),
        (service_.clone(), slices(&json!([])), 66, "QL3_CLUSTER_ENDPOINTS_ABSENT"),
        (service_.clone(), slices(&json!(many)), 65, "QL3_CLUSTER_ENDPOINTS_CROWD"),
        (service_.clone(), service_.clone(), 76, "QL3_CLUSTER_API_KIND"),
    ] {
        let ended = endpoint(&scene(service, slices));
        assert_eq!((ended.exit, code(&ended).as_str()), (Some(exit), expected), "{ended:?}");
        assert_eq!(ended.stdout, "");
    }
    let denied = Scene::new(Http::Two, |_seen| Answer::json(403, &json!({})).into());
    let ended = endpoint(&denied);
    assert_eq!((ended.exit, code(&ended).as_str()), (Some(77), "QL3_CLUSTER_API_DENIED"), "{ended:?}");
}

#[test]
fn the_real_api_servers_own_addresses_are_found() {
    let read = |what: &[&str]| lab::admin(&[&["-n", "default", "get"], what].concat());
    let endpoints = "jsonpath={range .items[*]}{.endpoints[*].addresses[0]}/32 {.ports[0].port}{'\\n'}{end}";
    let slices = ["endpointslices", "-l", "kubernetes.io/service-name=kubernetes", "-o", endpoints];
    // Loopback is no endpoint, so the lab's server publishes none: this is what one with an address would.
    if read(&slices).is_empty() {
        lab::create_or_keep(&json!({
            "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
            "metadata": { "name": "kubernetes", "namespace": "default",
                          "labels": { "kubernetes.io/service-name": "kubernetes" } },
            "endpoints": [{ "addresses": ["192.0.2.7"] }], "ports": [{ "name": "https", "port": 6443 }],
        }));
    }
    let mut command = program::program();
    command.args(["bundle", "endpoint", "--kubeconfig"]).arg(lab::kubeconfig());
    let ended = program::run(&mut command);
    assert_eq!((ended.exit, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    let front = read(&["service", "kubernetes", "-o", "jsonpath={.spec.clusterIP}"]);
    let mut expected = vec![format!("{front}/32 443")];
    expected.extend(read(&slices).lines().map(str::to_owned));
    expected.sort();
    let mut found: Vec<_> =
        rules(&ended.stdout).into_iter().map(|(cidr, port)| format!("{cidr} {port}")).collect();
    found.sort();
    assert_eq!(found, expected);
}

fn control(statement: &str) -> Ended {
    program::with_stdin(program::program().args(["bundle", "control"]), statement.as_bytes())
}

#[test]
fn a_controls_statement_becomes_the_config_map_that_the_barrier_reads() {
    let canary = Canary::closed();
    let environment = canary.environment();
    let statement =
        &environment.iter().find(|(name, _)| *name == "QL3_NETWORK_POLICY_CONTROL_PROOF").unwrap().1;
    let ended = control(&format!("{statement}\n"));
    assert_eq!((ended.exit, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    let object = &documents(&ended.stdout)[0];
    assert_eq!((&object["kind"], &object["immutable"]), (&"ConfigMap".into(), &true.into()));
    assert_eq!(object["metadata"]["namespace"], "qinglong3-system");
    let [init, _main] = manifests::both(manifests::PRIVATE);
    let variable = &manifests::environment(&init)["QL3_NETWORK_POLICY_CONTROL_PROOF"];
    let key = &variable["valueFrom"]["configMapKeyRef"];
    assert_eq!(object["metadata"]["name"], key["name"]);
    assert_eq!(object["data"], json!({ key["key"].as_str().unwrap(): statement }));
}

#[test]
fn a_statement_that_is_none_or_is_over_is_refused() {
    let statement = |begin: u64, end: u64| {
        format!(
            r#"{{"schema":"ql3-ops/barrier-control@v1","nonce":"operation-000001","commandDigest":"{}","canary":["192.0.2.1:9443"],"notBeforeMs":{begin},"notAfterMs":{end},"outcome":"connected"}}"#,
            "4".repeat(64)
        )
    };
    let (year, hour) = (4_000_000_000_000, 3_600_000);
    for (text, exit, expected) in [
        (String::new(), 66, "QL3_BUNDLE_STDIN_EMPTY"),
        ("connected".to_owned(), 78, "QL3_BARRIER_PROOF_MALFORMED"),
        (format!("{}\n{}", statement(1, 2), statement(1, 2)), 78, "QL3_BARRIER_PROOF_MALFORMED"),
        (" ".repeat(1 << 20), 78, "QL3_BARRIER_PROOF_MALFORMED"),
        (statement(1, 2), 81, "QL3_BARRIER_PROOF_OUTSIDE_WINDOW"),
        (statement(year, year + hour), 81, "QL3_BARRIER_PROOF_OUTSIDE_WINDOW"),
    ] {
        let ended = control(&text);
        assert_eq!((ended.exit, code(&ended).as_str()), (Some(exit), expected), "{ended:?}");
        assert_eq!(ended.stdout, "");
    }
}

#[tokio::test]
async fn a_command_comes_as_the_config_map_that_the_job_mounts() {
    let mut store = Store { object: scene::secret(&scene::two_keys()) };
    let scene = Scene::new(Http::Two, move |seen| store.answer(seen).into());
    let env = scene.env();
    let mut command = program::program();
    command.args(["retire", "command", "--key", "old", "--namespace", "qinglong", "--configmap"]);
    command.arg("--service-account-dir").arg(scene.mount.path());
    command
        .env("KUBERNETES_SERVICE_HOST", env.host.unwrap())
        .env("KUBERNETES_SERVICE_PORT", env.port.unwrap());
    let ended = program::run(&mut command);
    assert_eq!((ended.exit, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    let mut made = documents(&ended.stdout).remove(0);

    let text = std::fs::read_to_string(path("kustomize/key-retirement/command.example.yaml")).unwrap();
    let mut example = documents(&text).remove(0);
    let command = Command::parse(made["data"]["command.json"].as_str().unwrap().as_bytes()).unwrap();
    assert_eq!(
        (command.secret().unwrap().uid, command.request().unwrap().key_id.as_str()),
        ("uid-1".to_owned(), "old")
    );
    Nonce::parse(made["data"]["nonce"].as_str().unwrap()).unwrap();
    assert_eq!(made["metadata"]["namespace"], "qinglong");
    example["metadata"]["namespace"] = "qinglong".into();
    for object in [&mut made, &mut example] {
        for text in object["data"].as_object_mut().unwrap().values_mut() {
            *text = "filled in".into();
        }
    }
    assert_eq!(made, example);
}
