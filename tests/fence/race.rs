//! The policy lands while the barrier runs: how soon is that seen, and does anybody see it before it is there?
//!
//! The rule's time is the moment before COMMIT goes to a waiting iptables-restore, the verdict's the moment when
//! the process has ended. So the figure holds the kernel's transaction, the barrier's holding time and its exit.

use std::hash::BuildHasher;
use std::hash::RandomState;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use super::Result;
use super::family::Family;
use super::net::Place;
use super::peers;
use super::peers::Aim;
use super::program::Verdict;
use super::rules;
use super::rules::Prepared;
use super::say;
use super::scene::Scene;

/// What a series of runs brought.
#[derive(Debug, Default)]
pub(crate) struct Series {
    /// Verdict minus rule, in ms, sorted.
    gaps: Vec<f64>,
    /// Runs that did not end with "in force".
    pub(crate) lost: usize,
    /// Passes before the rule.
    pub(crate) early: usize,
    nc_early: usize,
    any_early: usize,
    runs: usize,
}

/// Which families the Pod has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Pod {
    /// Both; the decoy of the other family is silent.
    Dual,
    /// As in most clusters.
    V4,
}

/// What the node does with an address that nobody has, before the policy.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Nowhere {
    /// "Network unreachable".
    Answered,
    /// Nothing comes back, as is usual.
    Silent,
}

pub(crate) fn run(runs: usize, nowhere: Nowhere, pod: Pod) -> Result<Series> {
    let mut series = Series { runs, ..Series::default() };
    for _run in 0..runs {
        once(&mut series, nowhere, pod)?;
    }
    series.gaps.sort_by(f64::total_cmp);
    Ok(series)
}

fn once(series: &mut Series, nowhere: Nowhere, pod: Pod) -> Result<()> {
    let mut scene = Scene::new(Family::V4)?;
    scene.deadline = 10;
    if nowhere == Nowhere::Answered {
        scene.net.ip(Place::Node, "route del default")?;
    }
    if pod == Pod::V4 {
        scene.net.without_v6()?;
    }
    let prepared = Prepared::new(&scene.net, Family::V4, &rules::reject(Family::V4))?;
    let (spaces, aim) = (scene.net.clone_spaces(), Aim::of(&scene));
    let delay = Duration::from_millis(50 + RandomState::new().hash_one(series.gaps.len()) % 350);
    thread::scope(|scope| {
        let barrier = scope.spawn(|| scene.barrier().map_err(|error| error.to_string()));
        let nc = scope.spawn(|| until(|| peers::nc(&spaces, &aim).ok()));
        let any = scope.spawn(|| peers::any(&spaces, &aim).ok());
        thread::sleep(delay);
        let rule = prepared.land()?;
        let ended = barrier.join().map_err(|_panic| "the barrier's thread panicked")??;
        let early = |pass: Option<Instant>| usize::from(pass.is_some_and(|pass| pass < rule));
        series.nc_early += early(nc.join().map_err(|_panic| "a peer's thread panicked")?);
        series.any_early += early(any.join().map_err(|_panic| "a peer's thread panicked")?);
        if ended.verdict() != Verdict::InForce {
            series.lost += 1;
            say(&format!("    not in force: {} {}", ended.stdout.trim(), ended.stderr.trim()));
            return Ok(());
        }
        let gap = match ended.seen.checked_duration_since(rule) {
            Some(after) => after.as_secs_f64() * 1000.0,
            None => -rule.duration_since(ended.seen).as_secs_f64() * 1000.0,
        };
        if gap < 0.0 {
            series.early += 1;
            say(&format!("    {gap:.1} ms: {}", ended.stdout.trim()));
        }
        series.gaps.push(gap);
        Ok(())
    })
}

/// The way in which people wait with a probe that tries once.
fn until(probe: impl Fn() -> Option<Instant>) -> Option<Instant> {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(3) {
        if let Some(pass) = probe() {
            return Some(pass);
        }
        thread::sleep(Duration::from_millis(50));
    }
    None
}

impl Series {
    pub(crate) fn line(&self) -> String {
        let (p50, p99) = (self.percentile(50), self.percentile(99));
        format!("p50 {p50:.0} ms, p99 {p99:.0} ms ({} runs)", self.runs)
    }

    pub(crate) fn details(&self) -> String {
        let [least, most] = [self.gaps.first(), self.gaps.last()].map(|gap| gap.copied().unwrap_or(f64::NAN));
        format!(
            "{}; least {least:.0} ms, most {most:.0} ms; passes before the rule: barrier {}, nc {}, accept-any-failure {}; \
             not in force within 10 s: {}",
            self.line(),
            self.early,
            self.nc_early,
            self.any_early,
            self.lost
        )
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.early == 0 && self.lost == 0
    }

    /// The nearest rank: at least so many percent of the values are not above it.
    fn percentile(&self, percent: usize) -> f64 {
        let rank = (self.gaps.len() * percent).div_ceil(100);
        self.gaps.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
    }
}
