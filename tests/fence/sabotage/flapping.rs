//! Refusals that come and go, packets that are lost, answers that are late.

use std::time::Duration;

use super::BLIND;
use super::DEAD;
use super::OPEN;
use super::OPEN_OR_BLIND;
use super::Row;
use crate::Result;
use crate::family::Family;
use crate::net::Place;
use crate::rules;
use crate::rules::DENY;
use crate::scene::Scene;

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::v4("150 of 400 ms everything is refused", OPEN_OR_BLIND, |scene| {
            flap(scene, &all(scene.family), 150, 250)
        }),
        Row::v6("150 of 400 ms everything is refused", OPEN_OR_BLIND, |scene| {
            flap(scene, &all(scene.family), 150, 250)
        }),
        Row::v4("150 of 400 ms the canary's address is refused", OPEN_OR_BLIND, |scene| {
            flap(scene, &canary(scene.family), 150, 250)
        }),
        Row::v4("150 of 300 ms the deny port is refused", OPEN_OR_BLIND, |scene| {
            flap(scene, &deny(scene.family), 150, 150)
        }),
        Row::v6("150 of 300 ms the deny port is refused", OPEN_OR_BLIND, |scene| {
            flap(scene, &deny(scene.family), 150, 150)
        }),
        Row::v4("150 of 300 ms the deny port is dropped", OPEN_OR_BLIND, |scene| {
            flap(scene, &rules::deny_only(scene.family, "-j DROP"), 150, 150)
        }),
        Row::v4("150 of 300 ms everything is dropped", OPEN_OR_BLIND, |scene| {
            flap(scene, &rules::filter("-A FORWARD -i sel+ -j DROP"), 150, 150)
        }),
        Row::v4("30 of 60 ms the policy is there", OPEN_OR_BLIND, |scene| {
            flap(scene, &rules::reject(scene.family), 30, 30)
        }),
        Row::v6("30 of 60 ms the policy is there", OPEN_OR_BLIND, |scene| {
            flap(scene, &rules::reject(scene.family), 30, 30)
        }),
        Row::v4("150 of 300 ms a policy that drops is there", OPEN_OR_BLIND, |scene| {
            flap(scene, &rules::policy(scene.family, "-j DROP"), 150, 150)
        }),
        Row::v4("10 % of all SYN are lost", OPEN_OR_BLIND, |scene| lose(scene, "", "0.1")),
        Row::v4("20 % of all SYN are lost", OPEN_OR_BLIND, |scene| lose(scene, "", "0.2")),
        Row::v4("50 % of all SYN are lost", OPEN_OR_BLIND, |scene| lose(scene, "", "0.5")),
        Row::v4("10 % of the deny port's SYN are lost", OPEN_OR_BLIND, |scene| lose_deny(scene, "0.1")),
        Row::v4("20 % of the deny port's SYN are lost", OPEN_OR_BLIND, |scene| lose_deny(scene, "0.2")),
        Row::v4("50 % of the deny port's SYN are lost", OPEN_OR_BLIND, |scene| lose_deny(scene, "0.5")),
        Row::v6("50 % of the deny port's SYN are lost", OPEN_OR_BLIND, |scene| lose_deny(scene, "0.5")),
        Row::v4("50 % of all answers are lost", OPEN_OR_BLIND, |scene| {
            scene.node(&rules::filter(&format!("-A FORWARD -o sel+ {}", some("0.5"))))
        }),
        Row::v4("50 % of all SYN are lost, the canary is dead", BLIND, |scene| {
            scene.kill_canaries();
            lose(scene, "", "0.5")
        }),
        Row::v4("a line of 300 ms, nothing is enforced", OPEN, |scene| scene.slow_down(300)),
        Row::v4("a line of 300 ms, the canary is dead", DEAD, |scene| {
            scene.kill_canaries();
            scene.slow_down(300)
        }),
        Row::v4("a line of 1.2 s, nothing is enforced", OPEN_OR_BLIND, |scene| scene.slow_down(1200)),
        Row::v4("the node forwards nothing", BLIND, |scene| {
            scene.net.sysctl(Place::Node, "net/ipv4/ip_forward", "0")
        }),
    ]
}

/// Begins with the refusal, so that a barrier that believes at once would. With IPv4 there is no IPv6, whose silent
/// decoy would give time to look again.
fn flap(scene: &mut Scene, refusal: &str, there: u64, gone: u64) -> Result<()> {
    if scene.family == Family::V4 {
        scene.net.without_v6()?;
    }
    let times = [there, gone].map(Duration::from_millis);
    scene.flap([refusal, &rules::filter("")], times)
}

fn all(family: Family) -> String {
    let with = rules::port_unreachable(family);
    rules::filter(&format!("-A FORWARD -i sel+ -j REJECT --reject-with {with}"))
}

fn canary(family: Family) -> String {
    let (to, with) = (family.canary(), rules::port_unreachable(family));
    rules::filter(&format!("-A FORWARD -i sel+ -d {to} -j REJECT --reject-with {with}"))
}

fn deny(family: Family) -> String {
    rules::deny_only(family, &format!("-j REJECT --reject-with {}", rules::port_unreachable(family)))
}

fn lose(scene: &mut Scene, which: &str, share: &str) -> Result<()> {
    if scene.family == Family::V4 {
        scene.net.without_v6()?;
    }
    scene.node(&rules::filter(&format!("-A FORWARD -i sel+ -p tcp --syn {which} {}", some(share))))
}

fn lose_deny(scene: &mut Scene, share: &str) -> Result<()> {
    lose(scene, &format!("--dport {DENY}"), share)
}

fn some(share: &str) -> String {
    format!("-m statistic --mode random --probability {share} -j DROP")
}
