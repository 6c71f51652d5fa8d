//! Rows in which nothing is enforced, or not what is wanted, and something else is broken. None may pass.
//!
//! Each row runs the barrier and both peers, at the same time and each in a Pod of its own under the same rules.

mod api;
mod canary;
mod dns;
mod flapping;
mod interception;
mod proof;
mod service;

use std::thread;

use super::Result;
use super::net::Family;
use super::peers;
use super::peers::Aim;
use super::peers::Passed;
use super::program::Ended;
use super::program::Verdict;
use super::say;
use super::scene::Scene;
use super::tally::Tally;

/// One sabotage.
pub(super) struct Row {
    name: &'static str,
    family: Family,
    /// Any of these is right.
    expected: &'static [Verdict],
    /// Makes the sabotage in a scene where the API server and a canary with its twin answer.
    arrange: fn(&mut Scene) -> Result<()>,
}

impl Row {
    fn v4(name: &'static str, expected: &'static [Verdict], arrange: fn(&mut Scene) -> Result<()>) -> Self {
        Self { name, family: Family::V4, expected, arrange }
    }

    fn v6(name: &'static str, expected: &'static [Verdict], arrange: fn(&mut Scene) -> Result<()>) -> Self {
        Self { name, family: Family::V6, expected, arrange }
    }
}

/// How often who passed where nobody may.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    /// Rows whose verdict was one of the expected.
    pub(crate) rows: Tally,
    pub(crate) false_passes: usize,
    pub(crate) nc: usize,
    pub(crate) any: usize,
}

pub(crate) fn run(filter: &str) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    say(&format!(
        "{:<62} {:<16} {:<10} {:<34} {:<5} nc    any",
        "sabotage", "expected", "seen", "code", "ok"
    ));
    for row in rows().iter().filter(|row| row.name.contains(filter)) {
        let (ended, passed) = play(row).map_err(|error| format!("{}: {error}", row.name))?;
        let (verdict, fault) = (ended.verdict(), ended.fault());
        let ok = outcome.rows.count(row.expected.contains(&verdict) && fault.is_none());
        outcome.false_passes += usize::from(ended.exit == Some(0));
        outcome.nc += usize::from(passed.nc);
        outcome.any += usize::from(passed.any);
        let expected: Vec<_> = row.expected.iter().map(|verdict| verdict.word()).collect();
        say(&format!(
            "{:<62} {:<16} {:<10} {:<34} {ok:<5} {:<5} {}",
            format!("{} ({})", row.name, row.family.word()),
            expected.join("|"),
            verdict.word(),
            ended.code(),
            word(passed.nc),
            word(passed.any),
        ));
        if let Some(fault) = fault {
            say(&format!("    {fault}"));
        }
        if ended.exit == Some(0) {
            say(&format!("    {}", ended.stdout.trim_end()));
        }
    }
    Ok(outcome)
}

fn play(row: &Row) -> Result<(Ended, Passed)> {
    let mut scene = Scene::new(row.family)?;
    (row.arrange)(&mut scene)?;
    let aim = Aim::of(&scene);
    let spaces = scene.net.clone_spaces();
    thread::scope(|scope| {
        let peers = scope.spawn(|| peers::run(&spaces, &aim));
        let ended = scene.barrier()?;
        let passed = peers.join().map_err(|_panic| "a peer's thread panicked")??;
        Ok((ended, passed))
    })
}

fn word(passed: bool) -> &'static str {
    if passed { "PASS" } else { "-" }
}

fn rows() -> Vec<Row> {
    [
        canary::rows(),
        service::rows(),
        interception::rows(),
        flapping::rows(),
        dns::rows(),
        proof::rows(),
        api::rows(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

const BLIND: &[Verdict] = &[Verdict::Blind];
const CONFIG: &[Verdict] = &[Verdict::Config];
const OPEN: &[Verdict] = &[Verdict::Open];
/// By chance of time one or the other.
const OPEN_OR_BLIND: &[Verdict] = &[Verdict::Open, Verdict::Blind];
const OS_OR_BLIND: &[Verdict] = &[Verdict::Os, Verdict::Blind];
const UNRESOLVED: &[Verdict] = &[Verdict::Unresolved];
