//! What stays when an artifact is deleted.

use serde::Serialize;
use serde::Serializer;
use serde_json::Value;

use crate::keyring::Digest;
use crate::keyring::canonical;

use super::Error;
use super::Reference;
use super::wire;

/// The record that an artifact was there and was deleted when its time had come.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Tombstone {
    reference: Reference,
    tombstoned_at_ms: u64,
    digest: Digest,
}

impl Tombstone {
    /// The time, in milliseconds, must not be before the end of the retention.
    pub fn new(reference: Reference, tombstoned_at_ms: u64) -> Result<Self, Error> {
        wire::integer("tombstonedAtMs", tombstoned_at_ms)?;
        if tombstoned_at_ms < reference.retention_eligible_at_ms {
            return Err(Error::Member("tombstonedAtMs"));
        }
        let text = Text { schema: SCHEMA, reference: &reference, tombstoned_at_ms, tombstone_digest: None };
        let digest = Digest::of_json(DIGEST_DOMAIN, &text);
        Ok(Self { reference, tombstoned_at_ms, digest })
    }

    /// The members as a JSON object.
    pub fn to_value(&self) -> Value {
        canonical::value(self)
    }
}

impl Serialize for Tombstone {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Text {
            schema: SCHEMA,
            reference: &self.reference,
            tombstoned_at_ms: self.tombstoned_at_ms,
            tombstone_digest: Some(self.digest),
        }
        .serialize(serializer)
    }
}

/// The members in their order, with or without the digest.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Text<'a> {
    schema: &'static str,
    reference: &'a Reference,
    tombstoned_at_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    tombstone_digest: Option<Digest>,
}

const SCHEMA: &str = "qinglong/plugin-package-prompt-output-artifact-tombstone@v1";
const DIGEST_DOMAIN: &str = "qinglong/plugin-package-prompt-output-artifact-tombstone-digest@v1";
