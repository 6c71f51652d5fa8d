//! Whether the network policy is in force for this Pod, before any credential is mounted.

pub mod reference;
