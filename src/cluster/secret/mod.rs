//! The one Secret that holds the keyring: what it must look like (ADR-0262), and how it is read.

mod data;
mod error;
mod manifest;
mod successor;

use http::Method;
use serde_json::Map;
use serde_json::Value;

use self::data::Data;
pub use self::error::Error;
pub use self::manifest::keyring_in;
pub use self::manifest::manifest;
use crate::cluster::address::Wanted;
use crate::cluster::session::Ask;
use crate::cluster::session::Session;
use crate::keyring::Manifest;
use crate::time::Deadline;

/// A Secret that passed every check. Its data is not kept in the form in which it came, and the object's
/// other members are kept whole, so that a write can give them back.
pub struct Observed {
    manifest: Manifest,
    members: Map<String, Value>,
    uid: String,
    version: String,
}

impl Observed {
    /// The keyring in it.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The keyring, without the object around it.
    pub fn into_manifest(self) -> Manifest {
        self.manifest
    }

    /// The object's UID.
    pub fn uid(&self) -> &str {
        &self.uid
    }

    /// The version that was read: 1 to 32 decimal digits.
    pub fn resource_version(&self) -> &str {
        &self.version
    }

    /// Checks the members of an object. Pure.
    pub(super) fn check(mut members: Map<String, Value>, wanted: Wanted<'_>) -> Result<Self, Error> {
        // First of all, so that it is wiped whatever else is wrong.
        let data = Data::take(&mut members);
        for (name, expected) in [("apiVersion", "v1"), ("kind", KIND), ("type", "Opaque")] {
            if members.get(name).is_none_or(|found| found != expected) {
                return Err(Error::Type(name));
            }
        }
        if members.get("immutable") != Some(&Value::Bool(false)) {
            return Err(Error::Immutable);
        }
        if members.contains_key("stringData") {
            return Err(Error::Entries);
        }
        let metadata = members.get("metadata").and_then(Value::as_object).ok_or(Error::Type("metadata"))?;
        let (uid, version) = identity(metadata, wanted)?;
        let manifest = data.keyring(wanted.data_key)?;
        marks(metadata, &manifest)?;
        Ok(Self { manifest, members, uid, version })
    }
}

/// UID and resource version of the object that is meant.
fn identity(metadata: &Map<String, Value>, wanted: Wanted<'_>) -> Result<(String, String), Error> {
    let text = |name| metadata.get(name).and_then(Value::as_str);
    if text("name") != Some(wanted.name) {
        return Err(Error::Identity("name"));
    }
    if text("namespace") != Some(wanted.namespace) {
        return Err(Error::Identity("namespace"));
    }
    let uid = text("uid").ok_or(Error::Identity("uid"))?;
    if wanted.uid.is_some_and(|wanted| wanted != uid) {
        return Err(Error::Recreated);
    }
    if metadata.contains_key("deletionTimestamp") {
        return Err(Error::Deleting);
    }
    let version = text("resourceVersion").ok_or(Error::Version)?;
    let plain = version.bytes().all(|byte| byte.is_ascii_digit()) && !version.starts_with('0');
    if !plain || !(1..=32).contains(&version.len()) {
        return Err(Error::Version);
    }
    Ok((uid.to_owned(), version.to_owned()))
}

/// Labels and annotations say what the keyring says, and nothing carries a copy of it.
fn marks(metadata: &Map<String, Value>, manifest: &Manifest) -> Result<(), Error> {
    let mark = |of: &str, name: &str| metadata.get(of).and_then(|marks| marks.get(name));
    if LABELS.iter().any(|(name, value)| mark("labels", name).is_none_or(|found| found != value)) {
        return Err(Error::Label);
    }
    if mark("annotations", "kubectl.kubernetes.io/last-applied-configuration").is_some() {
        return Err(Error::LastApplied);
    }
    let says = |name: &str, value: String| mark("annotations", name).is_some_and(|found| *found == value);
    if !says(GENERATION, manifest.generation().to_string()) {
        return Err(Error::Annotation("generation"));
    }
    if !says(CATALOG_DIGEST, manifest.catalog_digest().to_string()) {
        return Err(Error::Annotation("catalogue digest"));
    }
    Ok(())
}

/// Reads the Secret. Only of a checked address.
pub(super) async fn read(
    session: &Session,
    wanted: Wanted<'_>,
    deadline: Deadline,
) -> Result<Observed, Error> {
    let path = wanted.path();
    let ask = Ask { method: Method::GET, path: &path, body: None, kind: KIND, limit: MAX_ANSWER };
    let members = session.ask(ask, deadline).await.map_err(Error::Api)?;
    let observed = Observed::check(members, wanted)?;
    tracing::info!(
        resource_version = observed.version,
        generation = observed.manifest.generation(),
        "read the Secret"
    );
    Ok(observed)
}

pub(super) const KIND: &str = "Secret";
pub(super) const GENERATION: &str = "qinglong.io/prompt-output-keyring-generation";
pub(super) const CATALOG_DIGEST: &str = "qinglong.io/prompt-output-keyring-catalog-digest";
const LABELS: [(&str, &str); 2] =
    [("app.kubernetes.io/managed-by", "qinglong3"), ("qinglong.io/prompt-output-keyring", "v1")];

/// Bytes of an answer with a Secret: etcd's own limit of 1.5 MiB, with room for what is added on the way.
pub(super) const MAX_ANSWER: usize = 4 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_uid_that_is_not_known_yet_is_reported_and_a_wrong_one_is_refused() {
        let metadata = json!({ "name": "n", "namespace": "ns", "uid": "u", "resourceVersion": "7" });
        let metadata = metadata.as_object().unwrap();
        let wanted = |uid| Wanted { namespace: "ns", name: "n", uid, data_key: "k" };
        let found = Ok(("u".to_owned(), "7".to_owned()));
        assert_eq!(identity(metadata, wanted(None)), found);
        assert_eq!(identity(metadata, wanted(Some("u"))), found);
        assert_eq!(identity(metadata, wanted(Some("v"))), Err(Error::Recreated));
    }
}
