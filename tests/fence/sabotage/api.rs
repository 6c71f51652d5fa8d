//! The API server does not answer, the Pod itself is broken, or the settings are.

use super::API_LOST;
use super::BLIND;
use super::INVALID;
use super::OS;
use super::Row;
use super::closed;
use crate::Result;
use crate::family::Family;
use crate::net::Place;
use crate::rules;
use crate::rules::DENY;
use crate::scene::CANARY_HOST;
use crate::scene::CANARY_PORT;
use crate::scene::CONTROL_PORT;
use crate::scene::Scene;

pub(super) fn rows() -> Vec<Row> {
    vec![
        closed(Row::v4("policy in force, API server closed", API_LOST, |scene| {
            scene.api.clear();
            scene.node(&rules::reject(scene.family))
        })),
        closed(Row::v4("policy in force, API server silent", API_LOST, |scene| api_by(scene, "-j DROP"))),
        closed(Row::v4("policy in force, API server refused as well", API_LOST, |scene| {
            api_by(scene, "-j REJECT --reject-with icmp-port-unreachable")
        })),
        closed(Row::v6("policy in force, API server refused as well", API_LOST, |scene| {
            api_by(scene, "-j REJECT --reject-with icmp6-port-unreachable")
        })),
        closed(Row::v4("policy in force, wrong API port", API_LOST, |scene| {
            scene.set("KUBERNETES_SERVICE_PORT_HTTPS", 443);
            scene.node(&rules::reject(scene.family))
        })),
        closed(Row::v4("policy in force, wrong API name", NO_API, |scene| {
            scene.resolve_with(scene.family.server(53))?;
            scene.set("KUBERNETES_SERVICE_HOST", "no-such-api.test");
            scene.node(&rules::reject(scene.family))
        })),
        Row::v4("API server and canary are both away", API_LOST, |scene| {
            scene.kill_canaries();
            scene.api.clear();
            Ok(())
        }),
        Row::v4("the server is unplugged", BLIND, |scene| scene.net.ip(Place::Server, "link set eth0 down")),
        Row::v6(
            "API server in the other family, no twin, the canary is dead",
            &["blind FAMILY_UNPROVEN"],
            |scene| {
                scene.kill_canaries();
                scene.unset(CONTROL_PORT);
                scene.arguments.push("--canary-alone".to_owned());
                scene.set("KUBERNETES_SERVICE_HOST", Family::V4.api());
                Ok(())
            },
        ),
        Row::v4("the Pod's own kernel prohibits the canary", OS, |scene| {
            in_pods(scene, &format!("route add prohibit {}", scene.family.canary()))
        }),
        Row::v6("the Pod's own kernel prohibits the canary", OS, |scene| {
            in_pods(scene, &format!("route add prohibit {}", scene.family.canary()))
        }),
        Row::v4("the Pod has no way to the canary", OS, |scene| {
            in_pods(scene, &format!("route add unreachable {}", scene.family.canary()))
        }),
        closed(Row::v4("no descriptors are left for the program itself", &["os"], |scene| {
            scene.launch.files = Some(6);
            scene.node(&rules::reject(scene.family))
        })),
        closed(Row::v4("hardly any descriptors are left", OS, |scene| {
            scene.launch.files = Some(12);
            scene.node(&rules::reject(scene.family))
        })),
        Row::v4("no canary is named", INVALID, |scene| {
            scene.unset(CANARY_HOST);
            Ok(())
        }),
        Row::v4("the canary is still a placeholder", INVALID, |scene| {
            scene.set(CANARY_HOST, "replace-with-reachable-deny-canary");
            Ok(())
        }),
        Row::v4("the deny port is 65536", INVALID, |scene| {
            scene.set(CANARY_PORT, 65536);
            Ok(())
        }),
        Row::v4("the control port is the deny port", INVALID, |scene| {
            scene.set(CONTROL_PORT, DENY);
            Ok(())
        }),
        Row::v4("no API server is named", INVALID, |scene| {
            scene.unset("KUBERNETES_SERVICE_HOST");
            Ok(())
        }),
    ]
}

/// A policy that is in force, but its rule for the API server is another.
fn api_by(scene: &mut Scene, target: &str) -> Result<()> {
    let api = scene.family.api();
    let policy = rules::reject(scene.family);
    scene.node(&policy.replace("*filter\n", &format!("*filter\n-A FORWARD -i sel+ -d {api} {target}\n")))
}

fn in_pods(scene: &mut Scene, line: &str) -> Result<()> {
    for place in [Place::Pod, Place::Nc, Place::Any] {
        scene.net.ip(place, line)?;
    }
    Ok(())
}

const NO_API: super::Expected = &["blind API_UNRESOLVED"];
