//! The one test binary. Its modules are named for what they prove.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests start processes, read their environment and stop at the first surprise"
)]

mod architecture;
mod barrier;
mod bundle;
mod cluster;
mod decision;
mod evidence;
mod exit_codes;
mod explain;
mod image;
mod keyring_verbs;
mod ledger;
mod ledger_verbs;
mod manifests;
mod names;
mod operations;
mod readme;
mod retirement;
mod support;
mod vectors;
