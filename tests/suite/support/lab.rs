//! The real API server of `hack/lab`, or of any cluster that `QL3_LAB_KUBECONFIG` names. Each test has a
//! namespace of its own, which goes with it.

use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::process::Stdio;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;
use std::time::SystemTime;
use std::time::UNIX_EPOCH;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::prelude::BASE64_STANDARD;
use ql3_ops::cluster::Authority;
use ql3_ops::cluster::ServiceEnv;
use ring::rand::SystemRandom;
use ring::signature::ECDSA_P256_SHA256_FIXED_SIGNING;
use ring::signature::EcdsaKeyPair;
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject;
use serde_json::Value;
use serde_json::json;
use tempfile::TempDir;

/// A namespace with a service account in it, and the mount that a Pod would have.
pub(crate) struct Lab {
    pub(crate) namespace: String,
    mount: TempDir,
    keep: Keep,
}

/// Whether the namespace outlives its test.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Keep {
    No,
    Yes,
}

impl Lab {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let namespace = format!("ql3-test-{}-{number}", std::process::id());
        kubectl(&["create", "namespace", &namespace], None);
        Self::in_namespace(namespace, Keep::No)
    }

    /// In a namespace of a fixed name, emptied of what an earlier run left. Without controllers a deleted
    /// namespace never goes, so this one stays.
    pub(crate) fn named(namespace: &str) -> Self {
        let (_made, _out, _err) = run(&["create", "namespace", namespace], None);
        let kinds = "secrets,serviceaccounts,roles,rolebindings";
        kubectl(&["-n", namespace, "delete", kinds, "--all"], None);
        Self::in_namespace(namespace.to_owned(), Keep::Yes)
    }

    fn in_namespace(namespace: String, keep: Keep) -> Self {
        let lab = Self { namespace, mount: tempfile::tempdir().unwrap(), keep };
        lab.kubectl(&["create", "serviceaccount", USER]);
        let ca = BASE64_STANDARD.decode(cluster("certificate-authority-data")).unwrap();
        std::fs::write(lab.mount.path().join("ca.crt"), ca).unwrap();
        let token = lab.kubectl(&["create", "token", USER, "--duration", "1h"]);
        std::fs::write(lab.mount.path().join("token"), token).unwrap();
        lab
    }

    /// What the API server would make of these manifests, and its complaint where it would refuse them. Nothing is kept.
    pub(crate) fn dry_run(manifests: &str) -> Result<(), String> {
        let (_made, _out, _err) = run(&["create", "namespace", "qinglong3-system"], None);
        let apply = ["apply", "--dry-run=server", "--validate=strict", "-f", "-"];
        let (good, _out, err) = run_with(&apply, manifests);
        if good && err.is_empty() { Ok(()) } else { Err(err) }
    }

    /// A kubeconfig that is the service account.
    pub(crate) fn kubeconfig_of_the_account(&self) -> String {
        let (server, ca) = (cluster("server"), cluster("certificate-authority-data"));
        json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "a",
            "contexts": [{ "name": "a", "context": { "cluster": "c", "user": "u" } }],
            "clusters": [{ "name": "c", "cluster": { "server": server, "certificate-authority-data": ca } }],
            "users": [{ "name": "u", "user": { "token": self.token().trim_end() } }],
        })
        .to_string()
    }

    /// Puts something into the mount that looks like a token and is none, as an expired one is none.
    pub(crate) fn forge_token(&self) {
        std::fs::write(self.mount.path().join("token"), "eyJhbGciOiJub25lIn0.e30.c2ln").unwrap();
    }

    /// Puts a token into the mount that ends so many seconds from now, signed with the lab's own key.
    pub(crate) fn sign_token(&self, seconds: i64) {
        let now = i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()).unwrap();
        let uid = self.kubectl(&["get", "serviceaccount", USER, "-o", "jsonpath={.metadata.uid}"]);
        let claims = json!({
            "iss": ISSUER, "aud": [ISSUER], "sub": format!("system:serviceaccount:{}:{USER}", self.namespace),
            "iat": now - 3600, "nbf": now - 3600, "exp": now + seconds,
            "kubernetes.io": { "namespace": self.namespace, "serviceaccount": { "name": USER, "uid": uid } },
        });
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&json!({ "alg": "ES256", "typ": "JWT" })), part(&claims));
        let pem = std::fs::read(kubeconfig().with_file_name("accounts.key")).expect("the key of hack/lab");
        let key = PrivatePkcs8KeyDer::from_pem_slice(&pem).unwrap();
        let random = SystemRandom::new();
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, key.secret_pkcs8_der(), &random)
            .unwrap();
        let signature = key.sign(&random, signed.as_bytes()).unwrap();
        let token = format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature));
        std::fs::write(self.mount.path().join("token"), token).unwrap();
    }

    /// The service account's authority, as its Pod would find it.
    pub(crate) fn in_cluster(&self) -> Authority {
        let server = cluster("server");
        let (host, port) = server.strip_prefix("https://").unwrap().rsplit_once(':').unwrap();
        Authority::InCluster(ServiceEnv {
            host: Some(host.to_owned()),
            port: Some(port.to_owned()),
            port_https: None,
            mount: self.mount.path().to_owned(),
        })
    }

    /// Gives the service account a Role with these rules, beside those it has.
    pub(crate) fn grant(&self, name: &str, rules: Value) {
        let mut role = json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
            "metadata": { "name": name, "namespace": self.namespace } });
        let binding = json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
            "metadata": { "name": name, "namespace": self.namespace },
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name },
            "subjects": [{ "kind": "ServiceAccount", "name": USER, "namespace": self.namespace }] });
        role["rules"] = rules;
        self.create(&role);
        self.create(&binding);
        self.wait_until_granted(&role["rules"][0]);
    }

    /// The authorizer learns of a binding a moment after it was stored.
    fn wait_until_granted(&self, rule: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let object = match rule.get("resourceNames") {
            Some(names) => format!("{}/{}", text(&rule["resources"][0]), text(&names[0])),
            None => text(&rule["resources"][0]),
        };
        let user = format!("system:serviceaccount:{}:{USER}", self.namespace);
        let ask = ["-n", &self.namespace, "auth", "can-i", &text(&rule["verbs"][0]), &object, "--as", &user];
        assert!((0..100).any(|_try| run(&ask, None).0), "{object} is still not granted");
    }

    pub(crate) fn create(&self, object: &Value) -> Value {
        let out = kubectl(&["create", "-n", &self.namespace, "-o", "json", "-f", "-"], Some(object));
        serde_json::from_str(&out).unwrap()
    }

    pub(crate) fn replace(&self, object: &Value) -> Value {
        let out = kubectl(&["replace", "-n", &self.namespace, "-o", "json", "-f", "-"], Some(object));
        serde_json::from_str(&out).unwrap()
    }

    pub(crate) fn secret(&self, name: &str) -> Value {
        serde_json::from_str(&self.kubectl(&["get", "secret", name, "-o", "json", "--show-managed-fields"]))
            .unwrap()
    }

    pub(crate) fn kubectl(&self, arguments: &[&str]) -> String {
        kubectl(&[&["-n", &self.namespace], arguments].concat(), None)
    }

    /// What the audit log says our service account did, as `verb resource` lines; `None` without a log.
    pub(crate) fn audited(&self) -> Option<Vec<String>> {
        let text = std::fs::read_to_string(std::env::var_os("QL3_LAB_AUDIT_LOG")?).unwrap();
        let user = format!("system:serviceaccount:{}:{USER}", self.namespace);
        let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let ours =
            events.filter(|event| event["user"]["username"] == *user && event["stage"] == "ResponseComplete");
        let line = |event: Value| {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            format!("{} {}", text(&event["verb"]), text(&event["objectRef"]["resource"]))
        };
        Some(ours.map(line).collect())
    }
}

/// How long an audit line may come after its answer.
const AUDIT: Duration = Duration::from_secs(10);

impl Lab {
    /// As [`Self::audited`], once there are so many lines: the log is written after the answer is sent.
    pub(crate) async fn audited_after(&self, lines: usize) -> Option<Vec<String>> {
        let end = Instant::now() + AUDIT;
        loop {
            let audited = self.audited()?;
            if audited.len() >= lines || Instant::now() > end {
                return Some(audited);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The mounted token.
    pub(crate) fn token(&self) -> String {
        std::fs::read_to_string(self.mount.path().join("token")).unwrap()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        if self.keep == Keep::Yes {
            return;
        }
        // A finalizer would keep the namespace for ever.
        let patch = r#"{"metadata":{"finalizers":null}}"#;
        let _patched = run(&["-n", &self.namespace, "patch", "secret", SECRET, "-p", patch], None);
        let _deleted = run(&["delete", "namespace", &self.namespace, "--wait=false"], None);
    }
}

/// What `kubectl` says to the operator.
pub(crate) fn admin(arguments: &[&str]) -> String {
    kubectl(arguments, None)
}

/// Makes an object that may be there already.
pub(crate) fn create_or_keep(object: &Value) {
    let (good, _out, err) = run(&["create", "-f", "-"], Some(object));
    assert!(good || err.contains("AlreadyExists"), "{err}");
}

/// A field of the lab's cluster in the operator's kubeconfig.
fn cluster(field: &str) -> String {
    let path = format!("jsonpath={{.clusters[0].cluster.{field}}}");
    kubectl(&["config", "view", "--raw", "--minify", "-o", &path], None)
}

fn kubectl(arguments: &[&str], input: Option<&Value>) -> String {
    let (good, out, err) = run(arguments, input);
    assert!(good, "kubectl {}: {err}", arguments.join(" "));
    out
}

fn run(arguments: &[&str], input: Option<&Value>) -> (bool, String, String) {
    run_with(arguments, &input.map(Value::to_string).unwrap_or_default())
}

fn run_with(arguments: &[&str], input: &str) -> (bool, String, String) {
    let kubeconfig = kubeconfig();
    let mut child = Command::new("kubectl")
        .arg("--kubeconfig")
        .arg(kubeconfig)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("kubectl on the PATH: eval \"$(hack/lab env)\"");
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

/// The operator's file. Without one the test fails: nothing is skipped.
pub(crate) fn kubeconfig() -> PathBuf {
    let path = std::env::var_os("QL3_LAB_KUBECONFIG");
    path.expect("no QL3_LAB_KUBECONFIG: run hack/lab up, then eval \"$(hack/lab env)\"").into()
}

/// Who issues the lab's tokens, and for whom (`hack/lab.d/cluster.sh`).
const ISSUER: &str = "https://kubernetes.default.svc.cluster.local";

/// The service account.
pub(crate) const USER: &str = "retirement";

/// The Secret that tests use.
pub(crate) const SECRET: &str = "ql3-prompt-output-keyring";
