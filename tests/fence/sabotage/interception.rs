//! Something between takes connections or refuses them: a mesh's redirect, with its proxy or without.

use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::net::Ipv6Addr;
use std::net::SocketAddr;

use super::API_LOST;
use super::INTERCEPTED;
use super::OPEN;
use super::RESET;
use super::Row;
use super::UNTESTIFIED;
use super::closed;
use crate::Result;
use crate::family::Family;
use crate::net::Place;
use crate::rules;
use crate::rules::CONTROL;
use crate::rules::DENY;
use crate::scene::Scene;
use crate::serve::Listener;
use crate::serve::Manner;

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::v4("everything is accepted within the Pod", INTERCEPTED, |scene| {
            redirect_in_pods(scene, "")?;
            proxy(scene, &PODS, &Manner::Accept)
        }),
        Row::v6("everything is accepted within the Pod", INTERCEPTED, |scene| {
            redirect_in_pods(scene, "")?;
            proxy(scene, &PODS, &Manner::Accept)
        }),
        Row::v4("everything is accepted at the node", INTERCEPTED, |scene| {
            redirect(scene, "")?;
            proxy(scene, &[Place::Node], &Manner::Accept)
        }),
        Row::v4("everything is accepted and closed at the node", INTERCEPTED, |scene| {
            redirect(scene, "")?;
            proxy(scene, &[Place::Node], &Manner::Close)
        }),
        Row::v4("everything is accepted, the canary is dead", INTERCEPTED, |scene| {
            scene.kill_canaries();
            redirect(scene, "")?;
            proxy(scene, &[Place::Node], &Manner::Accept)
        }),
        closed(Row::v4("everything is accepted, deny port refused", INTERCEPTED, |scene| {
            redirect_in_pods(scene, &format!("! --dport {DENY}"))?;
            let to = Family::V4.nowhere();
            let decoys = redirection("OUTPUT", &format!("-d {to}"));
            for place in PODS {
                let lines = redirection("OUTPUT", &format!("! --dport {DENY}")) + &decoys;
                rules::apply(&scene.net, place, scene.family, &rules::nat(&lines))?;
            }
            proxy(scene, &PODS, &Manner::Accept)?;
            scene.node(&rules::deny_only(scene.family, "-j REJECT --reject-with icmp-port-unreachable"))
        })),
        closed(Row::v4("only what nobody has is accepted, deny port refused", INTERCEPTED, |scene| {
            redirect(scene, &format!("-d {}", scene.family.nowhere()))?;
            proxy(scene, &[Place::Node], &Manner::Accept)?;
            scene.node(&rules::deny_only(scene.family, "-j REJECT --reject-with icmp-port-unreachable"))
        })),
        Row::v4("a redirect of everything without its proxy", API_LOST, |scene| redirect_in_pods(scene, "")),
        Row::v6("a redirect of everything without its proxy", API_LOST, |scene| redirect_in_pods(scene, "")),
        Row::v4("a redirect of the deny port without its proxy, in the Pod", RESET, |scene| {
            redirect_in_pods(scene, &format!("--dport {DENY}"))
        }),
        Row::v4("a redirect of the deny port without its proxy, at the node", RESET, |scene| {
            redirect(scene, &format!("--dport {DENY}"))
        }),
        Row::v6("a redirect of the deny port without its proxy, at the node", RESET, |scene| {
            redirect(scene, &format!("--dport {DENY}"))
        }),
        Row::v4("a proxy takes the canary's deny port", OPEN, |scene| {
            redirect(scene, &format!("-d {} --dport {DENY}", scene.family.canary()))?;
            proxy(scene, &[Place::Node], &Manner::Close)
        }),
        closed(Row::v4("a proxy takes the control port, deny port refused", UNTESTIFIED, |scene| {
            redirect(scene, &format!("--dport {CONTROL}"))?;
            proxy(scene, &[Place::Node], &Manner::Accept)?;
            scene.node(&rules::deny_only(scene.family, "-j REJECT --reject-with icmp-port-unreachable"))
        })),
    ]
}

fn redirect_in_pods(scene: &mut Scene, which: &str) -> Result<()> {
    for place in PODS {
        let text = rules::nat(&redirection("OUTPUT", which));
        rules::apply(&scene.net, place, scene.family, &text)?;
    }
    Ok(())
}

fn redirect(scene: &mut Scene, which: &str) -> Result<()> {
    scene.node(&rules::nat(&redirection("PREROUTING -i sel+", which)))
}

fn redirection(chain: &str, which: &str) -> String {
    format!("-A {chain} -p tcp {which} -j REDIRECT --to-ports {PROXY}\n")
}

fn proxy(scene: &mut Scene, places: &[Place], manner: &Manner) -> Result<()> {
    let any = match scene.family {
        Family::V4 => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        Family::V6 => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
    };
    for place in places {
        let at = SocketAddr::new(any, PROXY);
        let listener = Listener::new(&scene.net, *place, at, manner.clone())?;
        scene.keep(listener);
    }
    Ok(())
}

/// All selected ones, so that the peers meet the same.
const PODS: [Place; 3] = [Place::Pod, Place::Nc, Place::Any];
const PROXY: u16 = 15001;
