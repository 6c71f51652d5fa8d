//! Dial all targets in rounds until there is a verdict or the deadline passes. Nothing is decided here.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::time::Instant;

use super::dial;
use super::dial::Call;
use super::dial::Hear;
use super::fence::Fence;
use super::fence::Role;
use super::fence::Target;
use super::round::Round;
use super::sight::Sight;
use super::verdict;
use super::verdict::PATIENCE_LEAST;
use super::verdict::Verdict;
use crate::time::Deadline;

/// What was seen, and what it amounts to.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) verdict: Verdict,
    /// The last round that has a finding, or the last one.
    pub(super) last: Option<Round>,
    /// How many rounds began.
    pub(super) rounds: u64,
    pub(super) elapsed: Duration,
    /// Whether the kernel offers the error queue.
    pub(super) queue: bool,
}

/// What an open target means.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum OnOpen {
    /// The end: the policy was in force before.
    Stop,
    /// The policy may still come.
    Wait,
}

/// Watches until the policy is in force, at the longest until the deadline.
pub(super) async fn watch(fence: &Fence, on_open: OnOpen, deadline: Deadline) -> Watched {
    let mut watch = Watch::new(fence);
    let mut dials = FuturesUnordered::new();
    loop {
        tokio::select! {
            biased;
            () = deadline.passed() => break,
            Some((round, target, call)) = dials.next(), if !dials.is_empty() => {
                watch.record(round, target, call);
                if on_open == OnOpen::Stop && watch.is_open(target, call) {
                    watch.verdict = Verdict::Open(target);
                    break;
                }
                if matches!(watch.verdict, Verdict::InForce { .. }) {
                    break;
                }
            }
            () = tokio::time::sleep_until(watch.next()) => {
                let (round, patience) = watch.begin();
                dials.extend(fence.targets.iter().enumerate().map(|(index, target)| async move {
                    (round, index, call(*target, patience).await)
                }));
            }
        }
    }
    watch.end()
}

async fn call(target: Target, patience: Duration) -> Call {
    match target.role {
        Role::Api => dial::dial(target.at, Hear::Nothing, CONTROL).await,
        Role::Control => dial::dial(target.at, Hear::Testimony, CONTROL).await,
        Role::Decoy | Role::Deny => dial::dial(target.at, Hear::Nothing, patience).await,
    }
}

struct Watch<'a> {
    fence: &'a Fence,
    started: Instant,
    told: Instant,
    rounds: VecDeque<Round>,
    /// The number of the first round that is kept.
    first: u64,
    queue: bool,
    verdict: Verdict,
}

impl<'a> Watch<'a> {
    fn new(fence: &'a Fence) -> Self {
        let (started, told) = (Instant::now(), Instant::now());
        let (rounds, first) = (VecDeque::new(), 0);
        Self { fence, started, told, rounds, first, queue: true, verdict: Verdict::Blind(None) }
    }

    /// Begins a round: its number, and how long silence is waited for.
    fn begin(&mut self) -> (u64, Duration) {
        let patience = self.patience();
        self.rounds.push_back(Round::begin(self.fence, self.started.elapsed(), patience));
        if self.rounds.len() > KEPT {
            self.rounds.pop_front();
            self.first += 1;
        }
        (self.begun() - 1, patience)
    }

    fn record(&mut self, round: u64, target: usize, call: Call) {
        self.queue &= call.queue;
        let index = round.checked_sub(self.first).and_then(|index| usize::try_from(index).ok());
        let slot = index.and_then(|index| self.rounds.get_mut(index)).and_then(|r| r.seen.get_mut(target));
        if let Some(slot) = slot {
            *slot = Some(call.seen);
        }
        self.verdict = verdict::judge(self.fence, self.rounds.make_contiguous());
        if self.told.elapsed() >= PROGRESS {
            self.told = Instant::now();
            tracing::info!(rounds = self.begun(), verdict = ?self.verdict, "still watching");
        }
    }

    /// Whether a deny target answered, in whichever round.
    fn is_open(&self, target: usize, call: Call) -> bool {
        let is_deny = self.fence.targets.get(target).is_some_and(|target| target.role == Role::Deny);
        is_deny && call.seen.dialled.sight == Sight::Connected
    }

    /// How many rounds began.
    fn begun(&self) -> u64 {
        self.first + u64::try_from(self.rounds.len()).unwrap_or(u64::MAX)
    }

    /// When the next round begins: soon while the fence seems to close, later the longer it stays open.
    fn next(&self) -> Instant {
        let Some(last) = self.rounds.back() else { return self.started };
        let pace = match self.verdict {
            Verdict::Closing => PACE,
            Verdict::Blind(_) | Verdict::InForce { .. } | Verdict::Open(_) => pace(last.begun),
        };
        self.started + last.begun + pace.max(self.patience() / IN_FLIGHT)
    }

    /// From the slowest answer among the rounds that are kept.
    fn patience(&self) -> Duration {
        let slowest = self.rounds.iter().filter_map(Round::slowest_answer).max();
        slowest.map_or(PATIENCE_LEAST, verdict::patience)
    }

    fn end(self) -> Watched {
        let known = self.rounds.iter().rposition(|round| verdict::finding(self.fence, round).is_some());
        let (rounds, elapsed) = (self.begun(), self.started.elapsed());
        let last =
            known.or(self.rounds.len().checked_sub(1)).and_then(|index| self.rounds.get(index).cloned());
        Watched { verdict: self.verdict, last, rounds, elapsed, queue: self.queue }
    }
}

/// The pace of rounds after so long.
fn pace(elapsed: Duration) -> Duration {
    if elapsed < Duration::from_secs(3) {
        PACE
    } else if elapsed < Duration::from_secs(10) {
        PACE * 2
    } else {
        PACE * 5
    }
}

/// Between two rounds. Faster ones use up what a kernel allows of ICMP errors, and refusals turn into silence.
const PACE: Duration = Duration::from_millis(20);

/// Rounds that wait for silence at one time, about.
const IN_FLIGHT: u32 = 10;

/// Rounds that are judged: more than are ever under way and held together.
const KEPT: usize = 128;

/// A control that has not answered by then has lost a packet: the kernel sends the next after a second
/// (RFC 6298).
const CONTROL: Duration = Duration::from_millis(900);

/// Between two lines of progress.
const PROGRESS: Duration = Duration::from_secs(1);
