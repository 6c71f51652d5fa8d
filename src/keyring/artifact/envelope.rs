//! A sealed artifact: its envelope of 22 members.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde::Serialize;
use serde::Serializer;
use serde_json::Value;

use crate::keyring::Digest;
use crate::keyring::Identity;
use crate::keyring::KeyId;
use crate::keyring::canonical;

use super::Error;
use super::Reference;
use super::metadata::ALGORITHM;
use super::metadata::Metadata;
use super::metadata::SCHEMA;
use super::metadata::SealedText;
use super::output::MAX_TEXT;
use super::wire;
use super::wire::WireRequester;
use super::wire::WireRetention;

/// An artifact whose envelope keeps all its rules. That says nothing yet about what is inside.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Artifact {
    pub(super) metadata: Metadata,
    pub(super) sealed: Sealed,
    pub(super) digest: Digest,
}

/// What the cipher made.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Sealed {
    pub(super) nonce: [u8; 12],
    pub(super) ciphertext: Vec<u8>,
    pub(super) auth_tag: [u8; 16],
}

impl Artifact {
    /// Reads an object with exactly the 22 members, in any order, that follow from each other as they must.
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        wire::object::<Wire<'_>>("artifact", value)?.read()
    }

    /// The 22 members as a JSON object.
    pub fn to_value(&self) -> Value {
        canonical::value(self)
    }

    /// The 22 members as compact JSON, in their one order.
    pub fn canonical_json(&self) -> String {
        canonical::text(self)
    }

    /// The id of the key that opens it.
    pub fn key_id(&self) -> &KeyId {
        &self.metadata.key_id
    }

    /// What may be said of it elsewhere.
    pub fn reference(&self) -> Reference {
        Reference::new(&self.metadata, self.digest)
    }

    pub(super) fn new(metadata: Metadata, sealed: Sealed) -> Self {
        let digest = Digest::of_json(DIGEST_DOMAIN, &metadata.text(Some(&sealed.text()), None));
        Self { metadata, sealed, digest }
    }
}

impl Serialize for Artifact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.metadata.text(Some(&self.sealed.text()), Some(self.digest)).serialize(serializer)
    }
}

impl Sealed {
    fn text(&self) -> SealedText {
        SealedText {
            nonce: URL_SAFE_NO_PAD.encode(self.nonce),
            ciphertext: URL_SAFE_NO_PAD.encode(&self.ciphertext),
            auth_tag: URL_SAFE_NO_PAD.encode(self.auth_tag),
        }
    }
}

/// The envelope as it comes in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Wire<'a> {
    schema: &'a str,
    artifact_id: &'a str,
    project_id: &'a str,
    run_id: &'a str,
    step_run_id: &'a str,
    invocation_id: &'a str,
    #[serde(borrow)]
    requested_by: WireRequester<'a>,
    provider: &'a str,
    model: &'a str,
    content_digest: &'a str,
    output_bytes: u64,
    #[serde(borrow)]
    retention_policy: WireRetention<'a>,
    retention_policy_digest: &'a str,
    retention_eligible_at_ms: u64,
    key_id: &'a str,
    algorithm: &'a str,
    nonce: &'a str,
    ciphertext: &'a str,
    auth_tag: &'a str,
    plaintext_bytes: u64,
    sealed_at_ms: u64,
    artifact_digest: &'a str,
}

impl Wire<'_> {
    fn read(&self) -> Result<Artifact, Error> {
        require("schema", self.schema == SCHEMA)?;
        require("algorithm", self.algorithm == ALGORITHM)?;
        let metadata = self.read_metadata()?;
        require("artifactId", metadata.artifact_id() == self.artifact_id)?;
        require("retentionEligibleAtMs", metadata.eligible_at_ms == self.retention_eligible_at_ms)?;
        let policy = wire::digest("retentionPolicyDigest", self.retention_policy_digest)?;
        require("retentionPolicyDigest", metadata.retention.digest() == policy)?;

        let ciphertext = decode("ciphertext", self.ciphertext)?;
        require("plaintextBytes", ciphertext.len() as u64 == self.plaintext_bytes)?;
        let sealed = Sealed {
            nonce: exact("nonce", self.nonce)?,
            ciphertext,
            auth_tag: exact("authTag", self.auth_tag)?,
        };
        let artifact = Artifact::new(metadata, sealed);
        let claimed = wire::digest("artifactDigest", self.artifact_digest)?;
        if artifact.digest == claimed { Ok(artifact) } else { Err(Error::DigestMismatch) }
    }

    fn read_metadata(&self) -> Result<Metadata, Error> {
        require("outputBytes", self.output_bytes <= MAX_TEXT as u64)?;
        require("plaintextBytes", (1..=MAX_PLAINTEXT as u64).contains(&self.plaintext_bytes))?;
        let long = |name, text| Identity::bounded(MAX_NAME, text).ok_or(Error::Member(name));
        let retention = self.retention_policy.read()?;
        let sealed_at_ms = wire::integer("sealedAtMs", self.sealed_at_ms)?;
        Ok(Metadata {
            project_id: wire::identity("projectId", self.project_id)?,
            run_id: wire::run_id(self.run_id)?,
            step_run_id: wire::identity("stepRunId", self.step_run_id)?,
            invocation_id: wire::identity("invocationId", self.invocation_id)?,
            requested_by: self.requested_by.read()?,
            provider: long("provider", self.provider)?,
            model: long("model", self.model)?,
            content_digest: wire::digest("contentDigest", self.content_digest)?,
            output_bytes: self.output_bytes,
            eligible_at_ms: retention.eligible_at_ms(sealed_at_ms)?,
            retention,
            key_id: wire::key_id(self.key_id)?,
            plaintext_bytes: self.plaintext_bytes,
            sealed_at_ms,
        })
    }
}

fn require(name: &'static str, holds: bool) -> Result<(), Error> {
    if holds { Ok(()) } else { Err(Error::Member(name)) }
}

fn decode(name: &'static str, text: &str) -> Result<Vec<u8>, Error> {
    URL_SAFE_NO_PAD.decode(text).map_err(|_encoding| Error::Member(name))
}

fn exact<const N: usize>(name: &'static str, text: &str) -> Result<[u8; N], Error> {
    decode(name, text)?.try_into().map_err(|_length| Error::Member(name))
}

/// Bytes of a plaintext. With it and the bounds of the names, an envelope stays below the 1572864 bytes that
/// the database takes.
pub(super) const MAX_PLAINTEXT: usize = 1_052_672;
/// Characters of a provider's and a model's name in an envelope.
const MAX_NAME: usize = 256;
const DIGEST_DOMAIN: &str = "qinglong/plugin-package-prompt-output-artifact-digest@v1";
