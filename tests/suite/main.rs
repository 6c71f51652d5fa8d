//! The one test binary. Its modules are named for what they prove.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::missing_docs_in_private_items,
    clippy::panic,
    reason = "tests start processes, read their environment and stop at the first surprise"
)]

mod cluster;
mod support;
mod vectors;
