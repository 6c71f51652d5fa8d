//! The barrier against real rules, in network namespaces: which signature each rule has, what must never pass,
//! what must, how soon a policy is seen.
//!
//!     fence [PART [FILTER]]     all parts, or one, or its rows with such a name
//!
//! Needs root, iptables, iproute2, netcat-openbsd, strace and python3; `hack/fence` sees to that. It touches
//! nothing outside namespaces of its own, but for files below /etc/netns and /run/netns that it removes.
#![expect(
    clippy::disallowed_methods,
    reason = "tests start programs, read their environment and the time, as the program itself may not"
)]

#[path = "../console/mod.rs"]
mod console;
mod family;
mod flap;
mod launch;
mod limits;
mod matrix;
mod names;
mod net;
mod peers;
mod positive;
mod program;
mod race;
mod resources;
mod rules;
mod sabotage;
mod scene;
mod serve;
mod slow;
mod surroundings;
mod tally;

use std::error::Error;
use std::process::ExitCode;

use console::complain;
use console::say;
use console::timed;
use race::Nowhere;
use race::Pod;
use rustix::process::Pid;
use rustix::process::Signal;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.split_first() {
        Some((word, [text])) if word == launch::WORD => launch::launch(text),
        Some((word, rest)) if word == peers::WORD => {
            peers::accept_any_failure(rest).map(|()| ExitCode::SUCCESS)
        }
        Some((part, rest)) => parts(part, rest.first().map_or("", String::as_str)),
        None => parts("", ""),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            complain(&format!("fence: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Runs the parts; the last lines say how they ended.
fn parts(only: &str, filter: &str) -> Result<ExitCode> {
    net::sweep()?;
    let wanted = |part: &str| only.is_empty() || only == part;
    let mut last = Vec::new();
    let mut clean = true;
    if wanted("matrix") {
        let tally = timed("matrix", || matrix::run(filter))?;
        clean &= tally.is_clean();
        last.push(format!("rules right: {}/{}", tally.right, tally.all));
    }
    if wanted("in-force") {
        let tally = timed("in-force", || positive::run(filter))?;
        clean &= tally.is_clean();
        say(&format!("in force where it must be: {}/{}", tally.right, tally.all));
    }
    if wanted("surroundings") {
        clean &= timed("surroundings", surroundings::run)?.is_clean();
    }
    if wanted("resources") {
        clean &= timed("resources", resources::run)?.is_clean();
    }
    if wanted("limits") {
        clean &= timed("limits", limits::run)?.is_clean();
    }
    if wanted("sabotage") {
        let outcome = timed("sabotage", || sabotage::run(filter))?;
        let rows = outcome.rows;
        clean &= rows.is_clean() && outcome.false_passes == 0;
        say(&format!("verdict as expected: {}/{}", rows.right, rows.all));
        say(&format!("false passes of nc -z -w 1: {}/{}", outcome.nc, outcome.unenforced));
        say(&format!("false passes of accept-any-failure: {}/{}", outcome.any, outcome.unenforced));
        last.push(format!("false passes: {}/{}", outcome.false_passes, rows.all));
    }
    if wanted("race") {
        let few = RUNS / 4;
        let [usual, answered, dual] = timed("race", || {
            let usual = race::run(RUNS, Nowhere::Silent, Pod::V4)?;
            let answered = race::run(few, Nowhere::Answered, Pod::V4)?;
            Ok([usual, answered, race::run(few, Nowhere::Silent, Pod::Dual)?])
        })?;
        say(&format!("IPv4, what nobody has is silent: {}", usual.details()));
        say(&format!("IPv4, what nobody has is answered: {}", answered.details()));
        say(&format!("both families, what nobody has is silent: {}", dual.details()));
        clean &= [&usual, &answered, &dual].iter().all(|series| series.is_clean());
        last.push(format!("race: {}", usual.line()));
    }
    for line in last {
        say(&line);
    }
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A process of ours; one that has ended already is as good.
fn kill(pid: Pid, signal: Signal) {
    rustix::process::kill_process(pid, signal).unwrap_or_default();
}

const RUNS: usize = 120;
