//! The canary is dead, away, someone else, or asked at the wrong port.

use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use super::BLIND;
use super::DEAD;
use super::OPEN;
use super::OPEN_OR_BLIND;
use super::RESET;
use super::Row;
use super::UNTESTIFIED;
use super::closed;
use crate::Result;
use crate::net::Place;
use crate::rules;
use crate::rules::CONTROL;
use crate::rules::DENY;
use crate::scene::CANARY_PORT;
use crate::scene::CONTROL_PORT;
use crate::scene::Scene;
use crate::serve::Full;
use crate::serve::Manner;

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::v4("nothing is enforced", OPEN, |_scene| Ok(())),
        Row::v6("nothing is enforced", OPEN, |_scene| Ok(())),
        Row::v4("dead canary", DEAD, dead),
        Row::v6("dead canary", DEAD, dead),
        Row::v4("deny listener dead, another program on the control port", BLIND, |scene| {
            instead(scene, Manner::Accept)
        }),
        Row::v4("deny listener dead, control port greets as SSH", UNTESTIFIED, |scene| {
            instead(scene, Manner::Say("SSH-2.0-OpenSSH_9.2\r\n".to_owned()))
        }),
        Row::v4("deny listener dead, control port accepts and closes", UNTESTIFIED, |scene| {
            instead(scene, Manner::Close)
        }),
        Row::v4("deny listener dead, control port testifies another port", UNTESTIFIED, |scene| {
            let at = SocketAddr::new(scene.family.canary(), 9999);
            instead(scene, Manner::Say(format!("ql3-canary/1 {at}\n")))
        }),
        Row::v4("deny listener dead, control port testifies another address", UNTESTIFIED, |scene| {
            let at = SocketAddr::new(scene.family.server(21), DENY);
            instead(scene, Manner::Say(format!("ql3-canary/1 {at}\n")))
        }),
        Row::v6("deny listener dead, control port lies that it lives", RESET, |scene| {
            let at = SocketAddr::new(scene.family.canary(), DENY);
            instead(scene, Manner::Say(format!("ql3-canary/1 {at}\n")))
        }),
        Row::v4("deny port blocked at the host, no testimony", UNTESTIFIED, |scene| {
            instead(scene, Manner::Accept)?;
            host_firewall(scene, DENY, "-j REJECT --reject-with icmp-port-unreachable")
        }),
        Row::v4("deny port blocked at the host, testimony of another port", UNTESTIFIED, |scene| {
            let at = SocketAddr::new(scene.family.canary(), 9999);
            instead(scene, Manner::Say(format!("ql3-canary/1 {at}\n")))?;
            host_firewall(scene, DENY, "-j REJECT --reject-with icmp-admin-prohibited")
        }),
        Row::v4("listener's queue is full, control port without testimony", UNTESTIFIED, |scene| {
            instead(scene, Manner::Accept)?;
            let at = SocketAddr::new(scene.family.canary(), DENY);
            let full = Full::new(&scene.net, Place::Server, at)?;
            scene.keep(full);
            Ok(())
        }),
        Row::v4("canary killed after 0.5 s", OPEN_OR_BLIND, |scene| signal_later(scene, Signal::KILL)),
        Row::v6("canary killed after 0.5 s", OPEN_OR_BLIND, |scene| signal_later(scene, Signal::KILL)),
        Row::v4("canary stopped after 0.5 s", OPEN_OR_BLIND, |scene| signal_later(scene, Signal::STOP)),
        Row::v4("the canary's host is gone", DEAD, |scene| {
            dead(scene)?;
            scene.net.ip(Place::Server, &format!("addr del {}/24 dev eth0", scene.family.canary()))
        }),
        Row::v4("host-unreachable to the canary", DEAD, |scene| route(scene, "unreachable")),
        Row::v6("no route to the canary", DEAD, |scene| route(scene, "unreachable")),
        Row::v4("the canary's address is prohibited as a whole", DEAD, |scene| route(scene, "prohibit")),
        Row::v6("the canary's address is prohibited as a whole", DEAD, |scene| route(scene, "prohibit")),
        Row::v4("the canary's address is a black hole", DEAD, |scene| route(scene, "blackhole")),
        Row::v4("the canary is behind the policy with both its ports", DEAD, |scene| {
            both_ports(scene, "-j REJECT --reject-with icmp-port-unreachable")
        }),
        Row::v6("the canary is behind the policy with both its ports", DEAD, |scene| {
            both_ports(scene, "-j REJECT --reject-with icmp6-adm-prohibited")
        }),
        Row::v4("both ports of the canary are dropped for everybody", DEAD, |scene| {
            scene.node(&rules::filter(&format!("-A FORWARD -d {} -j DROP", scene.family.canary())))
        }),
        Row::v4("wrong deny port, closed", UNTESTIFIED, |scene| wrong_deny(scene, None)),
        Row::v6("wrong deny port, closed", UNTESTIFIED, |scene| wrong_deny(scene, None)),
        Row::v4("wrong deny port, dropped by the host", UNTESTIFIED, |scene| {
            wrong_deny(scene, Some("-j DROP"))
        }),
        Row::v4("wrong deny port, refused by the host", UNTESTIFIED, |scene| {
            wrong_deny(scene, Some("-j REJECT --reject-with icmp-port-unreachable"))
        }),
        Row::v4("wrong deny port, refused by the node", UNTESTIFIED, |scene| {
            scene.set(CANARY_PORT, WRONG);
            let to = scene.family.canary();
            scene.node(&rules::filter(&format!(
                "-A FORWARD -d {to} -p tcp --dport {WRONG} -j REJECT --reject-with icmp-port-unreachable"
            )))
        }),
        Row::v4("wrong control port, nothing is enforced", OPEN, |scene| {
            scene.set(CONTROL_PORT, WRONG);
            Ok(())
        }),
        closed(Row::v4("wrong control port, deny port refused", DEAD, |scene| {
            scene.set(CONTROL_PORT, WRONG);
            scene.node(&rules::deny_only(scene.family, "-j REJECT --reject-with icmp-port-unreachable"))
        })),
        closed(Row::v4("the control port is another program's, deny port refused", UNTESTIFIED, |scene| {
            scene.set(CONTROL_PORT, 22);
            scene.serve(scene.family.canary(), 22, Manner::Say("SSH-2.0-OpenSSH_9.2\r\n".to_owned()))?;
            scene.node(&rules::deny_only(scene.family, "-j REJECT --reject-with icmp-port-unreachable"))
        })),
    ]
}

#[expect(clippy::unnecessary_wraps, reason = "it stands in the table as the others do")]
fn dead(scene: &mut Scene) -> Result<()> {
    scene.kill_canaries();
    Ok(())
}

/// The canary is dead; something else listens on its control port.
fn instead(scene: &mut Scene, manner: Manner) -> Result<()> {
    scene.kill_canaries();
    scene.serve(scene.family.canary(), CONTROL, manner)
}

#[expect(clippy::unnecessary_wraps, reason = "it stands in the table as the others do")]
fn signal_later(scene: &mut Scene, signal: Signal) -> Result<()> {
    for canary in &scene.canaries {
        let pid = canary.pid();
        // Not reaped before the scene ends, so that the pid stays its own.
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(500));
            crate::kill(pid, signal);
        });
    }
    Ok(())
}

fn host_firewall(scene: &Scene, port: u16, target: &str) -> Result<()> {
    let text = rules::filter(&format!("-A INPUT -p tcp --dport {port} {target}"));
    rules::apply(&scene.net, Place::Server, scene.family, &text)
}

fn route(scene: &mut Scene, kind: &str) -> Result<()> {
    scene.net.ip(Place::Node, &format!("route add {kind} {}", scene.family.canary()))
}

fn both_ports(scene: &mut Scene, target: &str) -> Result<()> {
    scene.node(&rules::filter(&format!("-A FORWARD -i sel+ -d {} {target}", scene.family.canary())))
}

fn wrong_deny(scene: &mut Scene, host: Option<&str>) -> Result<()> {
    scene.set(CANARY_PORT, WRONG);
    host.map_or(Ok(()), |target| host_firewall(scene, WRONG, target))
}

const WRONG: u16 = 9555;
