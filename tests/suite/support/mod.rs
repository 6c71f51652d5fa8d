//! What several tests stand on: the built program, the lab, stand-ins on the wire, certificates made on the spot.

pub(crate) mod apiserver;
pub(crate) mod artifact;
pub(crate) mod canary;
pub(crate) mod dns;
pub(crate) mod go_between;
pub(crate) mod kustomize;
pub(crate) mod lab;
pub(crate) mod pki;
pub(crate) mod postgres;
pub(crate) mod program;
pub(crate) mod scene;
pub(crate) mod special;
pub(crate) mod store;
pub(crate) mod wire;
