//! The ConfigMap that carries a control proof to the barrier.

use std::io::Read;

use super::error::Error;
use crate::barrier::proof;
use crate::barrier::proof::Proof;
use crate::cluster;
use crate::report::LastWords;
use crate::report::Report;
use crate::time::Clock;

/// Reads a statement from stdin, refuses one that the barrier would refuse whatever it is bound to, and wraps it.
pub(super) fn wrap(namespace: &str) -> Result<Report, Error> {
    let statement = Proof::parse(&stdin()?).map_err(Error::Proof)?;
    statement.check_window(Clock::start().now_ms()).map_err(Error::Proof)?;
    let text = cluster::config_map(namespace, cluster::CONTROL_PROOF, &[(KEY, &statement.text())]);
    Ok(Report::done(text, LastWords::done("written", None)))
}

fn stdin() -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    // One more than may be, so that too much is noticed.
    let limit = u64::try_from(proof::LIMIT + 1).unwrap_or(u64::MAX);
    match std::io::stdin().lock().take(limit).read_to_end(&mut text) {
        Ok(1..) => Ok(text),
        Ok(_) | Err(_) => Err(Error::Stdin),
    }
}

/// Where the bundle's containers look for it.
const KEY: &str = "control-proof.json";
