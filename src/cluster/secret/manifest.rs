//! A Secret outside a cluster: the manifest of a new one, and the keyring in one that was printed.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;
use serde_json::Value;
use serde_json::json;
use zeroize::Zeroizing;

use crate::cluster;
use crate::cluster::address::Wanted;
use crate::cluster::secret;
use crate::cluster::secret::CATALOG_DIGEST;
use crate::cluster::secret::Error;
use crate::cluster::secret::GENERATION;
use crate::cluster::secret::KIND;
use crate::cluster::secret::LABELS;
use crate::cluster::secret::data::Data;
use crate::hidden::Hidden;
use crate::json;
use crate::keyring::Manifest;

/// The manifest of a Secret that holds a keyring, as JSON with a newline, for `kubectl create -f -`.
///
/// Never for `kubectl apply`, which would copy it into an annotation.
pub fn manifest(
    namespace: &str,
    name: &str,
    data_key: &str,
    keyring: &Manifest,
) -> Result<Hidden, cluster::Error> {
    Wanted { namespace, name, uid: None, data_key }.check()?;
    let labels: serde_json::Map<String, Value> =
        LABELS.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
    let metadata = json!({
        "name": name,
        "namespace": namespace,
        "labels": labels,
        "annotations": {
            GENERATION: keyring.generation().to_string(),
            CATALOG_DIGEST: keyring.catalog_digest().to_string(),
        },
    });
    let value = Zeroizing::new(BASE64_STANDARD.encode(keyring.canonical().expose()));
    let object = Object {
        api_version: "v1",
        kind: KIND,
        metadata,
        kind_of_secret: "Opaque",
        immutable: false,
        data: [(data_key, value.as_str())].into(),
    };
    // Sized beforehand, so that a growing buffer leaves no copy of the keyring behind.
    let mut bytes = Vec::with_capacity(value.len() + FRAME);
    let written = serde_json::to_writer_pretty(&mut bytes, &object);
    debug_assert!(written.is_ok(), "maps with text keys always serialise");
    bytes.push(b'\n');
    Ok(Hidden::new(bytes))
}

/// The keyring in a Secret that was printed as JSON. Kind, marks and the one entry are checked; whose Secret it
/// is, is not.
pub fn keyring_in(text: &[u8], data_key: &str) -> Result<Manifest, cluster::Error> {
    let Ok(Value::Object(mut members)) = json::parse(text) else {
        return Err(Error::Type("form").into());
    };
    let data = Data::take(&mut members);
    if members.get("kind").is_none_or(|kind| kind != KIND) {
        return Err(Error::Type("kind").into());
    }
    let manifest = data.keyring(data_key)?;
    let metadata = members.get("metadata").and_then(Value::as_object).ok_or(Error::Type("metadata"))?;
    secret::marks(metadata, &manifest)?;
    Ok(manifest)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Object<'a> {
    api_version: &'static str,
    kind: &'static str,
    metadata: Value,
    #[serde(rename = "type")]
    kind_of_secret: &'static str,
    immutable: bool,
    data: std::collections::BTreeMap<&'a str, &'a str>,
}

/// Bytes of everything but the value: names of 63 and 253, an entry of 253 characters, and constants.
const FRAME: usize = 2048;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyring::KeyId;

    #[test]
    fn what_is_wrapped_is_found_again_and_a_yaml_manifest_is_not_taken() {
        let keyring = Manifest::generate(KeyId::parse("k").unwrap()).unwrap();
        let text = manifest("ns", "name", "keyring.json", &keyring).unwrap();
        let found = keyring_in(text.expose(), "keyring.json").unwrap();
        assert_eq!(found.catalog_digest(), keyring.catalog_digest());
        assert!(keyring_in(text.expose(), "other").is_err());
        assert!(keyring_in(b"kind: Secret\n", "keyring.json").is_err());
    }
}
