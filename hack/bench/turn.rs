//! One retirement to be done: a fresh Secret, a command for it, and the script of what will be sent.

use std::fs;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ql3_ops::keyring::Absent;
use ql3_ops::keyring::Completion;
use ql3_ops::keyring::KeyId;
use ql3_ops::keyring::Manifest;
use ql3_ops::keyring::Material;
use ql3_ops::keyring::Preparation;
use ql3_ops::keyring::Request;
use ql3_ops::keyring::Retirement;
use ql3_ops::keyring::State;
use ql3_ops::time::Clock;
use serde_json::Value;
use serde_json::json;

use super::Result;
use super::script;
use super::stage::NAMESPACE;
use super::stage::SECRET;
use super::stage::Stage;
use super::statements::Recording;

pub(crate) struct Turn {
    /// For the program.
    pub(crate) command_file: PathBuf,
    /// For floor and peer.
    pub(crate) script_file: PathBuf,
    /// The key that goes.
    pub(crate) key: String,
    /// Where the API server listens.
    pub(crate) port: u16,
    script: Value,
}

impl Turn {
    /// Makes the Secret anew, with an inactive key of this name.
    pub(crate) fn prepare(stage: &Stage<'_>, name: &str, recording: &Recording) -> Result<Self> {
        let old = KeyId::parse(&format!("bench-old-{name}"))?;
        let before = keyring(&old)?;
        stage.lab.kubectl(DELETE, "")?;
        let printed = stage.lab.kubectl(CREATE, &secret(&before).to_string())?;
        let secret: Value = serde_json::from_str(&printed)?;
        let uid = secret.pointer("/metadata/uid").ok_or("the Secret has no UID")?;
        let identities = json!({"keyId": old, "retirementId": format!("retirement-{name}"),
            "requestId": format!("request-{name}"), "mutationId": format!("mutation-{name}")});
        let request = Request::from_value(&identities)?;
        let command = json!({"schemaVersion": 1, "operation": "cluster.prompt-output-key.retire",
            "kubernetes": {"namespace": NAMESPACE, "secretName": SECRET, "expectedSecretUid": uid, "dataKey": DATA_KEY},
            "request": identities});

        let port = stage.api.port;
        let script = script::script(stage, recording, &receipts(&request, &before)?, &secret);
        let turn = Self {
            command_file: stage.path("command.json"),
            script_file: stage.path("script.json"),
            key: old.to_string(),
            port,
            script,
        };
        fs::write(&turn.command_file, command.to_string())?;
        fs::write(&turn.script_file, turn.script.to_string())?;
        Ok(turn)
    }

    /// The same, aimed at another API server.
    pub(crate) fn aimed_at(&self, port: u16) -> Result<Self> {
        let mut script = self.script.clone();
        *script.pointer_mut("/api/port").ok_or("the script has no port")? = port.into();
        fs::write(&self.script_file, script.to_string())?;
        let (command_file, script_file) = (self.command_file.clone(), self.script_file.clone());
        Ok(Self { command_file, script_file, key: self.key.clone(), port, script })
    }
}

/// What a retirement leaves behind.
pub(crate) struct Receipts {
    pub(crate) preparation: Preparation,
    pub(crate) after: Manifest,
    pub(crate) completion: Completion,
}

fn receipts(request: &Request, before: &Manifest) -> Result<Receipts> {
    let State::Inactive(present) = before.state(&request.key_id)? else {
        return Err("the key is active".into());
    };
    let now = Clock::start().now_ms();
    let preparation = Preparation::new(request, present.catalog_digest, present.material_proof, now)?;
    let Retirement::Changed { manifest: after, absent } = before.retire(&preparation)? else {
        return Err("the key is retired".into());
    };
    let Absent { catalog_digest, absence_proof, .. } = absent;
    let completion = Completion::new(&preparation, catalog_digest, absence_proof, now)?;
    Ok(Receipts { preparation, after, completion })
}

/// Two fresh keys, the active one and the one that goes.
fn keyring(old: &KeyId) -> Result<Manifest> {
    let key = || Material::generate().map(|material| URL_SAFE_NO_PAD.encode(material.expose()));
    let (active, inactive) = (key()?, key()?);
    let text = format!(
        "{{\"schema\":\"qinglong/plugin-package-prompt-output-file-keyring@v1\",\"generation\":1,\
         \"activeKeyId\":\"bench-active\",\"keys\":{{\"bench-active\":\"{active}\",\"{old}\":\"{inactive}\"}},\
         \"retirements\":{{}}}}\n"
    );
    Ok(Manifest::parse(text.as_bytes())?)
}

fn secret(keyring: &Manifest) -> Value {
    let labels =
        json!({"app.kubernetes.io/managed-by": "qinglong3", "qinglong.io/prompt-output-keyring": "v1"});
    json!({"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "immutable": false, "data": data(keyring),
        "metadata": {"name": SECRET, "namespace": NAMESPACE, "labels": labels, "annotations": annotations(keyring)}})
}

pub(crate) fn data(keyring: &Manifest) -> Value {
    json!({DATA_KEY: STANDARD.encode(keyring.canonical().expose())})
}

pub(crate) fn annotations(keyring: &Manifest) -> Value {
    json!({"qinglong.io/prompt-output-keyring-generation": keyring.generation().to_string(),
        "qinglong.io/prompt-output-keyring-catalog-digest": keyring.catalog_digest().to_string()})
}

const DATA_KEY: &str = "keyring.json";
const DELETE: &[&str] = &["delete", "secret", SECRET, "-n", NAMESPACE, "--ignore-not-found"];
const CREATE: &[&str] = &["create", "-f", "-", "-o", "json", "--show-managed-fields"];
