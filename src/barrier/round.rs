//! One round: every target dialled at the same moment, and what came of it so far.

use std::time::Duration;

use super::fence::Fence;
use super::sight::Dialled;
use super::sight::Sight;
use super::testimony::Testimony;

/// What is known of a round. Its dials end one after another, so some may still be under way.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Round {
    /// When it began, from the start of the barrier.
    pub begun: Duration,
    /// How long silence was waited for.
    pub patience: Duration,
    /// In the order of the fence's targets; `None` while a dial is under way.
    pub seen: Vec<Option<Seen>>,
}

/// What one dial of a round brought.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Seen {
    /// How it ended.
    pub dialled: Dialled,
    /// What the listener said of itself: asked of controls only.
    pub testimony: Option<Testimony>,
}

/// What a round shows.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Finding {
    /// It proves nothing.
    Blind(Blindness),
    /// Everything that must answer did, and nothing that must not.
    Closed(Closed),
    /// The deny target of this index answered.
    Open(usize),
}

/// How the deny targets of a closed round were kept from answering.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Closed {
    /// By ICMP, and the decoy of the same family by the same ICMP error from the same place: whoever refuses,
    /// refuses what nobody allowed.
    AsTheDecoy,
    /// In any other way that counts.
    Otherwise,
}

/// Why a round proves nothing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Blindness {
    /// The API server did not answer.
    ApiLost,
    /// The canary's open port did not answer either: a dead canary, or one that is behind the policy as a whole.
    CanaryLost,
    /// A deny target's family has nothing that answers.
    FamilyUnproven,
    /// The decoy answered: something between accepts what is not there.
    Intercepted,
    /// Our own kernel refused to dial.
    Local(i32),
    /// The way to a deny target is broken, which says nothing about a policy.
    NoWay,
    /// The controls were slower than silence was waited for.
    Slow,
    /// A reset: every closed port sends one too.
    Reset,
    /// The canary did not testify that it serves the deny target.
    Untestified,
}

impl Round {
    /// A round whose dials have all just begun.
    pub fn begin(fence: &Fence, begun: Duration, patience: Duration) -> Self {
        Self { begun, patience, seen: vec![None; fence.targets.len()] }
    }

    /// The longest that an answer took.
    pub fn slowest_answer(&self) -> Option<Duration> {
        let answers = self.seen.iter().flatten().filter(|seen| seen.dialled.sight == Sight::Connected);
        answers.map(|seen| seen.dialled.took).max()
    }
}
