//! The canary is dialled through a Service: the node's address translation answers in its place.

use std::net::IpAddr;

use super::DEAD;
use super::OPEN;
use super::Row;
use super::UNTESTIFIED;
use crate::Result;
use crate::family::Family;
use crate::net::Place;
use crate::rules;
use crate::rules::CONTROL;
use crate::rules::DENY;
use crate::scene::CANARY_HOST;
use crate::scene::Scene;

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::v4("Service without endpoints", DEAD, |scene| no_endpoints(scene, &[DENY, CONTROL])),
        Row::v6("Service without endpoints", DEAD, |scene| no_endpoints(scene, &[DENY, CONTROL])),
        Row::v4("Service whose deny port has no endpoints", UNTESTIFIED, |scene| {
            translate(scene, &[CONTROL])?;
            no_endpoints(scene, &[DENY])
        }),
        Row::v6("Service whose deny port has no endpoints", UNTESTIFIED, |scene| {
            translate(scene, &[CONTROL])?;
            no_endpoints(scene, &[DENY])
        }),
        Row::v4("Service without the deny port, unknown ports refused", UNTESTIFIED, |scene| {
            // kube-proxy's nftables mode: what has a Service's address and is not translated is refused.
            translate(scene, &[CONTROL])?;
            let with = rules::port_unreachable(scene.family);
            scene.node(&rules::filter(&format!(
                "-A FORWARD -d {} -m conntrack --ctstate NEW -j REJECT --reject-with {with}",
                service(scene.family)
            )))
        }),
        Row::v4("Service without the deny port, unknown ports go nowhere", UNTESTIFIED, |scene| {
            // kube-proxy's iptables mode: the packet leaves for the default route.
            translate(scene, &[CONTROL])
        }),
        Row::v4("Service without the deny port, its address is a black hole", UNTESTIFIED, |scene| {
            translate(scene, &[CONTROL])?;
            scene.net.ip(Place::Node, &format!("route add blackhole {}", service(scene.family)))
        }),
        Row::v4("Service without the deny port, its address is the node's", UNTESTIFIED, |scene| {
            // kube-proxy's IPVS mode: unknown ports meet the node itself.
            translate(scene, &[CONTROL])?;
            scene.net.ip(Place::Node, &format!("addr add {}/32 dev lo", service(scene.family)))
        }),
        Row::v4("Service with both ports, nothing is enforced", OPEN, |scene| {
            translate(scene, &[CONTROL, DENY])
        }),
        Row::v4("Service whose deny port leads to a dead backend", UNTESTIFIED, |scene| {
            translate(scene, &[CONTROL])?;
            add_translation(scene, DENY, scene.family.server(21))
        }),
    ]
}

/// An address that only rules know.
fn service(family: Family) -> IpAddr {
    family.server(100)
}

/// kube-proxy's own rule for a Service without endpoints, where it hooks it.
fn no_endpoints(scene: &mut Scene, ports: &[u16]) -> Result<()> {
    scene.set(CANARY_HOST, service(scene.family));
    let (to, with) = (service(scene.family), rules::port_unreachable(scene.family));
    let bits = if scene.family == Family::V4 { 32 } else { 128 };
    let hooks = ["FORWARD", "OUTPUT"].map(|hook| {
        format!(
            "-A {hook} -m conntrack --ctstate NEW -m comment --comment \"kubernetes service portals\" -j KUBE-SERVICES\n"
        )
    });
    let refusals = ports.iter().map(|port| {
        format!(
            "-A KUBE-SERVICES -d {to}/{bits} -p tcp -m comment --comment \"ql3/canary has no endpoints\" \
             -m tcp --dport {port} -j REJECT --reject-with {with}\n"
        )
    });
    let lines: String = hooks.into_iter().chain(refusals).collect();
    scene.node(&rules::filter(&format!(":KUBE-SERVICES - [0:0]\n{lines}")))
}

/// These ports of the Service lead to the canary.
fn translate(scene: &mut Scene, ports: &[u16]) -> Result<()> {
    scene.set(CANARY_HOST, service(scene.family));
    let lines = ports.iter().map(|port| translation(scene.family, *port, scene.family.canary()));
    scene.node(&rules::nat(&lines.collect::<String>()))
}

fn add_translation(scene: &Scene, port: u16, to: IpAddr) -> Result<()> {
    let control = translation(scene.family, CONTROL, scene.family.canary());
    scene.node(&rules::nat(&(control + &translation(scene.family, port, to))))
}

fn translation(family: Family, port: u16, to: IpAddr) -> String {
    let to = if family == Family::V4 { to.to_string() } else { format!("[{to}]") };
    let from = service(family);
    format!("-A PREROUTING -d {from} -p tcp --dport {port} -j DNAT --to-destination {to}:{port}\n")
}
