//! The proof that a key is gone from a keyring.

use serde::Serialize;

use super::Digest;
use super::Identity;
use super::KeyId;
use super::Preparation;

/// Binds a preparation to the catalogue that no longer holds its key.
pub fn absence_proof(preparation: &Preparation, retired_catalog_digest: Digest) -> Digest {
    let request = preparation.request();
    Digest::of_json(
        DOMAIN,
        &Text {
            key_id: &request.key_id,
            retirement_id: &request.retirement_id,
            preparation_digest: preparation.digest(),
            retired_catalog_digest,
        },
    )
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Text<'a> {
    key_id: &'a KeyId,
    retirement_id: &'a Identity,
    preparation_digest: Digest,
    retired_catalog_digest: Digest,
}

const DOMAIN: &str = "qinglong/plugin-package-prompt-output-key-retirement-absence-proof@v1";
