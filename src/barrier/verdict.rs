//! The heart of the barrier, and pure: from what the rounds saw to *in force*, *open* or *blind*.
//!
//! A refusal alone proves nothing, whatever its form: a dead canary, a Service without endpoints, a reload of
//! rules and a redirect without its proxy all refuse. So a round counts as closed only where the controls
//! answered in that very round, and only rounds in a row count.

use std::time::Duration;

use super::fence::Fence;
use super::fence::Ground;
use super::fence::Role;
use super::round::Blindness;
use super::round::Closed;
use super::round::Finding;
use super::round::Round;
use super::sight::Sight;

/// What the rounds so far amount to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// The last finding was blind, or there was none.
    Blind(Option<Blindness>),
    /// The last rounds were closed, and not yet for long enough.
    Closing,
    /// So many closed rounds in a row, over such a time.
    InForce {
        /// Rounds.
        rounds: usize,
        /// From the beginning of the first to the beginning of the last.
        held: Duration,
    },
    /// The last finding was that the target of this index answered.
    Open(usize),
}

/// Judges the rounds in the order in which they began.
///
/// The rounds that count are those after the last one that was open or blind; of these, those before the first
/// that is still under way. So one open round, however late it becomes known, resets everything, and a lost
/// control does the same.
pub fn judge(fence: &Fence, rounds: &[Round]) -> Verdict {
    let findings: Vec<_> = rounds.iter().map(|round| finding(fence, round)).collect();
    let bad = findings.iter().rposition(|found| !matches!(found, None | Some(Finding::Closed(_))));
    let first = bad.map_or(0, |index| index + 1);
    let closed: Vec<_> = rounds
        .iter()
        .zip(findings.iter())
        .skip(first)
        .map_while(|(round, found)| match found {
            Some(Finding::Closed(how)) => Some((round.begun, *how)),
            _ => None,
        })
        .collect();
    let holds: &[Hold] = if fence.ground == Ground::CanaryAlone { &[REFERENCE] } else { &[QUICK, SLOW] };
    if let Some(verdict) = long_enough(&closed, holds) {
        return verdict;
    }
    match bad.and_then(|index| findings.get(index).copied().flatten()) {
        _ if !closed.is_empty() => Verdict::Closing,
        Some(Finding::Open(target)) => Verdict::Open(target),
        Some(Finding::Blind(why)) => Verdict::Blind(Some(why)),
        Some(Finding::Closed(_)) | None => Verdict::Blind(None),
    }
}

fn long_enough(closed: &[(Duration, Closed)], holds: &[Hold]) -> Option<Verdict> {
    holds.iter().find_map(|hold| {
        let enough =
            closed.iter().rev().take_while(|(_begun, how)| !hold.as_the_decoy || *how == Closed::AsTheDecoy);
        let (rounds, first) = enough.enumerate().last().map(|(index, (begun, _))| (index + 1, *begun))?;
        let held = closed.last()?.0.checked_sub(first)?;
        (rounds >= hold.rounds && held >= hold.time).then_some(Verdict::InForce { rounds, held })
    })
}

/// What one round shows, as soon as that is certain; `None` while it is not.
///
/// The order is that of the harm: something that accepts everything, then an open target, then whatever makes
/// the round worthless. An open target and an interception are certain before the round is settled.
pub fn finding(fence: &Fence, round: &Round) -> Option<Finding> {
    let sights = Sights { fence, round };
    if sights.of(Role::Decoy).any(|(_at, sight)| sight == Some(Sight::Connected)) {
        return Some(Finding::Blind(Blindness::Intercepted));
    }
    if let Some((open, _)) = sights.of(Role::Deny).find(|(_index, sight)| *sight == Some(Sight::Connected)) {
        return Some(Finding::Open(open));
    }
    let mut undecided = false;
    for check in [api(&sights), controls(&sights), denied(&sights)] {
        match check {
            Err(why) => return Some(Finding::Blind(why)),
            Ok(Settled::No) => undecided = true,
            Ok(Settled::Yes) => {}
        }
    }
    // An interception may still show.
    undecided |= !round.is_settled();
    (!undecided).then(|| Finding::Closed(how_closed(&sights)))
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Settled {
    No,
    Yes,
}

/// One API address that answers is enough.
fn api(sights: &Sights<'_>) -> Result<Settled, Blindness> {
    let mut all_ended = true;
    let mut refused = None;
    for (_index, sight) in sights.of(Role::Api) {
        match sight {
            Some(Sight::Connected) => return Ok(Settled::Yes),
            Some(Sight::Local(errno)) => refused = Some(errno),
            Some(_) => {}
            None => all_ended = false,
        }
    }
    match (all_ended, refused) {
        (false, _) => Ok(Settled::No),
        (true, Some(errno)) => Err(Blindness::Local(errno)),
        (true, None) => Err(Blindness::ApiLost),
    }
}

/// Every deny target's twin answers and testifies; without twins, each family has something that answers.
fn controls(sights: &Sights<'_>) -> Result<Settled, Blindness> {
    let mut settled = Settled::Yes;
    for (deny, _) in sights.of(Role::Deny) {
        let control =
            if sights.fence.ground.has_twin() { twin(sights, deny)? } else { family(sights, deny)? };
        if control == Settled::No {
            settled = Settled::No;
        }
    }
    Ok(settled)
}

fn twin(sights: &Sights<'_>, deny: usize) -> Result<Settled, Blindness> {
    let (twin, sight) = sights.twin_of(deny).ok_or(Blindness::CanaryLost)?;
    match sight {
        None => Ok(Settled::No),
        Some(Sight::Connected) if sights.fence.ground.has_proof() || sights.testifies(twin, deny) => {
            Ok(Settled::Yes)
        }
        Some(Sight::Connected) => Err(Blindness::Untestified),
        Some(Sight::Local(errno)) => Err(Blindness::Local(errno)),
        Some(_) => Err(Blindness::CanaryLost),
    }
}

fn family(sights: &Sights<'_>, deny: usize) -> Result<Settled, Blindness> {
    let mut settled = Settled::Yes;
    for (_index, sight) in sights.of(Role::Api).filter(|(index, _)| sights.same_family(*index, deny)) {
        match sight {
            Some(Sight::Connected) => return Ok(Settled::Yes),
            Some(_) => {}
            None => settled = Settled::No,
        }
    }
    if settled == Settled::No { Ok(settled) } else { Err(Blindness::FamilyUnproven) }
}

/// Every deny target was kept from answering in a way that a policy has.
fn denied(sights: &Sights<'_>) -> Result<Settled, Blindness> {
    let ground = sights.fence.ground;
    let mut settled = Settled::Yes;
    for (_index, sight) in sights.of(Role::Deny) {
        match sight {
            // An open target was found before.
            None | Some(Sight::Connected) => settled = Settled::No,
            Some(_not_connected) if ground == Ground::CanaryAlone => {}
            Some(Sight::Filtered(_) | Sight::Refused(_)) => {}
            // Somebody outside the policy must have been answered: only then it is not just a closed port.
            Some(Sight::Reset) if ground.has_proof() => {}
            Some(Sight::Reset) => return Err(Blindness::Reset),
            Some(Sight::Silence) if sights.round.patience >= sights.needed_patience() => {}
            Some(Sight::Silence) => return Err(Blindness::Slow),
            Some(Sight::Unreachable(_)) => return Err(Blindness::NoWay),
            Some(Sight::Local(errno)) => return Err(Blindness::Local(errno)),
        }
    }
    Ok(settled)
}

fn how_closed(sights: &Sights<'_>) -> Closed {
    let as_the_decoy = sights.of(Role::Deny).all(|(deny, sight)| {
        let icmp = sight.and_then(Sight::notice).map(|notice| notice.icmp);
        let mut decoys = sights.of(Role::Decoy).filter(|(decoy, _)| sights.same_family(*decoy, deny));
        icmp.is_some()
            && decoys.any(|(_index, sight)| sight.and_then(Sight::notice).map(|notice| notice.icmp) == icmp)
    });
    if as_the_decoy { Closed::AsTheDecoy } else { Closed::Otherwise }
}

/// A round beside its fence.
struct Sights<'a> {
    fence: &'a Fence,
    round: &'a Round,
}

impl Sights<'_> {
    fn of(&self, role: Role) -> impl Iterator<Item = (usize, Option<Sight>)> + Clone {
        let targets = self.fence.targets.iter().enumerate();
        targets
            .filter(move |(_index, target)| target.role == role)
            .map(|(index, _target)| (index, self.sight(index)))
    }

    fn sight(&self, index: usize) -> Option<Sight> {
        self.round.seen.get(index).copied().flatten().map(|seen| seen.dialled.sight)
    }

    fn same_family(&self, one: usize, other: usize) -> bool {
        let family = |index: usize| self.fence.targets.get(index).map(|target| target.at.is_ipv4());
        family(one) == family(other)
    }

    /// The open port at the same address.
    fn twin_of(&self, deny: usize) -> Option<(usize, Option<Sight>)> {
        let address = |index: usize| self.fence.targets.get(index).map(|target| target.at.ip());
        self.of(Role::Control).find(|(index, _sight)| address(*index) == address(deny))
    }

    fn testifies(&self, twin: usize, deny: usize) -> bool {
        let testimony = self.round.seen.get(twin).copied().flatten().and_then(|seen| seen.testimony);
        let denied = self.fence.targets.get(deny).map(|target| target.at);
        testimony.is_some_and(|testimony| Some(testimony.serves) == denied)
    }

    fn needed_patience(&self) -> Duration {
        self.round.slowest_answer(self.fence).map_or(PATIENCE_MOST, patience)
    }
}

/// How long silence is waited for where an answer takes so long.
pub fn patience(answer: Duration) -> Duration {
    (answer * PATIENCE_FACTOR).clamp(PATIENCE_LEAST, PATIENCE_MOST)
}

/// How long rounds must have been closed, and how.
struct Hold {
    as_the_decoy: bool,
    rounds: usize,
    time: Duration,
}

/// Where the decoy was refused in the same way, since that is what only a policy does. Three rounds of two
/// refusals are also what a kernel's limit on ICMP errors lets through in one burst.
const QUICK: Hold = Hold { as_the_decoy: true, rounds: 3, time: Duration::from_millis(40) };

/// Otherwise: well beyond a reload of rules, and enough rounds that lost packets cannot look like a policy: with
/// half of all packets lost, ten silent targets beside twenty answering controls come once in 10^9.
const SLOW: Hold = Hold { as_the_decoy: false, rounds: 10, time: Duration::from_millis(250) };

/// As the reference: one round.
const REFERENCE: Hold = Hold { as_the_decoy: false, rounds: 1, time: Duration::ZERO };

/// Silence is worth something after this many times of what an answer takes.
const PATIENCE_FACTOR: u32 = 10;

/// Bounds of the time that silence is waited for.
pub const PATIENCE_LEAST: Duration = Duration::from_millis(200);
const PATIENCE_MOST: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests;
