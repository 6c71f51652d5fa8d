//! Names that lie, and name servers that do not speak. The barrier runs in an empty root.

use std::net::IpAddr;

use super::DEAD;
use super::OPEN;
use super::OPEN_OR_BLIND;
use super::Row;
use super::UNRESOLVED;
use super::closed;
use crate::Result;
use crate::family::Family;
use crate::names::Answer;
use crate::rules;
use crate::scene::Scene;

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::v4("the name has the address of a host without a canary", DEAD, |scene| {
            named(scene, &[Family::V4.server(21)])
        }),
        Row::v6("the name has the address of a host without a canary", DEAD, |scene| {
            named(scene, &[Family::V6.server(21)])
        }),
        Row::v4("the name has an address that nobody has", DEAD, |scene| {
            named(scene, &[Family::V4.server(99)])
        }),
        Row::v4("the name has the API server's address", DEAD, |scene| named(scene, &[Family::V4.api()])),
        Row::v4("the name has the decoy's network", DEAD, |scene| {
            named(scene, &[IpAddr::from([198, 51, 100, 7])])
        }),
        Row::v4("the name has loopback's address", DEAD, |scene| {
            named(scene, &[IpAddr::from([127, 0, 0, 1])])
        }),
        Row::v4("one address of two is dead, nothing is enforced", OPEN_OR_BLIND, |scene| {
            named(scene, &[Family::V4.server(21), Family::V4.canary()])
        }),
        closed(Row::v4("one address of two is dead, the other's deny port refused", DEAD, |scene| {
            named(scene, &[Family::V4.server(21), Family::V4.canary()])?;
            scene.node(&rules::reject(Family::V4))
        })),
        Row::v4("two canaries, the policy forgets one", OPEN, |scene| {
            scene.start_canary(Family::V4.server(22))?;
            named(scene, &[Family::V4.canary(), Family::V4.server(22)])?;
            scene.node(&rules::deny_only(Family::V4, "-j REJECT --reject-with icmp-port-unreachable"))
        }),
        Row::v4("IPv4 closed, IPv6 open", OPEN, |scene| one_open(scene, Family::V4)),
        Row::v6("IPv6 closed, IPv4 open", OPEN, |scene| one_open(scene, Family::V6)),
        Row::v4("IPv4 closed, the IPv6 canary is dead", DEAD, |scene| {
            named(scene, &[Family::V4.canary(), Family::V6.canary()])?;
            scene.node(&rules::reject(Family::V4))
        }),
        Row::v4("the name does not exist", UNRESOLVED, |scene| scene.name_canary(Answer::Code(3))),
        Row::v4("the name server fails", UNRESOLVED, |scene| scene.name_canary(Answer::Code(2))),
        Row::v4("the name server is silent", UNRESOLVED, |scene| scene.name_canary(Answer::Silence)),
        Row::v4("the name has no address", UNRESOLVED, |scene| named(scene, &[])),
        Row::v4("there is no name server", UNRESOLVED, |scene| {
            scene.resolve_with(Family::V4.server(53))?;
            scene.set(crate::scene::CANARY_HOST, crate::scene::NAME);
            Ok(())
        }),
    ]
}

fn named(scene: &mut Scene, addresses: &[IpAddr]) -> Result<()> {
    scene.name_canary(Answer::Addresses(addresses.to_vec()))
}

/// Canaries of both families under one name; the policy is in force for one family.
fn one_open(scene: &mut Scene, closed: Family) -> Result<()> {
    let other = if closed == Family::V4 { Family::V6 } else { Family::V4 };
    scene.start_canary(other.canary())?;
    named(scene, &[Family::V4.canary(), Family::V6.canary()])?;
    scene.node(&rules::reject(closed))
}
