//! The four identities of one order to retire a key.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use super::Error;
use super::Identity;
use super::KeyId;
use super::members;

/// An order names the key and carries three identities of its own, each used for one order only.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// The key that shall retire.
    pub key_id: KeyId,
    /// Identifies the retirement.
    pub retirement_id: Identity,
    /// Identifies the request for it.
    pub request_id: Identity,
    /// Identifies the change that it makes.
    pub mutation_id: Identity,
}

impl Request {
    /// Reads an object with exactly the four members.
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        let wire: Wire<'_> = members::object("request", value)?;
        Self::new(wire.key, wire.retirement, wire.request, wire.mutation)
    }

    pub(super) fn new(key: &str, retirement: &str, request: &str, mutation: &str) -> Result<Self, Error> {
        Ok(Self {
            key_id: KeyId::parse(key)?,
            retirement_id: Identity::named("retirementId", retirement)?,
            request_id: Identity::named("requestId", request)?,
            mutation_id: Identity::named("mutationId", mutation)?,
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire<'a> {
    #[serde(rename = "keyId")]
    key: &'a str,
    #[serde(rename = "retirementId")]
    retirement: &'a str,
    #[serde(rename = "requestId")]
    request: &'a str,
    #[serde(rename = "mutationId")]
    mutation: &'a str,
}
