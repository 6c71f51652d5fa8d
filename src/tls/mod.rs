//! TLS: whom we trust, and why a peer was not believed.

pub mod authority;
pub mod pem;
pub mod postgres;
pub mod refusal;
