//! One-shot operations for QingLong 3 on Kubernetes, in the order in which one should read them.
//!
//! The ground ([`exit`], [`code`], [`hidden`], [`file`], [`json`], [`time`]) knows nothing of the trade;
//! [`keyring`] knows nothing else and touches nothing.
//! [`ledger`] is PostgreSQL, over [`tls`].
//! [`cluster`] speaks to Kubernetes.
//! Imports only go down; `tests/suite/architecture.rs` holds the table.

pub mod barrier;
pub mod cluster;
pub mod code;
pub mod evidence;
pub mod exit;
pub mod file;
pub mod hidden;
pub mod json;
pub mod keyring;
pub mod ledger;
pub mod time;
pub mod tls;
