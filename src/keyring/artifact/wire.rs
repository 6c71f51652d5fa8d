//! Members as they come in, borrowed from a parsed value.

use serde::Deserialize;
use serde_json::Value;

use crate::keyring::Digest;
use crate::keyring::Identity;
use crate::keyring::KeyId;
use crate::keyring::members;

use super::Error;
use super::Retention;
use super::metadata::Requester;
use super::metadata::RequesterType;

/// An object with exactly the members of `T`.
pub(super) fn object<'a, T: Deserialize<'a>>(what: &'static str, value: &'a Value) -> Result<T, Error> {
    members::object(what, value).map_err(|_shape| Error::Shape(what))
}

pub(super) fn identity(name: &'static str, text: &str) -> Result<Identity, Error> {
    Identity::parse(text).map_err(|_pattern| Error::Member(name))
}

pub(super) fn key_id(text: &str) -> Result<KeyId, Error> {
    KeyId::parse(text).map_err(|_pattern| Error::Member("keyId"))
}

pub(super) fn digest(name: &'static str, text: &str) -> Result<Digest, Error> {
    Digest::parse(text).map_err(|_pattern| Error::Member(name))
}

pub(super) fn integer(name: &'static str, value: u64) -> Result<u64, Error> {
    members::integer(name, value).map_err(|_range| Error::Member(name))
}

/// Identifiers of runs are shorter than others and have no slash.
pub(super) fn run_id(text: &str) -> Result<Identity, Error> {
    let run = Identity::bounded(36, text).filter(|id| !id.as_str().contains('/'));
    run.ok_or(Error::Member("runId"))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireRequester<'a> {
    #[serde(rename = "type")]
    kind: RequesterType,
    id: &'a str,
}

impl WireRequester<'_> {
    pub(super) fn read(&self) -> Result<Requester, Error> {
        Requester::new(self.kind, self.id)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct WireRetention<'a> {
    revision: &'a str,
    retention_ms: u64,
}

impl WireRetention<'_> {
    pub(super) fn read(&self) -> Result<Retention, Error> {
        Retention::new(self.revision, self.retention_ms)
    }
}
