//! A cluster client in front of a stand-in, and Secrets with keyrings in the states that a test wants.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ql3_ops::cluster::Authority;
use ql3_ops::cluster::Cluster;
use ql3_ops::cluster::SecretRef;
use ql3_ops::cluster::ServiceEnv;
use ql3_ops::keyring::Digest;
use ql3_ops::keyring::Identity;
use ql3_ops::keyring::KeyId;
use ql3_ops::keyring::Manifest;
use ql3_ops::keyring::Preparation;
use ql3_ops::keyring::Request;
use ql3_ops::keyring::Retirement;
use ql3_ops::keyring::State;
use ql3_ops::keyring::absence_proof;
use ql3_ops::time::Deadline;
use serde_json::Value;
use serde_json::json;
use tempfile::TempDir;

use crate::support::apiserver::Http;
use crate::support::apiserver::Play;
use crate::support::apiserver::Seen;
use crate::support::apiserver::Server;
use crate::support::pki::Ca;

/// A stand-in with the mount that leads to it.
pub(crate) struct Scene {
    pub(crate) server: Server,
    pub(crate) mount: TempDir,
}

impl Scene {
    pub(crate) fn new(http: Http, script: impl FnMut(&Seen) -> Play + Send + 'static) -> Self {
        let ca = Ca::new("kubernetes");
        let server = Server::start(&ca.issue(&["127.0.0.1", "kubernetes.default.svc"]), http, script);
        Self::before(server, &ca.pem)
    }

    pub(crate) fn before(server: Server, ca: &str) -> Self {
        let mount = tempfile::tempdir().unwrap();
        std::fs::write(mount.path().join("ca.crt"), ca).unwrap();
        std::fs::write(mount.path().join("token"), "the-token\n").unwrap();
        Self { server, mount }
    }

    pub(crate) fn env(&self) -> ServiceEnv {
        ServiceEnv {
            host: Some(self.server.address.ip().to_string()),
            port: Some(self.server.address.port().to_string()),
            port_https: Some(self.server.address.port().to_string()),
            mount: self.mount.path().to_owned(),
        }
    }

    pub(crate) fn cluster(&self) -> Cluster {
        Cluster::connect(&Authority::InCluster(self.env())).unwrap()
    }
}

/// Long enough for anything that answers.
pub(crate) fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(10))
}

pub(crate) fn secret_ref(object: &Value) -> SecretRef {
    let text = |name: &str| object["metadata"][name].as_str().unwrap().to_owned();
    SecretRef {
        namespace: text("namespace"),
        name: text("name"),
        uid: text("uid"),
        data_key: DATA_KEY.to_owned(),
    }
}

/// A Secret object around a keyring.
pub(crate) fn secret(manifest: &Manifest) -> Value {
    let object = json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque", "immutable": false,
        "metadata": {
            "name": "ql3-prompt-output-keyring", "namespace": "qinglong", "uid": "uid-1", "resourceVersion": "1",
            "labels": { "app.kubernetes.io/managed-by": "qinglong3", "qinglong.io/prompt-output-keyring": "v1" },
            "annotations": {}
        },
    });
    with_keyring(&object, manifest)
}

/// The same object with another keyring in it.
pub(crate) fn with_keyring(object: &Value, manifest: &Manifest) -> Value {
    let mut object = object.clone();
    let annotations = &mut object["metadata"]["annotations"];
    annotations["qinglong.io/prompt-output-keyring-generation"] = manifest.generation().to_string().into();
    annotations["qinglong.io/prompt-output-keyring-catalog-digest"] =
        manifest.catalog_digest().to_string().into();
    object["data"] = json!({ DATA_KEY: BASE64_STANDARD.encode(manifest.canonical().expose()) });
    object
}

pub(crate) fn keyring(object: &Value) -> Manifest {
    let bytes = BASE64_STANDARD.decode(object["data"][DATA_KEY].as_str().unwrap()).unwrap();
    Manifest::parse(&bytes).unwrap()
}

/// A keyring with an active key `new` and an inactive key `old`.
pub(crate) fn two_keys() -> Manifest {
    keys("new", "old")
}

/// A keyring with a fresh active key and an inactive one of fixed bytes.
pub(crate) fn keys(active: &str, inactive: &str) -> Manifest {
    let ids = [active, inactive].map(|id| KeyId::parse(id).unwrap());
    let fresh = Manifest::generate(ids[0].clone()).unwrap().canonical();
    let text = fresh.expose_str().unwrap();
    let (head, rest) = text.split_once("\"keys\":{").unwrap();
    let (one, tail) = rest.split_once('}').unwrap();
    let other = format!("\"{inactive}\":\"{}\"", "B".repeat(42) + "A");
    let both = if ids[0] < ids[1] { format!("{one},{other}") } else { format!("{other},{one}") };
    Manifest::parse(format!("{head}\"keys\":{{{both}}}{tail}").as_bytes()).unwrap()
}

/// The order to retire a key, with identities that end as told.
pub(crate) fn preparation(manifest: &Manifest, key: &str, suffix: &str, at_ms: u64) -> Preparation {
    let identity = |what: &str| Identity::parse(&format!("{what}-{suffix}")).unwrap();
    let request = Request {
        key_id: KeyId::parse(key).unwrap(),
        retirement_id: identity("retirement"),
        request_id: identity("request"),
        mutation_id: identity("mutation"),
    };
    let (State::Active(held) | State::Inactive(held)) = manifest.state(&request.key_id).unwrap() else {
        panic!("{key} is not held");
    };
    Preparation::new(&request, held.catalog_digest, held.material_proof, at_ms).unwrap()
}

/// The object after the retirement.
pub(crate) fn retired(object: &Value, preparation: &Preparation) -> Value {
    match keyring(object).retire(preparation).unwrap() {
        Retirement::Changed { manifest, .. } => with_keyring(object, &manifest),
        Retirement::Unchanged(_) => panic!("retired already"),
    }
}

/// The object with its keyring's text changed; the result must still be a keyring.
pub(crate) fn edited(object: &Value, edit: impl Fn(&str) -> String) -> Value {
    let bytes = keyring(object).canonical();
    let text = edit(bytes.expose_str().unwrap());
    with_keyring(object, &Manifest::parse(text.as_bytes()).unwrap())
}

/// A retired object whose record tells of another catalogue, and is proven for that one.
pub(crate) fn forged(retired: &Value, preparation: &Preparation) -> Value {
    let found = keyring(retired).catalog_digest();
    let other = Digest::parse(&"a".repeat(64)).unwrap();
    let proof = |digest| absence_proof(preparation, digest).to_string();
    edited(retired, |text| {
        text.replace(&found.to_string(), &other.to_string()).replace(&proof(found), &proof(other))
    })
}

pub(crate) const DATA_KEY: &str = "keyring.json";
