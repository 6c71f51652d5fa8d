//! Decrypting an artifact.

use ring::aead::Aad;
use ring::aead::Nonce;
use zeroize::Zeroizing;

use crate::keyring::Material;

use super::Artifact;
use super::Error;
use super::Output;
use super::output::content_digest;
use super::seal::cipher;

impl Artifact {
    /// Decrypts, and checks that what comes out is what the envelope says.
    pub fn open(&self, material: &Material) -> Result<Output, Error> {
        let sealed = &self.sealed;
        let mut bytes = Zeroizing::new([sealed.ciphertext.as_slice(), &sealed.auth_tag].concat());
        let plaintext = cipher(material)?
            .open_in_place(
                Nonce::assume_unique_for_key(sealed.nonce),
                Aad::from(self.metadata.additional_data()),
                &mut bytes,
            )
            .map_err(|_unspecified| Error::Authentication)?;
        let output = Output::from_plaintext(plaintext)?;
        let metadata = &self.metadata;
        let described = content_digest(&output.plaintext()) == metadata.content_digest
            && output.text.len() as u64 == metadata.output_bytes
            && output.provider == metadata.provider
            && output.model == metadata.model;
        if described { Ok(output) } else { Err(Error::Content) }
    }
}
