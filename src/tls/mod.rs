//! The two TLS stacks, and whom they trust.

pub mod authority;
pub mod pem;
pub mod postgres;
