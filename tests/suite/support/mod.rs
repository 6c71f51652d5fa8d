//! What several tests stand on: a loopback API server, the lab, certificates made on the spot.

pub(crate) mod apiserver;
pub(crate) mod lab;
pub(crate) mod pki;
pub(crate) mod scene;
pub(crate) mod store;
