//! The evidence line: what the barrier saw, as one JSON object on stdout.

use std::net::IpAddr;
use std::net::SocketAddr;

use serde::Serialize;

use super::error::Error;
use super::fence::Fence;
use super::fence::Role;
use super::fence::Target;
use super::round::Seen;
use super::sight::Icmp;
use super::sight::Sight;
use super::verdict::Verdict;
use super::watch::Watched;
use crate::time::milliseconds;

/// How much it tells.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Detail {
    /// Addresses too.
    Full,
    /// No names and no addresses: fit for a log that others read.
    Low,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Evidence {
    schema: &'static str,
    verdict: &'static str,
    /// The reference's word for a barrier that is passed, else our own code.
    code: &'static str,
    grounds: &'static [&'static str],
    /// How many rounds began.
    rounds: u64,
    /// How long the last rounds were closed in a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    held_ms: Option<u64>,
    elapsed_ms: u64,
    /// How long silence was waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    silence_ms: Option<u64>,
    error_queue: bool,
    /// Address families in which nothing that must answer did: nothing is known of them.
    unproven: Vec<u8>,
    /// The last round.
    targets: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    role: Role,
    family: u8,
    seen: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    icmp: Option<Icmp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    errno: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    microseconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<SocketAddr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<IpAddr>,
}

/// One line with its newline.
pub(super) fn line(fence: &Fence, watched: &Watched, result: &Result<(), Error>, detail: Detail) -> String {
    let (verdict, code) = match result {
        Ok(()) => ("in-force", READY),
        Err(error @ Error::Open) => ("open", error.code().code),
        Err(error) => ("blind", error.code().code),
    };
    let held = match watched.verdict {
        Verdict::InForce { held, .. } => Some(held),
        Verdict::Blind(_) | Verdict::Closing | Verdict::Open(_) => None,
    };
    let sights = watched.last.iter().flat_map(|round| fence.targets.iter().zip(&round.seen));
    let evidence = Evidence {
        schema: "ql3-ops/barrier-evidence@v1",
        verdict,
        code,
        grounds: fence.ground.words(),
        rounds: watched.rounds,
        held_ms: held.map(milliseconds),
        elapsed_ms: milliseconds(watched.elapsed),
        silence_ms: watched.last.as_ref().map(|round| milliseconds(round.patience)),
        error_queue: watched.queue,
        unproven: FAMILIES.into_iter().filter(|family| !is_proven(fence, watched, *family)).collect(),
        targets: sights.map(|(target, seen)| Line::new(*target, *seen, detail)).collect(),
    };
    serde_json::to_string(&evidence).unwrap_or_default() + "\n"
}

impl Line {
    fn new(target: Target, seen: Option<Seen>, detail: Detail) -> Self {
        let sight = seen.map(|seen| seen.dialled.sight);
        let notice = sight.and_then(Sight::notice);
        let microseconds = seen.map(|seen| u64::try_from(seen.dialled.took.as_micros()).unwrap_or(u64::MAX));
        let errno = match sight {
            Some(Sight::Local(errno)) => Some(errno),
            _ => None,
        };
        let full = detail == Detail::Full;
        Self {
            role: target.role,
            family: family(target),
            seen: sight.map_or("pending", Sight::word),
            icmp: notice.map(|notice| notice.icmp),
            errno,
            microseconds,
            address: full.then_some(target.at),
            from: notice.and_then(|notice| notice.from).filter(|_| full),
        }
    }
}

fn is_proven(fence: &Fence, watched: &Watched, wanted: u8) -> bool {
    let mut seen = watched.last.iter().flat_map(|round| fence.targets.iter().zip(&round.seen));
    seen.any(|(target, seen)| {
        let is_control = matches!(target.role, Role::Api | Role::Control);
        let sight = seen.map(|seen| seen.dialled.sight);
        is_control && family(*target) == wanted && sight == Some(Sight::Connected)
    })
}

fn family(target: Target) -> u8 {
    if target.at.is_ipv4() { 4 } else { 6 }
}

/// Of addresses.
const FAMILIES: [u8; 2] = [4, 6];

/// How the reference writes that a barrier is passed.
const READY: &str = "POLICY_READY";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::barrier::word::Word;

    #[test]
    fn the_word_for_ready_is_the_references() {
        assert!(Word::PolicyReady.message().contains(READY));
    }
}
