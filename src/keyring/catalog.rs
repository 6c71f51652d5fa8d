//! The digest of the catalogue: which keys there are and which is active, without a byte of them.

use serde::Serialize;

use super::Digest;
use super::KeyId;
use super::Manifest;
use super::manifest::SCHEMA;
use super::material_proof;

impl Manifest {
    /// Covers generation, active key, and id and proof of each key; not the retirements.
    pub fn catalog_digest(&self) -> Digest {
        let proofs = self.keys.iter().map(|(id, material)| (id, material_proof(id, material)));
        Digest::of_json(
            DOMAIN,
            &Catalog {
                schema: SCHEMA,
                generation: self.generation,
                active_key_id: &self.active,
                keys: proofs.collect(),
            },
        )
    }
}

/// Here the keys stand in collation order throughout: a list knows no members that look like an index.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Catalog<'a> {
    schema: &'static str,
    generation: u64,
    active_key_id: &'a KeyId,
    keys: Vec<(&'a KeyId, Digest)>,
}

const DOMAIN: &str = "qinglong/plugin-package-prompt-output-key-catalog-digest@v1";
