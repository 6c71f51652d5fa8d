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
/// The rounds that count are those after the last one that was open or blind. So one open round, however late it
/// becomes known, resets everything, and a lost control does the same.
pub fn judge(fence: &Fence, rounds: &[Round]) -> Verdict {
    let findings: Vec<_> = rounds.iter().map(|round| finding(fence, round)).collect();
    let bad = findings.iter().rposition(|found| !matches!(found, None | Some(Finding::Closed(_))));
    let first = bad.map_or(0, |index| index + 1);
    let row: Vec<_> = rounds
        .iter()
        .zip(&findings)
        .skip(first)
        .map_while(|(round, found)| match found {
            Some(Finding::Closed(how)) => Some((round.begun, Some(*how))),
            _ => closed_so_far(fence, round).then_some((round.begun, None)),
        })
        .collect();
    let settled = row.iter().take_while(|(_begun, how)| how.is_some()).count();
    if let Some(verdict) = long_enough(fence.ground, &row, settled) {
        return verdict;
    }
    match bad.and_then(|index| findings.get(index).copied().flatten()) {
        _ if settled > 0 => Verdict::Closing,
        Some(Finding::Open(target)) => Verdict::Open(target),
        Some(Finding::Blind(why)) => Verdict::Blind(Some(why)),
        Some(Finding::Closed(_)) | None => Verdict::Blind(None),
    }
}

/// Rounds in a row that were not open: when each began, and how it was closed if that is known.
fn long_enough(ground: Ground, row: &[(Duration, Option<Closed>)], settled: usize) -> Option<Verdict> {
    let enough = |row: &[(Duration, Option<Closed>)], hold: &Hold| {
        let held = row.last()?.0.checked_sub(row.first()?.0)?;
        let rounds = row.len();
        (rounds >= hold.rounds && held >= hold.time).then_some(Verdict::InForce { rounds, held })
    };
    let settled = row.get(..settled)?;
    if ground == Ground::CanaryAlone {
        return enough(settled, &REFERENCE);
    }
    let alike = |(_begun, how): &(Duration, Option<Closed>)| *how == Some(Closed::AsTheDecoy);
    let quick = row.iter().position(alike).and_then(|first| row.get(first..)).unwrap_or_default();
    let is_quick = quick.iter().filter(|round| alike(round)).count() >= QUICK_ALIKE;
    is_quick.then(|| enough(quick, &QUICK)).flatten().or_else(|| enough(settled, &SLOW))
}

/// Whether the twin has answered and testified, and its deny port has not answered though it is dialled at the same
/// moment and on the same way. Beside rounds that were refused this is the same state: kernels limit ICMP errors.
fn closed_so_far(fence: &Fence, round: &Round) -> bool {
    let sights = Sights { fence, round };
    let answered = [api(&sights), controls(&sights)];
    fence.ground.has_twin() && answered.iter().all(|answered| *answered == Ok(Settled::Yes))
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
    let controls = [api(&sights), controls(&sights)];
    if let Some(Err(why)) = controls.iter().find(|settled| settled.is_err()) {
        return Some(Finding::Blind(*why));
    }
    let answered = controls.iter().all(|settled| *settled == Ok(Settled::Yes));
    match denied(&sights) {
        // How long an answer takes is not known yet.
        Err(Blindness::Slow) if !answered => None,
        Err(why) => Some(Finding::Blind(why)),
        Ok(Settled::Yes) if answered && !decoy_is_awaited(&sights) => {
            Some(Finding::Closed(how_closed(&sights)))
        }
        Ok(_) => None,
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Settled {
    No,
    Yes,
}

/// An interception may still show. In a family without deny targets it would prove nothing.
fn decoy_is_awaited(sights: &Sights<'_>) -> bool {
    let mut awaited = sights.of(Role::Decoy).filter(|(_index, sight)| sight.is_none());
    awaited.any(|(decoy, _)| sights.of(Role::Deny).any(|(deny, _)| sights.same_family(decoy, deny)))
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
        Some(Sight::Connected) if sights.testifies(twin, deny) => Ok(Settled::Yes),
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
            // Somebody outside the policy was answered, and the listener still lives: so it is not just a closed port.
            Some(Sight::Reset) if ground == Ground::TwinAndProof => {}
            Some(Sight::Reset) => return Err(Blindness::Reset),
            Some(Sight::Silence) if sights.round.patience >= sights.needed_patience() => {}
            Some(Sight::Silence) => return Err(Blindness::Slow),
            Some(Sight::Unreachable(_)) => return Err(Blindness::NoWay),
            Some(Sight::Local(errno)) => return Err(Blindness::Local(errno)),
        }
    }
    Ok(settled)
}

/// By the same ICMP error, and from the same place.
fn how_closed(sights: &Sights<'_>) -> Closed {
    let as_the_decoy = sights.of(Role::Deny).all(|(deny, sight)| {
        let notice = sight.and_then(Sight::notice);
        let mut decoys = sights.of(Role::Decoy).filter(|(decoy, _)| sights.same_family(*decoy, deny));
        notice.is_some() && decoys.any(|(_index, sight)| sight.and_then(Sight::notice) == notice)
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

    /// Without a proof the twin must serve exactly what is dialled. With one, NAT may stand between.
    fn testifies(&self, twin: usize, deny: usize) -> bool {
        let testimony = self.round.seen.get(twin).copied().flatten().and_then(|seen| seen.testimony);
        let denied = self.fence.targets.get(deny).map(|target| target.at);
        testimony.map(|testimony| testimony.serves).zip(denied).is_some_and(|(serves, denied)| {
            serves.port() == denied.port() && (serves == denied || self.fence.ground.has_proof())
        })
    }

    fn needed_patience(&self) -> Duration {
        self.round.slowest_answer().map_or(PATIENCE_MOST, patience)
    }
}

/// How long silence is waited for where an answer takes so long.
pub fn patience(answer: Duration) -> Duration {
    (answer * PATIENCE_FACTOR).clamp(PATIENCE_LEAST, PATIENCE_MOST)
}

/// How long rounds must have been closed.
struct Hold {
    rounds: usize,
    time: Duration,
}

/// Where the decoy was refused in the same way in [`QUICK_ALIKE`] of them, since that is what only a policy does.
const QUICK: Hold = Hold { rounds: 3, time: Duration::from_millis(60) };

/// Of one burst, a kernel lets six ICMP errors through: two rounds of two, and some to spare.
const QUICK_ALIKE: usize = 2;

/// Otherwise: well beyond a reload of rules, and enough rounds that lost packets do not look like a policy. Even if half
/// of the deny port's packets are lost and none of the controls', twenty silent rounds in a row begin once in 10^6.
const SLOW: Hold = Hold { rounds: 20, time: Duration::from_millis(400) };

/// As the reference: one round.
const REFERENCE: Hold = Hold { rounds: 1, time: Duration::ZERO };

/// Silence is worth something after this many times of what an answer takes.
const PATIENCE_FACTOR: u32 = 10;

/// Bounds of the time that silence is waited for.
pub const PATIENCE_LEAST: Duration = Duration::from_millis(200);
const PATIENCE_MOST: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests;
