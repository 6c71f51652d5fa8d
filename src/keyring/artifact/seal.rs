//! Encrypting an output.

use ring::aead::AES_256_GCM;
use ring::aead::Aad;
use ring::aead::LessSafeKey;
use ring::aead::Nonce;
use ring::aead::UnboundKey;
use ring::rand::SecureRandom;
use ring::rand::SystemRandom;
use zeroize::Zeroizing;

use crate::keyring::Material;

use super::Artifact;
use super::Draft;
use super::Error;
use super::envelope::MAX_PLAINTEXT;
use super::envelope::Sealed;
use super::metadata::Metadata;
use super::output::content_digest;

impl Artifact {
    /// Seals an output under a fresh nonce.
    pub fn seal(draft: &Draft, material: &Material) -> Result<Self, Error> {
        let mut nonce = [0; 12];
        SystemRandom::new().fill(&mut nonce).map_err(|_unspecified| Error::Random)?;
        Self::seal_with_nonce(draft, material, nonce)
    }

    /// Seals under a given nonce, for golden cases: a nonce used twice under one key breaks both artifacts.
    pub fn seal_with_nonce(draft: &Draft, material: &Material, nonce: [u8; 12]) -> Result<Self, Error> {
        let plaintext = draft.output.plaintext();
        if plaintext.len() > MAX_PLAINTEXT {
            return Err(Error::Member("text"));
        }
        let metadata = Metadata {
            project_id: draft.project_id.clone(),
            run_id: draft.run_id.clone(),
            step_run_id: draft.step_run_id.clone(),
            invocation_id: draft.invocation_id.clone(),
            requested_by: draft.requested_by.clone(),
            provider: draft.output.provider.clone(),
            model: draft.output.model.clone(),
            content_digest: content_digest(&plaintext),
            output_bytes: draft.output.text.len() as u64,
            eligible_at_ms: draft.retention.eligible_at_ms(draft.sealed_at_ms)?,
            retention: draft.retention.clone(),
            key_id: draft.key_id.clone(),
            plaintext_bytes: plaintext.len() as u64,
            sealed_at_ms: draft.sealed_at_ms,
        };
        // Encrypted in place: what is wiped later is ciphertext by then, unless the cipher fails.
        let mut bytes = Zeroizing::new(plaintext.expose().to_vec());
        let tag = cipher(material)?
            .seal_in_place_separate_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(metadata.additional_data()),
                &mut bytes,
            )
            .map_err(|_unspecified| Error::Authentication)?;
        let auth_tag = tag.as_ref().try_into().map_err(|_length| Error::Authentication)?;
        let sealed = Sealed { nonce, ciphertext: std::mem::take(&mut *bytes), auth_tag };
        Ok(Self::new(metadata, sealed))
    }
}

pub(super) fn cipher(material: &Material) -> Result<LessSafeKey, Error> {
    let key = UnboundKey::new(&AES_256_GCM, material.expose()).map_err(|_length| Error::Authentication)?;
    Ok(LessSafeKey::new(key))
}
