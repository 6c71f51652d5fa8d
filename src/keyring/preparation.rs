//! The first receipt: which key shall retire, out of which keyring, and since when its use is fenced.

use serde::Deserialize;
use serde::Serialize;
use serde::Serializer;
use serde_json::Value;

use super::Digest;
use super::Error;
use super::Identity;
use super::KeyId;
use super::Request;
use super::canonical;
use super::members;

/// A preparation, free of content; two are equal when every member is, the time included (ADR-0262).
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Preparation {
    body: Body,
    digest: Digest,
}

impl Preparation {
    /// Seals the members with their digest; the time is in milliseconds, at most 2^53 - 1.
    pub fn new(
        request: &Request,
        catalog_digest: Digest,
        material_proof: Digest,
        prepared_at_ms: u64,
    ) -> Result<Self, Error> {
        Self::seal(Body { request: request.clone(), catalog_digest, material_proof, prepared_at_ms })
    }

    /// Reads an object with exactly the nine members, in any order, whose digest is right.
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        members::object::<Wire<'_>>("preparation", value)?.read()
    }

    /// The nine members as a JSON object.
    pub fn to_value(&self) -> Value {
        canonical::value(self)
    }

    /// The nine members as compact JSON, in their one order.
    pub fn canonical_json(&self) -> String {
        canonical::text(self)
    }

    /// The order that it answers.
    pub fn request(&self) -> &Request {
        &self.body.request
    }

    /// The digest of the catalogue that still held the key.
    pub fn catalog_digest(&self) -> Digest {
        self.body.catalog_digest
    }

    /// The proof of the key's material.
    pub fn material_proof(&self) -> Digest {
        self.body.material_proof
    }

    /// When it was prepared, in milliseconds.
    pub fn prepared_at_ms(&self) -> u64 {
        self.body.prepared_at_ms
    }

    /// The digest over all other members.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    fn seal(body: Body) -> Result<Self, Error> {
        members::integer("preparedAtMs", body.prepared_at_ms)?;
        let digest = Digest::of_json(DIGEST_DOMAIN, &body.text(None));
        Ok(Self { body, digest })
    }
}

impl Serialize for Preparation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.body.text(Some(self.digest)).serialize(serializer)
    }
}

/// What the digest covers.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Body {
    request: Request,
    catalog_digest: Digest,
    material_proof: Digest,
    prepared_at_ms: u64,
}

impl Body {
    fn text(&self, preparation_digest: Option<Digest>) -> Text<'_> {
        Text {
            schema: SCHEMA,
            key_id: &self.request.key_id,
            retirement_id: &self.request.retirement_id,
            request_id: &self.request.request_id,
            mutation_id: &self.request.mutation_id,
            catalog_digest: self.catalog_digest,
            material_proof: self.material_proof,
            prepared_at_ms: self.prepared_at_ms,
            preparation_digest,
        }
    }
}

/// The members in their order, with or without the digest.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Text<'a> {
    schema: &'static str,
    key_id: &'a KeyId,
    retirement_id: &'a Identity,
    request_id: &'a Identity,
    mutation_id: &'a Identity,
    catalog_digest: Digest,
    material_proof: Digest,
    prepared_at_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    preparation_digest: Option<Digest>,
}

/// The members as they come in, borrowed from the text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Wire<'a> {
    schema: &'a str,
    key_id: &'a str,
    retirement_id: &'a str,
    request_id: &'a str,
    mutation_id: &'a str,
    catalog_digest: &'a str,
    material_proof: &'a str,
    prepared_at_ms: u64,
    preparation_digest: &'a str,
}

impl Wire<'_> {
    /// Checks every member, and the digest over them.
    pub(super) fn read(&self) -> Result<Preparation, Error> {
        if self.schema != SCHEMA {
            return Err(Error::Schema("preparation"));
        }
        let sealed = Preparation::seal(Body {
            request: Request::new(self.key_id, self.retirement_id, self.request_id, self.mutation_id)?,
            catalog_digest: Digest::named("catalogDigest", self.catalog_digest)?,
            material_proof: Digest::named("materialProof", self.material_proof)?,
            prepared_at_ms: self.prepared_at_ms,
        })?;
        let claimed = Digest::parse(self.preparation_digest).ok();
        if claimed == Some(sealed.digest) { Ok(sealed) } else { Err(Error::DigestMismatch("preparation")) }
    }
}

const SCHEMA: &str = "qinglong/plugin-package-prompt-output-key-retirement-preparation@v1";
const DIGEST_DOMAIN: &str = "qinglong/plugin-package-prompt-output-key-retirement-preparation-digest@v1";
