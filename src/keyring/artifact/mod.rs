//! An encrypted prompt output: what the keys are for, and the proof that one opens what it sealed (ADR-0261).
//!
//! AES-256-GCM with a fresh 12-byte nonce per artifact. Everything but the plaintext is bound to it as
//! additional data. Plaintext is wiped by its type; two copies are out of our reach, the JSON parser's
//! scratch of a text with escapes and the cipher's expanded key.

mod draft;
mod envelope;
mod error;
mod metadata;
mod open;
mod output;
mod reference;
mod retention;
mod seal;
#[cfg(test)]
mod tests;
mod tombstone;
mod wire;

pub use draft::Draft;
pub use envelope::Artifact;
pub use error::Error;
pub(super) use error::INVALID;
pub(super) use error::UNAVAILABLE;
pub use metadata::Requester;
pub use metadata::RequesterType;
pub use output::FinishReason;
pub use output::Output;
pub use output::Usage;
pub use reference::Reference;
pub use retention::Retention;
pub use tombstone::Tombstone;
