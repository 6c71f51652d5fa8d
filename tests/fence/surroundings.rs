//! A kernel without an error queue, and a root with nothing in it.

use std::time::Duration;

use super::Result;
use super::family::Family;
use super::names::Answer;
use super::names::NameServer;
use super::net::Place;
use super::program::Ended;
use super::program::Evidence;
use super::program::Verdict;
use super::rules;
use super::say;
use super::scene::CANARY_HOST;
use super::scene::NAME;
use super::scene::Scene;
use super::tally::Tally;

pub(crate) fn run() -> Result<Tally> {
    let mut tally = Tally::default();
    for family in Family::BOTH {
        // The node's limits are off: with them, most refusals would be silence, as a policy that drops.
        let blind = without_error_queue(family, |scene| {
            scene.net.sysctl(Place::Node, "net/ipv4/icmp_ratelimit", "0")?;
            scene.net.sysctl(Place::Node, "net/ipv6/icmp/ratelimit", "0")
        })?;
        show(&mut tally, "no error queue, REJECT", family, &blind, |evidence| {
            blind.verdict() == Verdict::Blind
                && !evidence.error_queue
                && denied(evidence) == "refused-by-reset"
        });
        let proved = without_error_queue(family, |scene| scene.prove().map(drop))?;
        show(&mut tally, "no error queue, REJECT, a proof", family, &proved, |evidence| {
            proved.verdict() == Verdict::InForce && !evidence.error_queue
        });
        let dropped = dropped_without_error_queue(family)?;
        show(&mut tally, "no error queue, DROP", family, &dropped, |evidence| {
            dropped.verdict() == Verdict::InForce && denied(evidence) == "silence"
        });
    }
    for family in Family::BOTH {
        let (ended, queries) = in_an_empty_root(family)?;
        let took = ended.seen.duration_since(ended.begun);
        say(&format!(
            "empty root, the first query is lost: {queries} queries, {:.0} ms in all",
            took.as_secs_f64() * 1000.0
        ));
        show(&mut tally, "empty root, the first query is lost", family, &ended, |_evidence| {
            ended.verdict() == Verdict::InForce && queries >= 2 && took < Duration::from_secs(2)
        });
    }
    Ok(tally)
}

fn show(tally: &mut Tally, name: &str, family: Family, ended: &Ended, is_right: impl Fn(&Evidence) -> bool) {
    let evidence = ended.evidence().unwrap_or_default();
    let fault = ended.fault();
    let ok = tally.count(is_right(&evidence) && fault.is_none());
    let (verdict, seen) = (ended.verdict().word(), denied(&evidence));
    say(&format!(
        "{:<44} {verdict:<10} {:<32} {seen:<18} queue {:<6} {ok}",
        format!("{name} ({})", family.word()),
        ended.code(),
        evidence.error_queue,
    ));
    if ok != "ok" {
        say(&format!("    {} {} {}", fault.unwrap_or_default(), ended.stdout.trim(), ended.stderr.trim()));
    }
}

fn denied(evidence: &Evidence) -> &str {
    evidence.targets.iter().find(|target| target.role == "deny").map_or("", |target| &target.seen)
}

/// setsockopt fails as on a kernel that does not know the option.
fn without_error_queue(family: Family, arrange: impl Fn(&mut Scene) -> Result<()>) -> Result<Ended> {
    let mut scene = Scene::new(family)?;
    arrange(&mut scene)?;
    strace(&mut scene);
    scene.node(&rules::reject(family))?;
    scene.barrier()
}

fn dropped_without_error_queue(family: Family) -> Result<Ended> {
    let mut scene = Scene::new(family)?;
    strace(&mut scene);
    scene.node(&rules::policy(family, "-j DROP"))?;
    scene.barrier()
}

fn strace(scene: &mut Scene) {
    let words =
        ["/usr/bin/strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=setsockopt", "-e", INJECTION, "--"];
    scene.launch.under = words.map(str::to_owned).to_vec();
    // Each call stops twice.
    scene.deadline = 5;
}

/// The canary has a name, and the server loses the first query.
fn in_an_empty_root(family: Family) -> Result<(Ended, usize)> {
    let mut scene = Scene::new(family)?;
    let at = family.server(53);
    let answer = Answer::Addresses(vec![family.canary()]);
    let server = NameServer::new(&scene.net, at, answer, 1)?;
    scene.resolve_with(at)?;
    scene.set(CANARY_HOST, NAME);
    scene.deadline = 10;
    scene.node(&rules::reject(family))?;
    let ended = scene.barrier()?;
    Ok((ended, server.queries()))
}

const INJECTION: &str = "inject=setsockopt:error=ENOPROTOOPT";
