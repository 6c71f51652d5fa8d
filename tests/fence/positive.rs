//! What must pass: otherwise never passing would be enough for all other rows.

use std::time::Duration;

use super::Result;
use super::family::Family;
use super::net::Place;
use super::program::Verdict;
use super::rules;
use super::say;
use super::scene::CONTROL_PORT;
use super::scene::Scene;
use super::tally::Tally;

struct Row {
    name: &'static str,
    family: Family,
    /// In the evidence.
    grounds: &'static [&'static str],
    arrange: fn(&mut Scene) -> Result<()>,
}

pub(crate) fn run(filter: &str) -> Result<Tally> {
    let mut tally = Tally::default();
    say(&format!(
        "{:<52} {:<10} {:<22} {:>6} {:>6} {:>8} ok",
        "in force", "seen", "grounds", "rounds", "held", "elapsed"
    ));
    for row in rows().iter().filter(|row| row.name.contains(filter)) {
        let mut scene = Scene::new(row.family)?;
        scene.deadline = 10;
        (row.arrange)(&mut scene).map_err(|error| format!("{}: {error}", row.name))?;
        let ended = scene.barrier()?;
        let evidence = ended.evidence().unwrap_or_default();
        let fault = ended.fault();
        let right = ended.verdict() == Verdict::InForce && evidence.grounds == row.grounds;
        let ok = tally.count(right && fault.is_none());
        say(&format!(
            "{:<52} {:<10} {:<22} {:>6} {:>3} ms {:>5} ms {ok}",
            format!("{} ({})", row.name, row.family.word()),
            ended.verdict().word(),
            evidence.grounds.join(" "),
            evidence.rounds,
            evidence.held_ms,
            evidence.elapsed_ms,
        ));
        if ok != "ok" {
            say(&format!(
                "    {} {} {}",
                fault.unwrap_or_default(),
                ended.stdout.trim(),
                ended.stderr.trim()
            ));
        }
    }
    Ok(tally)
}

fn rows() -> Vec<Row> {
    let v4 = |name, arrange| Row { name, family: Family::V4, grounds: TWIN, arrange };
    let v6 = |name, arrange| Row { name, family: Family::V6, grounds: TWIN, arrange };
    let proved = |name, family, grounds, arrange| Row { name, family, grounds, arrange };
    vec![
        v4("REJECT, the kernel's own limits on ICMP", |scene| land(scene, "")),
        v6("REJECT, the kernel's own limits on ICMP", |scene| land(scene, "")),
        v4("REJECT, the Pod has no IPv6", |scene| {
            scene.net.without_v6()?;
            land(scene, "")
        }),
        v4("DROP, the Pod has no IPv6", |scene| {
            scene.net.without_v6()?;
            land(scene, "-j DROP")
        }),
        v4("REJECT, no limits on ICMP", |scene| {
            scene.net.sysctl(Place::Node, "net/ipv4/icmp_ratelimit", "0")?;
            land(scene, "")
        }),
        v6("REJECT, no limits on ICMP", |scene| {
            scene.net.sysctl(Place::Node, "net/ipv6/icmp/ratelimit", "0")?;
            land(scene, "")
        }),
        v4("REJECT in both families, one name", dual),
        v4("DROP", |scene| land(scene, "-j DROP")),
        v6("DROP", |scene| land(scene, "-j DROP")),
        v4("REJECT admin-prohibited", |scene| land(scene, "-j REJECT --reject-with icmp-admin-prohibited")),
        v6("REJECT adm-prohibited", |scene| land(scene, "-j REJECT --reject-with icmp6-adm-prohibited")),
        v4("REJECT for the deny port alone", |scene| {
            scene.node(&rules::deny_only(scene.family, "-j REJECT --reject-with icmp-port-unreachable"))
        }),
        v4("REJECT, other addresses have no route", |scene| {
            scene.net.without_v6()?;
            scene.net.ip(Place::Node, "route del default")?;
            land(scene, "")
        }),
        proved("tcp-reset, with a proof", Family::V4, BOTH, |scene| {
            scene.prove()?;
            land(scene, RESET)
        }),
        proved("tcp-reset, with a proof", Family::V6, BOTH, |scene| {
            scene.prove()?;
            land(scene, RESET)
        }),
        proved("REJECT, a proof without a twin", Family::V4, PROOF, |scene| {
            scene.unset(CONTROL_PORT);
            scene.prove()?;
            land(scene, "")
        }),
        proved("DROP, a proof without a twin", Family::V6, PROOF, |scene| {
            scene.unset(CONTROL_PORT);
            scene.prove()?;
            land(scene, "-j DROP")
        }),
        v4("REJECT, a line of 50 ms", |scene| {
            scene.slow_down(50)?;
            land(scene, "")
        }),
        v4("DROP, a line of 50 ms", |scene| {
            scene.slow_down(50)?;
            land(scene, "-j DROP")
        }),
        v4("the policy comes after 0.7 s", |scene| {
            let times = [Duration::from_millis(700), Duration::from_mins(1)];
            scene.flap([&rules::filter(""), &rules::reject(scene.family)], times)
        }),
    ]
}

/// The policy, with the node's default answer or another.
fn land(scene: &mut Scene, rest: &str) -> Result<()> {
    if rest.is_empty() {
        return scene.node(&rules::reject(scene.family));
    }
    scene.node(&rules::policy(scene.family, rest))
}

fn dual(scene: &mut Scene) -> Result<()> {
    scene.start_canary(Family::V6.canary())?;
    let both = Family::BOTH.map(Family::canary).to_vec();
    scene.name_canary(super::names::Answer::Addresses(both))?;
    for family in Family::BOTH {
        rules::apply(&scene.net, Place::Node, family, &rules::reject(family))?;
    }
    Ok(())
}

const TWIN: &[&str] = &["twin"];
const BOTH: &[&str] = &["twin", "control-proof"];
const PROOF: &[&str] = &["control-proof"];
const RESET: &str = "-p tcp -j REJECT --reject-with tcp-reset";
