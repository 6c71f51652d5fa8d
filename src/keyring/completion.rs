//! The second receipt: the prepared key is gone, and this is the proof.

use serde::Deserialize;
use serde::Serialize;
use serde::Serializer;
use serde_json::Value;

use super::Digest;
use super::Error;
use super::Identity;
use super::KeyId;
use super::Preparation;
use super::Request;
use super::canonical;
use super::members;

/// A completion, free of content; two are equal when every member is, the time included (ADR-0262).
///
/// It does not prove its own absence proof: that takes the preparation and [`super::absence_proof`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Completion {
    body: Body,
    digest: Digest,
}

impl Completion {
    /// Seals the members with their digest; the time is in milliseconds, at most 2^53 - 1.
    pub fn new(
        preparation: &Preparation,
        retired_catalog_digest: Digest,
        absence_proof: Digest,
        completed_at_ms: u64,
    ) -> Result<Self, Error> {
        Self::seal(Body {
            request: preparation.request().clone(),
            preparation_digest: preparation.digest(),
            retired_catalog_digest,
            absence_proof,
            completed_at_ms,
        })
    }

    /// Reads an object with exactly the ten members, in any order, whose digest is right.
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        members::object::<Wire<'_>>("completion", value)?.read()
    }

    /// The ten members as a JSON object.
    pub fn to_value(&self) -> Value {
        canonical::value(self)
    }

    /// The ten members as compact JSON, in their one order.
    pub fn canonical_json(&self) -> String {
        canonical::text(self)
    }

    /// The order that it answers.
    pub fn request(&self) -> &Request {
        &self.body.request
    }

    /// The digest of the preparation that it completes.
    pub fn preparation_digest(&self) -> Digest {
        self.body.preparation_digest
    }

    /// The digest of the first catalogue without the key.
    pub fn retired_catalog_digest(&self) -> Digest {
        self.body.retired_catalog_digest
    }

    /// The proof that the key is gone.
    pub fn absence_proof(&self) -> Digest {
        self.body.absence_proof
    }

    /// When it was completed, in milliseconds.
    pub fn completed_at_ms(&self) -> u64 {
        self.body.completed_at_ms
    }

    /// The digest over all other members.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    fn seal(body: Body) -> Result<Self, Error> {
        members::integer("completedAtMs", body.completed_at_ms)?;
        let digest = Digest::of_json(DIGEST_DOMAIN, &body.text(None));
        Ok(Self { body, digest })
    }
}

impl Serialize for Completion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.body.text(Some(self.digest)).serialize(serializer)
    }
}

/// What the digest covers.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Body {
    request: Request,
    preparation_digest: Digest,
    retired_catalog_digest: Digest,
    absence_proof: Digest,
    completed_at_ms: u64,
}

impl Body {
    fn text(&self, completion_digest: Option<Digest>) -> Text<'_> {
        Text {
            schema: SCHEMA,
            key_id: &self.request.key_id,
            retirement_id: &self.request.retirement_id,
            request_id: &self.request.request_id,
            mutation_id: &self.request.mutation_id,
            preparation_digest: self.preparation_digest,
            retired_catalog_digest: self.retired_catalog_digest,
            absence_proof: self.absence_proof,
            completed_at_ms: self.completed_at_ms,
            completion_digest,
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
    preparation_digest: Digest,
    retired_catalog_digest: Digest,
    absence_proof: Digest,
    completed_at_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    completion_digest: Option<Digest>,
}

/// The members as they come in, borrowed from the text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Wire<'a> {
    schema: &'a str,
    key_id: &'a str,
    retirement_id: &'a str,
    request_id: &'a str,
    mutation_id: &'a str,
    preparation_digest: &'a str,
    retired_catalog_digest: &'a str,
    absence_proof: &'a str,
    completed_at_ms: u64,
    completion_digest: &'a str,
}

impl Wire<'_> {
    fn read(&self) -> Result<Completion, Error> {
        if self.schema != SCHEMA {
            return Err(Error::Schema("completion"));
        }
        let sealed = Completion::seal(Body {
            request: Request::new(self.key_id, self.retirement_id, self.request_id, self.mutation_id)?,
            preparation_digest: Digest::named("preparationDigest", self.preparation_digest)?,
            retired_catalog_digest: Digest::named("retiredCatalogDigest", self.retired_catalog_digest)?,
            absence_proof: Digest::named("absenceProof", self.absence_proof)?,
            completed_at_ms: self.completed_at_ms,
        })?;
        let claimed = Digest::parse(self.completion_digest).ok();
        if claimed == Some(sealed.digest) { Ok(sealed) } else { Err(Error::DigestMismatch("completion")) }
    }
}

const SCHEMA: &str = "qinglong/plugin-package-prompt-output-key-retirement-completion@v1";
const DIGEST_DOMAIN: &str = "qinglong/plugin-package-prompt-output-key-retirement-completion-digest@v1";
