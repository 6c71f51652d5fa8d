//! The ConfigMap that carries a control proof to the barrier.

use super::error::Error;
use crate::barrier::proof;
use crate::barrier::proof::Proof;
use crate::cluster;
use crate::file;
use crate::report::LastWords;
use crate::report::Report;
use crate::time::Clock;

/// Reads a statement from stdin, refuses one that the barrier would refuse whatever it is bound to, and wraps it.
pub(super) fn wrap(namespace: &str) -> Result<Report, Error> {
    let statement = file::stdin(proof::LIMIT).ok_or(Error::Stdin)?;
    let statement = Proof::parse(statement.expose()).map_err(Error::Proof)?;
    statement.check_window(Clock::start().now_ms()).map_err(Error::Proof)?;
    let text = cluster::config_map(namespace, cluster::CONTROL_PROOF, &[(KEY, &statement.text())]);
    Ok(Report::done(text, LastWords::done("written", None)))
}

/// Where the bundle's containers look for it.
const KEY: &str = "control-proof.json";
