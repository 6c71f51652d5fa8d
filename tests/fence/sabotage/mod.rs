//! Rows in which nothing is enforced, or not what is wanted, and something else is broken. None may pass. In some
//! rows the deny port is closed by a rule for this Pod, but nothing can show it: passing there would be luck, so
//! the barrier must not; to the peers, which may be lucky, these rows are not counted.
//!
//! Each other row runs the barrier and both peers, at the same time and each in a Pod of its own under the same rules.

mod api;
mod canary;
mod dns;
mod flapping;
mod interception;
mod proof;
mod service;

use std::thread;

use super::Result;
use super::family::Family;
use super::peers;
use super::peers::Aim;
use super::peers::Passed;
use super::program::Ended;
use super::say;
use super::scene::Scene;
use super::tally::Tally;

/// One sabotage.
pub(super) struct Row {
    name: &'static str,
    family: Family,
    /// Any of these is right: a verdict, and its code where only that one is.
    expected: Expected,
    /// Makes the sabotage in a scene where the API server and a canary with its twin answer.
    arrange: fn(&mut Scene) -> Result<()>,
    pace: Pace,
    peers: Peers,
}

/// Whether a pass of a peer would be false.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Peers {
    /// It would.
    Run,
    /// The deny port is closed by a rule.
    Spared,
}

/// Whether another row may run beside it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Pace {
    /// Its timing is what it is about.
    Counts,
    /// It mostly waits.
    Waits,
}

type Expected = &'static [&'static str];

impl Row {
    fn v4(name: &'static str, expected: Expected, arrange: fn(&mut Scene) -> Result<()>) -> Self {
        Self { name, family: Family::V4, expected, arrange, pace: Pace::Waits, peers: Peers::Run }
    }

    fn v6(name: &'static str, expected: Expected, arrange: fn(&mut Scene) -> Result<()>) -> Self {
        Self { name, family: Family::V6, expected, arrange, pace: Pace::Waits, peers: Peers::Run }
    }
}

/// For a row in which the deny port is closed by a rule.
const fn closed(mut row: Row) -> Row {
    row.peers = Peers::Spared;
    row
}

/// How often who passed where nobody may.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    /// Rows whose verdict was one of the expected.
    pub(crate) rows: Tally,
    pub(crate) false_passes: usize,
    pub(crate) nc: usize,
    pub(crate) any: usize,
    /// Rows that the peers ran in.
    pub(crate) unenforced: usize,
}

pub(crate) fn run(filter: &str) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    say(&format!("{:<70} {:<30} {:<30} {:<5} nc    any", "sabotage", "expected", "seen", "ok"));
    let rows: Vec<_> = rows().into_iter().filter(|row| row.name.contains(filter)).collect();
    // Two at a time, each in a network of its own; what is about time has the machine for itself.
    for pair in rows.chunk_by(|one, other| one.pace == Pace::Waits && other.pace == Pace::Waits) {
        for pair in pair.chunks(2) {
            for (row, played) in pair.iter().zip(play_together(pair)) {
                let (ended, passed) = played.map_err(|error| format!("{}: {error}", row.name))?;
                outcome.take(row, &ended, passed);
            }
        }
    }
    Ok(outcome)
}

impl Outcome {
    fn take(&mut self, row: &Row, ended: &Ended, passed: Passed) {
        let (seen, fault) = (ended.word(), ended.fault());
        let verdict = seen.split(' ').next().unwrap_or_default();
        let as_expected = row.expected.iter().any(|expected| [seen.as_str(), verdict].contains(expected));
        let ok = self.rows.count(as_expected && fault.is_none());
        self.false_passes += usize::from(ended.exit == Some(0));
        self.nc += usize::from(passed.nc);
        self.any += usize::from(passed.any);
        self.unenforced += usize::from(row.peers == Peers::Run);
        say(&format!(
            "{:<70} {:<30} {seen:<30} {ok:<5} {:<5} {}",
            format!("{} ({})", row.name, row.family.word()),
            row.expected.join(" | "),
            word(row, passed.nc),
            word(row, passed.any),
        ));
        if let Some(fault) = fault {
            say(&format!("    {fault}"));
        }
        if ended.exit == Some(0) {
            say(&format!("    {}", ended.stdout.trim_end()));
        }
    }
}

fn play_together(rows: &[Row]) -> Vec<Result<(Ended, Passed)>> {
    thread::scope(|scope| {
        let threads: Vec<_> = rows.iter().map(|row| scope.spawn(|| play(row))).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|_panic| Err("a row's thread panicked".into()))
        };
        threads.into_iter().map(join).collect()
    })
}

fn play(row: &Row) -> Result<(Ended, Passed)> {
    let mut scene = Scene::new(row.family)?;
    (row.arrange)(&mut scene)?;
    let aim = Aim::of(&scene);
    let spaces = scene.net.clone_spaces();
    thread::scope(|scope| {
        let peers = scope.spawn(|| match row.peers {
            Peers::Run => peers::run(&spaces, &aim),
            Peers::Spared => Ok(Passed::default()),
        });
        let ended = scene.barrier()?;
        let passed = peers.join().map_err(|_panic| "a peer's thread panicked")??;
        Ok((ended, passed))
    })
}

fn word(row: &Row, passed: bool) -> &'static str {
    match (row.peers, passed) {
        (Peers::Spared, _) => "",
        (Peers::Run, false) => "-",
        (Peers::Run, true) => "PASS",
    }
}

fn rows() -> Vec<Row> {
    [
        canary::rows(),
        service::rows(),
        interception::rows(),
        flapping::rows().into_iter().map(|row| Row { pace: Pace::Counts, ..row }).collect(),
        dns::rows(),
        proof::rows(),
        api::rows(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

const API_LOST: Expected = &["blind API_UNREACHABLE"];
const DEAD: Expected = &["blind CANARY_DEAD"];
const INTERCEPTED: Expected = &["blind INTERCEPTED"];
const INVALID: Expected = &["config TARGET_INVALID"];
const RESET: Expected = &["blind RESET_UNPROVEN"];
const UNTESTIFIED: Expected = &["blind UNTESTIFIED"];
const BLIND: Expected = &["blind"];
const OPEN: Expected = &["open OPEN"];
/// By chance of time one or the other.
const OPEN_OR_BLIND: Expected = &["open OPEN", "blind"];
const OS: Expected = &["os DIAL_REFUSED"];
const UNRESOLVED: Expected = &["unresolved CANARY_UNRESOLVED"];
