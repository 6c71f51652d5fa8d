//! How long an artifact is kept at least.

use serde::Serialize;

use crate::keyring::Digest;
use crate::keyring::Identity;

use super::Error;
use super::wire;

/// The policy that an artifact is sealed under.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Retention {
    revision: Identity,
    retention_ms: u64,
}

impl Retention {
    /// One hour to 365 days, in milliseconds.
    pub fn new(revision: &str, retention_ms: u64) -> Result<Self, Error> {
        let revision = wire::identity("retentionPolicy", revision)?;
        let fits = (MIN_MS..=MAX_MS).contains(&retention_ms);
        if fits { Ok(Self { revision, retention_ms }) } else { Err(Error::Member("retentionPolicy")) }
    }

    /// The digest that names the policy elsewhere.
    pub fn digest(&self) -> Digest {
        Digest::of_json(DIGEST_DOMAIN, self)
    }

    /// From this time on, in milliseconds, the artifact may be deleted.
    pub(super) fn eligible_at_ms(&self, sealed_at_ms: u64) -> Result<u64, Error> {
        wire::integer("retentionEligibleAtMs", sealed_at_ms.saturating_add(self.retention_ms))
    }
}

const MIN_MS: u64 = 3_600_000;
const MAX_MS: u64 = 31_536_000_000;
const DIGEST_DOMAIN: &str = "qinglong/plugin-package-prompt-output-retention-policy-digest@v1";
