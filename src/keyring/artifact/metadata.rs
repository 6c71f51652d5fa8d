//! What is known of an artifact without its key.

use serde::Deserialize;
use serde::Serialize;

use crate::keyring::Digest;
use crate::keyring::Identity;
use crate::keyring::KeyId;
use crate::keyring::canonical;

use super::Error;
use super::Retention;

/// The members that are bound to the ciphertext. What follows from others is not kept but made.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Metadata {
    pub(super) project_id: Identity,
    pub(super) run_id: Identity,
    pub(super) step_run_id: Identity,
    pub(super) invocation_id: Identity,
    pub(super) requested_by: Requester,
    /// Up to 256 characters here, while a new output may have 128.
    pub(super) provider: Identity,
    pub(super) model: Identity,
    pub(super) content_digest: Digest,
    pub(super) output_bytes: u64,
    pub(super) retention: Retention,
    pub(super) eligible_at_ms: u64,
    pub(super) key_id: KeyId,
    pub(super) plaintext_bytes: u64,
    pub(super) sealed_at_ms: u64,
}

/// Who asked for an output.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Requester {
    #[serde(rename = "type")]
    kind: RequesterType,
    id: String,
}

/// What kind of thing asked.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RequesterType {
    /// A model acting by itself.
    Agent,
    /// A program with an API token.
    ApiApp,
    /// A client of the model context protocol.
    McpClient,
    /// The platform.
    System,
    /// A person.
    User,
    /// A worker of the platform.
    Worker,
}

impl Requester {
    /// An id of 1 to 255 UTF-16 units without control characters.
    pub fn new(kind: RequesterType, id: &str) -> Result<Self, Error> {
        let units = id.encode_utf16().count();
        let control = id.bytes().any(|byte| byte < 0x20 || byte == 0x7f);
        let fits = (1..=255).contains(&units) && !control;
        if fits { Ok(Self { kind, id: id.to_owned() }) } else { Err(Error::Member("requestedBy")) }
    }
}

impl Metadata {
    /// `pao:` and the first 32 digits of a digest over the invocation.
    pub(super) fn artifact_id(&self) -> String {
        let digest = Digest::of_json(ID_DOMAIN, &self.invocation_id).to_string();
        format!("pao:{}", digest.chars().take(32).collect::<String>())
    }

    /// What the cipher authenticates beside the ciphertext.
    pub(super) fn additional_data(&self) -> Vec<u8> {
        let mut data = Vec::from(ADDITIONAL_DATA_DOMAIN);
        data.push(0);
        data.extend_from_slice(canonical::text(&self.text(None, None)).as_bytes());
        data
    }

    /// All members in their order, with or without what sealing adds and with or without the digest.
    pub(super) fn text<'a>(&'a self, sealed: Option<&'a SealedText>, digest: Option<Digest>) -> Text<'a> {
        Text {
            schema: SCHEMA,
            artifact_id: self.artifact_id(),
            project_id: &self.project_id,
            run_id: &self.run_id,
            step_run_id: &self.step_run_id,
            invocation_id: &self.invocation_id,
            requested_by: &self.requested_by,
            provider: &self.provider,
            model: &self.model,
            content_digest: self.content_digest,
            output_bytes: self.output_bytes,
            retention_policy: &self.retention,
            retention_policy_digest: self.retention.digest(),
            retention_eligible_at_ms: self.eligible_at_ms,
            key_id: &self.key_id,
            algorithm: ALGORITHM,
            nonce: sealed.map(|sealed| sealed.nonce.as_str()),
            ciphertext: sealed.map(|sealed| sealed.ciphertext.as_str()),
            auth_tag: sealed.map(|sealed| sealed.auth_tag.as_str()),
            plaintext_bytes: self.plaintext_bytes,
            sealed_at_ms: self.sealed_at_ms,
            artifact_digest: digest,
        }
    }
}

/// Nonce, ciphertext and tag in unpadded base64url.
pub(super) struct SealedText {
    pub(super) nonce: String,
    pub(super) ciphertext: String,
    pub(super) auth_tag: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Text<'a> {
    schema: &'static str,
    artifact_id: String,
    project_id: &'a Identity,
    run_id: &'a Identity,
    step_run_id: &'a Identity,
    invocation_id: &'a Identity,
    requested_by: &'a Requester,
    provider: &'a Identity,
    model: &'a Identity,
    content_digest: Digest,
    output_bytes: u64,
    retention_policy: &'a Retention,
    retention_policy_digest: Digest,
    retention_eligible_at_ms: u64,
    key_id: &'a KeyId,
    algorithm: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    nonce: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ciphertext: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    auth_tag: Option<&'a str>,
    plaintext_bytes: u64,
    sealed_at_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact_digest: Option<Digest>,
}

pub(super) const SCHEMA: &str = "qinglong/plugin-package-prompt-output-artifact@v1";
pub(super) const ALGORITHM: &str = "aes-256-gcm";
const ID_DOMAIN: &str = "qinglong/plugin-package-prompt-output-artifact-id@v1";
const ADDITIONAL_DATA_DOMAIN: &str = "qinglong/plugin-package-prompt-output-artifact-aad@v1";
