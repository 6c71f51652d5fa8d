//! The keyring: which keys there are, which one is active, which ones were retired and by whom (ADR-0261, ADR-0262).
//!
//! Everything here is pure but [`projected`], which reads the keyring of a mounted volume, and
//! [`Material::generate`], which asks the operating system for random bytes. Digests are lowercase
//! hexadecimal SHA-256; times are milliseconds since 1970-01-01 UTC up to 2^53 - 1.

pub mod artifact;
pub mod projected;

mod absence;
mod canonical;
mod catalog;
mod completion;
mod digest;
mod error;
mod identity;
mod key_id;
mod manifest;
mod material;
mod members;
mod parse;
mod preparation;
mod random;
mod request;
mod retire;
mod state;
mod summary;

use crate::code::Code;

pub use absence::absence_proof;
pub use completion::Completion;
pub use digest::Digest;
pub use error::Error;
pub use error::Kind;
pub use identity::Identity;
pub use key_id::KeyId;
pub use manifest::MAX_BYTES;
pub use manifest::Manifest;
pub use material::Material;
pub use material::material_proof;
pub use preparation::Preparation;
pub use request::Request;
pub use retire::Retirement;
pub use state::Absent;
pub use state::Present;
pub use state::State;
pub use summary::Summary;

/// The codes of this module, those of [`artifact`] and [`projected`] included.
pub static CODES: &[&Code] = &[
    &error::INVALID,
    &error::CONFLICT,
    &error::UNAVAILABLE,
    &artifact::INVALID,
    &artifact::UNAVAILABLE,
    &projected::UNAVAILABLE,
];
