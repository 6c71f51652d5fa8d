//! What the two TLS stacks share: reading PEM.

pub mod pem;
