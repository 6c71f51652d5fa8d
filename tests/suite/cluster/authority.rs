//! Authorities from files: what is honoured, and each refusal before the first packet.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ql3_ops::cluster::Authority;
use ql3_ops::cluster::Cluster;
use ql3_ops::cluster::Error;
use ql3_ops::cluster::ServiceEnv;
use ql3_ops::cluster::authority;
use serde_json::Value;
use serde_json::json;

use crate::support::apiserver::Http;
use crate::support::pki::Ca;
use crate::support::scene;
use crate::support::scene::Scene;
use crate::support::scene::soon;
use crate::support::store::Store;

fn scene() -> Scene {
    let mut store = Store { object: scene::secret(&scene::two_keys()) };
    Scene::new(Http::Two, move |seen| store.answer(seen).into())
}

fn refusal(authority: &Authority) -> &'static str {
    match Cluster::connect(authority).map(|_cluster| ()) {
        Err(error @ Error::Authority(_)) => {
            assert_eq!(error.code().name, "TypeError");
            error.code().printed()
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_pods_environment_is_taken_literally() {
    let scene = scene();
    let with = |change: fn(&mut ServiceEnv)| {
        let mut env = scene.env();
        change(&mut env);
        refusal(&Authority::InCluster(env))
    };
    assert_eq!(with(|env| env.host = None), "QL3_CLUSTER_ENVIRONMENT_MISSING");
    assert_eq!(with(|env| env.port = None), "QL3_CLUSTER_ENVIRONMENT_MISSING");
    assert_eq!(with(|env| env.host = Some("a/b".to_owned())), "QL3_CLUSTER_HOST_INVALID");
    assert_eq!(with(|env| env.port_https = Some("6443".to_owned())), "QL3_CLUSTER_PORT_DIFFERS");
    for port in ["+443", "0443", "tcp://10.96.0.1:443", "0", "65536", ""] {
        let mut env = scene.env();
        env.port = Some(port.to_owned());
        env.port_https = None;
        assert_eq!(refusal(&Authority::InCluster(env)), "QL3_CLUSTER_PORT_INVALID", "{port}");
    }
}

#[tokio::test]
async fn a_ca_bundle_may_have_comments_crlf_and_several_of_one_subject() {
    let ours = Ca::new("kubernetes");
    let mut store = Store { object: scene::secret(&scene::two_keys()) };
    let server =
        crate::support::apiserver::Server::start(&ours.issue(&["127.0.0.1"]), Http::One, move |seen| {
            store.answer(seen).into()
        });
    let bundle =
        format!("# old one\n{}# new one\n{}", Ca::new("kubernetes").pem, ours.pem).replace('\n', "\r\n");
    let scene = Scene::before(server, &bundle);
    let secret = scene::secret_ref(&scene::secret(&scene::two_keys()));
    scene.cluster().read(&secret, soon()).await.map(|_observed| ()).unwrap();
}

#[tokio::test]
async fn a_bundle_that_would_trust_less_or_other_than_meant_is_refused() {
    let scene = scene();
    let ca = Ca::new("kubernetes");
    let leaf = ca.issue(&["127.0.0.1"]);
    let end = "-----END CERTIFICATE-----";
    let cases = [
        (String::from("# nothing\n"), "QL3_CLUSTER_CA_EMPTY"),
        (format!("{}{}", ca.pem, ca.pem.replacen(end, "", 1)), "QL3_CLUSTER_CA_DAMAGED"),
        (format!("{}{}", ca.pem, leaf.key), "QL3_CLUSTER_CA_DAMAGED"),
        (format!("-----BEGIN CERTIFICATE-----\nAAAA\n{end}\n"), "QL3_CLUSTER_CA_DAMAGED"),
        (format!("{}{}", ca.pem, leaf.pem), "QL3_CLUSTER_CA_IS_LEAF"),
    ];
    for (bundle, code) in cases {
        std::fs::write(scene.mount.path().join("ca.crt"), bundle).unwrap();
        assert_eq!(refusal(&Authority::InCluster(scene.env())), code);
    }
    std::fs::write(scene.mount.path().join("ca.crt"), format!("{}{}", ca.pem, leaf.pem)).unwrap();
    let error = Cluster::connect(&Authority::InCluster(scene.env())).map(|_cluster| ()).unwrap_err();
    assert_eq!(error, Error::Authority(authority::Error::CaIsLeaf { block: 2 }));
    std::fs::write(scene.mount.path().join("ca.crt"), vec![b' '; 300_000]).unwrap();
    assert_eq!(refusal(&Authority::InCluster(scene.env())), "QL3_CLUSTER_CERTIFICATE_UNREADABLE");
}

#[tokio::test]
async fn a_token_is_checked_before_anything_is_sent() {
    let scene = scene();
    for token in ["two\nlines", "space inside", "", "cr\r\n"] {
        std::fs::write(scene.mount.path().join("token"), token).unwrap();
        let code = refusal(&Authority::InCluster(scene.env()));
        let expected =
            if token.is_empty() { "QL3_CLUSTER_TOKEN_UNREADABLE" } else { "QL3_CLUSTER_TOKEN_INVALID" };
        assert_eq!(code, expected, "{token:?}");
    }
    std::fs::remove_file(scene.mount.path().join("token")).unwrap();
    assert_eq!(refusal(&Authority::InCluster(scene.env())), "QL3_CLUSTER_TOKEN_UNREADABLE");
}

/// A kubeconfig that works, as JSON (which is YAML), changed by the test.
fn kubeconfig(scene: &Scene, change: impl FnOnce(&mut Value, &mut Value)) -> Authority {
    let ca = std::fs::read(scene.mount.path().join("ca.crt")).unwrap();
    let mut cluster = json!({
        "server": format!("https://{}", scene.server.address),
        "certificate-authority-data": BASE64_STANDARD.encode(ca),
    });
    let mut user = json!({ "token": "the-token" });
    change(&mut cluster, &mut user);
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "here",
        "contexts": [{ "name": "here", "context": { "cluster": "c", "user": "u" } }],
        "clusters": [{ "name": "c", "cluster": cluster }],
        "users": [{ "name": "u", "user": user }],
    });
    let path = scene.mount.path().join("kubeconfig");
    std::fs::write(&path, config.to_string()).unwrap();
    Authority::Kubeconfig { path, context: None }
}

async fn find(scene: &Scene, authority: &Authority) -> String {
    let cluster = Cluster::connect(authority).unwrap();
    let name = "ql3-prompt-output-keyring";
    let found = cluster.find("qinglong", name, scene::DATA_KEY, soon()).await.unwrap();
    assert_eq!(found.uid(), "uid-1");
    scene.server.seen().last().unwrap().header("authorization").unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_kubeconfigs_static_credentials_are_honoured() {
    let scene = scene();
    assert_eq!(find(&scene, &kubeconfig(&scene, |_, _| {})).await, "Bearer the-token");
    let files = kubeconfig(&scene, |cluster, user| {
        cluster["certificate-authority-data"].take();
        cluster["certificate-authority"] = "ca.crt".into();
        *user = json!({ "tokenFile": "token" });
    });
    assert_eq!(find(&scene, &files).await, "Bearer the-token");
    let named = kubeconfig(&scene, |cluster, _| cluster["tls-server-name"] = "kubernetes.default.svc".into());
    assert_eq!(find(&scene, &named).await, "Bearer the-token");
    let leaf = Ca::new("clients").issue(&["operator"]);
    let certificate = kubeconfig(&scene, |_, user| {
        *user = json!({
            "client-certificate-data": BASE64_STANDARD.encode(&leaf.pem),
            "client-key-data": BASE64_STANDARD.encode(&leaf.key),
        });
    });
    assert_eq!(find(&scene, &certificate).await, "");
}

type Change = fn(&mut Value, &mut Value);

#[tokio::test]
async fn a_kubeconfig_that_needs_more_than_static_credentials_is_refused() {
    let scene = scene();
    let cases: &[(Change, &str)] = &[
        (
            |_, user| user["exec"] = json!({ "apiVersion": "v1", "command": "x" }),
            "QL3_KUBECONFIG_EXEC_REFUSED",
        ),
        (|_, user| user["auth-provider"] = json!({ "name": "oidc" }), "QL3_KUBECONFIG_AUTH_PROVIDER_REFUSED"),
        (|_, user| user["username"] = "u".into(), "QL3_KUBECONFIG_PASSWORD_REFUSED"),
        (|_, user| user["password"] = "p".into(), "QL3_KUBECONFIG_PASSWORD_REFUSED"),
        (|_, user| user["as"] = "root".into(), "QL3_KUBECONFIG_IMPERSONATION_REFUSED"),
        (|_, user| user["as-groups"] = json!(["g"]), "QL3_KUBECONFIG_IMPERSONATION_REFUSED"),
        (|_, user| *user = json!({}), "QL3_KUBECONFIG_CREDENTIAL_MISSING"),
        (|_, user| user["tokenFile"] = "token".into(), "QL3_KUBECONFIG_TOKEN_AMBIGUOUS"),
        (
            |_, user| *user = json!({ "client-certificate-data": "AAAA" }),
            "QL3_CLUSTER_CLIENT_CERTIFICATE_INVALID",
        ),
        (|_, user| *user = json!({ "client-key-data": "%" }), "QL3_KUBECONFIG_INVALID"),
        (|cluster, _| cluster["insecure-skip-tls-verify"] = true.into(), "QL3_KUBECONFIG_INSECURE_REFUSED"),
        (|cluster, _| cluster["proxy-url"] = "http://p".into(), "QL3_KUBECONFIG_PROXY_REFUSED"),
        (|cluster, _| cluster["server"] = "http://127.0.0.1".into(), "QL3_CLUSTER_SERVER_NOT_HTTPS"),
        (|cluster, _| cluster["server"] = "https://u:p@h".into(), "QL3_CLUSTER_SERVER_INVALID"),
        (|cluster, _| cluster["tls-server-name"] = "a b".into(), "QL3_CLUSTER_SERVER_INVALID"),
        (|cluster, _| drop(cluster["certificate-authority-data"].take()), "QL3_CLUSTER_CA_MISSING"),
        (|cluster, _| cluster["certificate-authority-data"] = "".into(), "QL3_CLUSTER_CA_EMPTY"),
    ];
    for (change, code) in cases {
        assert_eq!(refusal(&kubeconfig(&scene, change)), *code);
    }
    let Authority::Kubeconfig { path, .. } = kubeconfig(&scene, |_, _| {}) else { panic!("a kubeconfig") };
    let other = Authority::Kubeconfig { path: path.clone(), context: Some("there".to_owned()) };
    assert_eq!(refusal(&other), "QL3_KUBECONFIG_CONTEXT_UNKNOWN");
    let authority = Authority::Kubeconfig { path: path.clone(), context: None };
    std::fs::write(&path, "clusters: [").unwrap();
    assert_eq!(refusal(&authority), "QL3_KUBECONFIG_INVALID");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(refusal(&authority), "QL3_KUBECONFIG_UNREADABLE");
}

/// Other clients would ask a proxy, trust another store or read another file because of these.
const LURES: [(&str, &str); 14] = [
    ("ALL_PROXY", "http://127.0.0.1:1"),
    ("HOSTALIASES", "/nonexistent"),
    ("HTTPS_PROXY", "http://127.0.0.1:1"),
    ("HTTP_PROXY", "http://127.0.0.1:1"),
    ("KUBECONFIG", "/nonexistent"),
    ("KUBERNETES_SERVICE_HOST", "127.0.0.1"),
    ("KUBERNETES_SERVICE_PORT", "1"),
    ("LOCALDOMAIN", "invalid"),
    ("RES_OPTIONS", "attempts:0"),
    ("SSLKEYLOGFILE", "/nonexistent/keys"),
    ("SSL_CERT_DIR", "/nonexistent"),
    ("SSL_CERT_FILE", "/nonexistent"),
    ("all_proxy", "http://127.0.0.1:1"),
    ("https_proxy", "http://127.0.0.1:1"),
];

#[test]
fn nothing_in_the_environment_leads_elsewhere() {
    for test in [
        "a_kubeconfigs_static_credentials_are_honoured",
        "a_ca_bundle_may_have_comments_crlf_and_several_of_one_subject",
    ] {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        let output =
            command.args(["--exact", &format!("cluster::authority::{test}")]).envs(LURES).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
    }
}
