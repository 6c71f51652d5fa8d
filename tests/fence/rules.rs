//! Rules of the node: given as text to iptables-restore and ip6tables-restore, and the policy as an enforcer
//! writes it.

use std::io::Write;
use std::process::Child;
use std::process::Command;
use std::process::Stdio;
use std::time::Instant;

use super::Result;
use super::family::Family;
use super::net;
use super::net::Place;
use super::net::Spaces;

pub(crate) const API: u16 = 6443;
pub(crate) const DENY: u16 = 9443;
pub(crate) const CONTROL: u16 = 9444;

/// Puts a table in place of what stood there.
pub(crate) fn apply(net: &Spaces, place: Place, family: Family, text: &str) -> Result<()> {
    net.inside(place, || net::feed(&mut Command::new(program(family)), text))
}

/// The `filter` table with these lines.
pub(crate) fn filter(lines: &str) -> String {
    format!("*filter\n{}\nCOMMIT\n", lines.trim())
}

/// The `nat` table with these lines.
pub(crate) fn nat(lines: &str) -> String {
    format!("*nat\n{}\nCOMMIT\n", lines.trim())
}

/// Selected Pods may reach the API server, names and the canary's control port; `rest` meets all other packets.
pub(crate) fn policy(family: Family, rest: &str) -> String {
    let (api, canary) = (family.api(), family.canary());
    let names = family.server(53);
    filter(&format!(
        "-A FORWARD -i sel+ -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT\n\
         -A FORWARD -i sel+ -d {names} -p udp --dport 53 -j ACCEPT\n\
         -A FORWARD -i sel+ -d {api} -p tcp --dport {API} -j ACCEPT\n\
         -A FORWARD -i sel+ -d {canary} -p tcp --dport {CONTROL} -j ACCEPT\n\
         -A FORWARD -i sel+ {rest}"
    ))
}

/// What kube-router appends: ICMP "port unreachable".
pub(crate) fn reject(family: Family) -> String {
    policy(family, &format!("-j REJECT --reject-with {}", port_unreachable(family)))
}

/// A rule for the deny port alone.
pub(crate) fn deny_only(family: Family, target: &str) -> String {
    filter(&format!("-A FORWARD -i sel+ -d {} -p tcp --dport {DENY} {target}", family.canary()))
}

pub(crate) fn port_unreachable(family: Family) -> &'static str {
    match family {
        Family::V4 => "icmp-port-unreachable",
        Family::V6 => "icmp6-port-unreachable",
    }
}

/// A restore that has read everything but the last line, so that the rules are in force moments after it.
pub(crate) struct Prepared {
    child: Child,
}

impl Prepared {
    pub(crate) fn new(net: &Spaces, family: Family, text: &str) -> Result<Self> {
        let text = text.strip_suffix("COMMIT\n").ok_or("no COMMIT at the end")?;
        let mut child = net.inside(Place::Node, || {
            let mut command = Command::new(program(family));
            Ok(command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?)
        })?;
        child.stdin.as_mut().ok_or("no pipe")?.write_all(text.as_bytes())?;
        Ok(Self { child })
    }

    /// Lands the rules; gives the moment just before.
    pub(crate) fn land(mut self) -> Result<Instant> {
        let mut pipe = self.child.stdin.take().ok_or("no pipe")?;
        let moment = Instant::now();
        pipe.write_all(b"COMMIT\n")?;
        drop(pipe);
        if !self.child.wait()?.success() {
            return Err("the rules were refused".into());
        }
        Ok(moment)
    }
}

fn program(family: Family) -> &'static str {
    match family {
        Family::V4 => "iptables-restore",
        Family::V6 => "ip6tables-restore",
    }
}
