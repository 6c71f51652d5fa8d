//! What each rule looks like on the wire: class, ICMP type and code, and who sent it.
//!
//! In these rows the node's limits on ICMP errors are off: the rows are about one answer, and the barrier asks
//! many times. (The rows of the other parts keep the kernel's defaults.)

use std::net::SocketAddr;
use std::time::Duration;

use super::Result;
use super::family::Family;
use super::net::Place;
use super::program::Verdict;
use super::rules;
use super::rules::CONTROL;
use super::rules::DENY;
use super::say;
use super::scene::Scene;
use super::serve::Full;
use super::serve::Manner;
use super::tally::Tally;

/// One rule.
struct Rule {
    name: &'static str,
    /// What it is in each family; nothing where the family does not have it.
    v4: Option<Expected>,
    v6: Option<Expected>,
    arrange: fn(&mut Scene) -> Result<()>,
}

/// What the evidence must say of the deny target.
#[derive(Clone, Copy)]
struct Expected {
    class: &'static str,
    /// Type and code; the node is who sends it.
    icmp: Option<(u8, u8)>,
    verdict: Verdict,
}

pub(crate) fn run(filter: &str) -> Result<Tally> {
    let mut tally = Tally::default();
    say(&format!("{:<34} {:<6} {:<38} {:<38} ok", "rule", "family", "expected", "seen"));
    for rule in rules().iter().filter(|rule| rule.name.contains(filter)) {
        for family in Family::BOTH {
            let expected = if family == Family::V4 { rule.v4 } else { rule.v6 };
            let Some(expected) = expected else {
                say(&format!("{:<34} {:<6} not in this family", rule.name, family.word()));
                continue;
            };
            let (right, wanted, seen) = row(rule, family, expected)?;
            let ok = tally.count(right);
            say(&format!("{:<34} {:<6} {wanted:<38} {seen:<38} {ok}", rule.name, family.word()));
        }
    }
    Ok(tally)
}

fn row(rule: &Rule, family: Family, expected: Expected) -> Result<(bool, String, String)> {
    let mut scene = Scene::empty(family)?;
    scene.deadline = 1;
    scene.serve_api(family)?;
    scene.net.sysctl(Place::Node, "net/ipv4/icmp_ratelimit", "0")?;
    scene.net.sysctl(Place::Node, "net/ipv6/icmp/ratelimit", "0")?;
    (rule.arrange)(&mut scene)?;
    let ended = scene.barrier()?;
    let from = expected.icmp.map(|_icmp| family.node());
    let wanted = line(expected.class, expected.icmp, from.map(|from| from.to_string()), expected.verdict);
    let evidence = ended.evidence().unwrap_or_default();
    let seen = evidence.targets.iter().find(|target| target.role == "deny").map_or_else(
        || format!("no deny target: {:?} {:?}", ended.exit, ended.stderr),
        |target| {
            let icmp = target.icmp.map(|icmp| (icmp.kind, icmp.code));
            line(&target.seen, icmp, target.from.map(|from| from.to_string()), ended.verdict())
        },
    );
    let fault = ended.fault();
    let seen = fault.iter().fold(seen, |seen, fault| seen + "; " + fault);
    Ok((wanted == seen, wanted, seen))
}

fn line(class: &str, icmp: Option<(u8, u8)>, from: Option<String>, verdict: Verdict) -> String {
    let icmp = icmp.map_or_else(String::new, |(kind, code)| format!(" {kind}/{code}"));
    let from = from.map_or_else(String::new, |from| format!(" {from}"));
    format!("{class}{icmp}{from}, {}", verdict.word())
}

fn rules() -> Vec<Rule> {
    use Verdict::Blind;
    use Verdict::InForce;
    vec![
        both("open", "connected", Verdict::Open, start),
        both("closed port", "refused-by-reset", Blind, control_only),
        both("accepted late", "connected", Verdict::Open, |scene| {
            deny_as(scene, Manner::Slow(Duration::from_millis(300)))
        }),
        both("accepted and closed", "connected", Verdict::Open, |scene| deny_as(scene, Manner::Close)),
        both("listener's queue full", "silence", Blind, |scene| {
            let at = SocketAddr::new(scene.family.canary(), DENY);
            let full = Full::new(&scene.net, Place::Server, at)?;
            scene.keep(full);
            // Nobody testifies for it: silence with a testimony would be a policy that drops.
            scene.serve(scene.family.canary(), CONTROL, Manner::Accept)
        }),
        both("DROP", "silence", InForce, |scene| policy(scene, "-j DROP")),
        both("REJECT tcp-reset", "refused-by-reset", Blind, |scene| {
            policy(scene, "-p tcp -j REJECT --reject-with tcp-reset")
        }),
        icmp("REJECT port-unreachable", "refused-by-icmp", Some((3, 3)), Some((1, 4)), InForce, |scene| {
            let name = rules::port_unreachable(scene.family);
            policy(scene, &format!("-j REJECT --reject-with {name}"))
        }),
        icmp("REJECT admin-prohibited", "filtered", Some((3, 13)), Some((1, 1)), InForce, |scene| {
            reject(scene, "icmp-admin-prohibited", "icmp6-adm-prohibited")
        }),
        icmp("REJECT net-prohibited", "filtered", Some((3, 9)), None, InForce, |scene| {
            reject(scene, "icmp-net-prohibited", "")
        }),
        icmp("REJECT host-prohibited", "filtered", Some((3, 10)), None, InForce, |scene| {
            reject(scene, "icmp-host-prohibited", "")
        }),
        icmp("REJECT net-unreachable, no-route", "unreachable", Some((3, 0)), Some((1, 0)), Blind, |scene| {
            reject(scene, "icmp-net-unreachable", "icmp6-no-route")
        }),
        icmp("REJECT host-, addr-unreachable", "unreachable", Some((3, 1)), Some((1, 3)), Blind, |scene| {
            reject(scene, "icmp-host-unreachable", "icmp6-addr-unreachable")
        }),
        icmp("REJECT proto-unreachable", "refused-by-icmp", Some((3, 2)), None, InForce, |scene| {
            reject(scene, "icmp-proto-unreachable", "")
        }),
        icmp("REJECT policy-fail", "filtered", None, Some((1, 5)), InForce, |scene| {
            reject(scene, "", "icmp6-policy-fail")
        }),
        icmp("REJECT reject-route", "filtered", None, Some((1, 6)), InForce, |scene| {
            reject(scene, "", "icmp6-reject-route")
        }),
        both("blackhole route", "silence", Blind, |scene| route(scene, "blackhole")),
        icmp("unreachable route", "unreachable", Some((3, 1)), Some((1, 0)), Blind, |scene| {
            route(scene, "unreachable")
        }),
        icmp("prohibit route", "filtered", Some((3, 13)), Some((1, 1)), Blind, |scene| {
            route(scene, "prohibit")
        }),
        icmp("ctstate NEW rejected", "refused-by-icmp", Some((3, 3)), Some((1, 4)), InForce, |scene| {
            let name = rules::port_unreachable(scene.family);
            deny_rule(scene, &format!("-m conntrack --ctstate NEW -j REJECT --reject-with {name}"))
        }),
        both("replies dropped", "silence", InForce, |scene| {
            start(scene)?;
            let from = scene.family.canary();
            scene.node(&rules::filter(&format!("-A FORWARD -s {from} -p tcp --sport {DENY} -j DROP")))
        }),
        both("replies untracked, INVALID dropped", "silence", InForce, |scene| {
            start(scene)?;
            // The kernel sees the SYN as untracked and the answer as the start of nothing.
            scene.node(&format!(
                "*raw\n-A PREROUTING -i sel+ -p tcp --dport {DENY} -j CT --notrack\nCOMMIT\n\
                 *filter\n-A FORWARD -m conntrack --ctstate INVALID -j DROP\nCOMMIT\n"
            ))
        }),
    ]
}

fn both(
    name: &'static str,
    class: &'static str,
    verdict: Verdict,
    arrange: fn(&mut Scene) -> Result<()>,
) -> Rule {
    let expected = Some(Expected { class, icmp: None, verdict });
    Rule { name, v4: expected, v6: expected, arrange }
}

fn icmp(
    name: &'static str,
    class: &'static str,
    v4: Option<(u8, u8)>,
    v6: Option<(u8, u8)>,
    verdict: Verdict,
    arrange: fn(&mut Scene) -> Result<()>,
) -> Rule {
    let expected = |icmp: Option<_>| icmp.map(|icmp| Expected { class, icmp: Some(icmp), verdict });
    Rule { name, v4: expected(v4), v6: expected(v6), arrange }
}

fn start(scene: &mut Scene) -> Result<()> {
    scene.start_canary(scene.family.canary())
}

/// A deny port with a listener of a certain manner beside a testifying control port.
fn deny_as(scene: &mut Scene, manner: Manner) -> Result<()> {
    scene.serve(scene.family.canary(), DENY, manner)?;
    control_only(scene)
}

/// A control port that testifies like the canary's, without a deny port behind it.
fn control_only(scene: &mut Scene) -> Result<()> {
    let at = scene.family.canary();
    scene.serve(at, CONTROL, Manner::Say(format!("ql3-canary/1 {}\n", SocketAddr::new(at, DENY))))
}

fn policy(scene: &mut Scene, rest: &str) -> Result<()> {
    start(scene)?;
    scene.node(&rules::policy(scene.family, rest))
}

fn reject(scene: &mut Scene, v4: &str, v6: &str) -> Result<()> {
    let with = if scene.family == Family::V4 { v4 } else { v6 };
    policy(scene, &format!("-j REJECT --reject-with {with}"))
}

fn deny_rule(scene: &mut Scene, target: &str) -> Result<()> {
    start(scene)?;
    scene.node(&rules::deny_only(scene.family, target))
}

/// Routes know no ports, so the whole canary is behind it.
///
/// IPv4 has a limit of its own on the errors of routes, five at once and one a second for each source, which no
/// namespace can change. So the Pod dials from many addresses in turn.
fn route(scene: &mut Scene, kind: &str) -> Result<()> {
    start(scene)?;
    if scene.family == Family::V4 {
        let sources = 3..=SOURCES + 2;
        let addresses: Vec<_> =
            sources.clone().map(|host| format!("addr add 192.0.2.{host}/26 dev eth0\n")).collect();
        scene.net.ip(Place::Pod, &addresses.concat())?;
        let to = scene.family.canary();
        let turns = sources.map(|host| {
            let every = SOURCES + 3 - host;
            let turn = format!("-m statistic --mode nth --every {every} --packet 0");
            format!("-A POSTROUTING -d {to} {turn} -j SNAT --to-source 192.0.2.{host}\n")
        });
        let turns: Vec<_> = turns.collect();
        rules::apply(&scene.net, Place::Pod, scene.family, &rules::nat(&turns.concat()))?;
    }
    scene.net.ip(Place::Node, &format!("route add {kind} {}", scene.family.canary()))
}

/// Addresses that a Pod dials from.
const SOURCES: u32 = 40;
