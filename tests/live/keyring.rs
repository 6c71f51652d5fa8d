//! The keyring's Secret as the cluster holds it. Nothing here keeps or prints a key's bytes.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use serde_json::json;

use crate::Result;
use crate::command::get;
use crate::command::kubectl;
use crate::command::list;
use crate::command::number;
use crate::command::ops;
use crate::command::send;
use crate::command::text;
use crate::command::variable;

/// What can be told of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Keyring {
    /// Which object it is.
    pub(crate) uid: String,
    /// Changes with each write.
    pub(crate) version: String,
    /// Of the keyring in it.
    pub(crate) generation: u32,
    /// Ids that can still decrypt.
    pub(crate) keys: Vec<String>,
    /// Ids that cannot any more.
    pub(crate) retired: Vec<String>,
}

impl Keyring {
    /// Makes a Secret with two keys anew, as a rotation leaves it: the second is active.
    pub(crate) fn make(old: &str, active: &str) -> Result<Self> {
        kubectl(&["delete", "secret", NAME, "--ignore-not-found"])?;
        let new = |key| ops(&["keyring", "new", "--secret-manifest", "--key", key], "");
        let (spare, manifest) = (new(old)?, new(active)?);
        let mut secret: Value = serde_json::from_str(&manifest)?;
        let spare = decode(&serde_json::from_str(&spare)?)?;
        let keyring = decode(&secret)?;
        // Only the canonical form is a keyring: members in this order, keys in theirs.
        let mut keys = [(old, &spare["keys"][old]), (active, &keyring["keys"][active])];
        keys.sort_unstable_by_key(|(id, _material)| *id);
        let keys = keys.map(|(id, material)| format!("{}:{material}", json!(id))).join(",");
        let (schema, active) = (&keyring["schema"], json!(active));
        let whole = format!(
            "{{\"schema\":{schema},\"generation\":1,\"activeKeyId\":{active},\"keys\":{{{keys}}},\"retirements\":{{}}}}\n"
        );
        secret["data"]["keyring.json"] = json!(BASE64_STANDARD.encode(&whole));
        // With mode 0600, and gone at once.
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), &whole)?;
        let described = ops(&["keyring", "inspect", "--file", &file.path().to_string_lossy()], "")?;
        let described: Value = serde_json::from_str(&described)?;
        secret["metadata"]["annotations"][DIGEST] = described["catalogDigest"].clone();
        send(&["create", "--filename=-"], &secret.to_string())?;
        Self::see()
    }

    /// Replaces the object by another one with the same content.
    pub(crate) fn recreate() -> Result<()> {
        let mut secret = get(&["secret", NAME])?;
        for member in ["uid", "resourceVersion", "creationTimestamp", "managedFields"] {
            if let Some(metadata) = secret["metadata"].as_object_mut() {
                metadata.remove(member);
            }
        }
        kubectl(&["delete", "secret", NAME])?;
        send(&["create", "--filename=-"], &secret.to_string()).map(drop)
    }

    /// Looks.
    pub(crate) fn see() -> Result<Self> {
        let secret = get(&["secret", NAME])?;
        let kubeconfig = variable("QL3_LAB_KUBECONFIG")?;
        let described: Value =
            serde_json::from_str(&ops(&["keyring", "inspect", "--kubeconfig", &kubeconfig], "")?)?;
        let ids =
            |member| list(&described, member).iter().filter_map(Value::as_str).map(str::to_owned).collect();
        Ok(Self {
            uid: text(&secret, "/metadata/uid").to_owned(),
            version: text(&secret, "/metadata/resourceVersion").to_owned(),
            generation: number(&described, "/generation").ok_or("the keyring has no generation")?,
            keys: ids("/keyIds"),
            retired: ids("/retiredKeyIds"),
        })
    }
}

/// The keyring in a Secret's manifest.
fn decode(secret: &Value) -> Result<Value> {
    Ok(serde_json::from_slice(&BASE64_STANDARD.decode(text(secret, "/data/keyring.json"))?)?)
}

const DIGEST: &str = "qinglong.io/prompt-output-keyring-catalog-digest";
const NAME: &str = "ql3-prompt-output-keyring";
