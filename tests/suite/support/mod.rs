//! What several tests stand on: the built program, the lab, a loopback API server, certificates made on the spot.

pub(crate) mod apiserver;
pub(crate) mod lab;
pub(crate) mod pki;
pub(crate) mod program;
pub(crate) mod scene;
pub(crate) mod store;
