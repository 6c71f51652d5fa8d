//! The live gate: an operator's way through the bundle, on a cluster with kubelets, a policy enforcer and an
//! operator-managed database, and a report of what was seen on it.
//!
//!     live REPORT [refusals [FILTER]]     writes the report; before that, what must be refused, all or some
//!
//! `hack/live` brings the cluster up and names it in the environment. The refusals come first, on the very scene on
//! which the run then succeeds: what they show is due to what each of them breaks, and to nothing else.
#![expect(clippy::indexing_slicing, reason = "a JSON object's index is null, or made, where it is absent")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests start programs, read their environment and the time, as the program itself may not"
)]

mod command;
#[path = "../console/mod.rs"]
mod console;
mod gate;
mod keyring;
mod ledger;
mod network;
mod overlay;
mod platform;
mod refusals;
mod requests;
mod rights;
mod run;
mod scene;
mod share;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use console::complain;
use console::say;
use console::timed;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        [report] => live(Path::new(report), None),
        [report, "refusals"] => live(Path::new(report), Some("")),
        [report, "refusals", filter] => live(Path::new(report), Some(filter)),
        _ => Err("usage: live REPORT [refusals [FILTER]]".into()),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            complain(&format!("live: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn live(report: &Path, refusals: Option<&str>) -> Result<bool> {
    let mut scene = timed("scene", scene::Scene::set)?;
    let refused = match refusals {
        Some(filter) => timed("refusals", || refusals::run(&mut scene, filter))?,
        None => true,
    };
    let passed = timed("gate", || gate::run(&mut scene, report))?;
    Ok(refused && passed)
}
