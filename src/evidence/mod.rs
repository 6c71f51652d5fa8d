//! Whether a report of a live gate is complete and says what it must, judged without a cluster.

pub mod key_retirement;

mod instant;
