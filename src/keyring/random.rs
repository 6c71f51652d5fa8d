//! Random bytes of the operating system.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SecureRandom;
use ring::rand::SystemRandom;

use super::Error;

/// Fills the whole buffer.
pub(super) fn fill(buffer: &mut [u8]) -> Result<(), Error> {
    SystemRandom::new().fill(buffer).map_err(|_unspecified| Error::Random)
}

/// `N` bytes in lowercase hexadecimal.
pub(super) fn hex<const N: usize>() -> Result<String, Error> {
    let mut bytes = [0; N];
    fill(&mut bytes)?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap_or_default();
        text
    }))
}

/// `N` bytes in unpadded base64url.
pub(super) fn base64url<const N: usize>() -> Result<String, Error> {
    let mut bytes = [0; N];
    fill(&mut bytes)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}
