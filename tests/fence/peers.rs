//! Two probes that people use in the barrier's place, as black boxes in Pods of their own under the same rules.
//!
//! `nc -z -w 1`: any failure means that the policy is in force. The accept-any-failure probe: in one round the API
//! server takes a connection and the canary does not, for whatever reason; it may try until its time is over.
//! Three seconds are granted here, thirty are usual: more time can only mean more false passes.

use std::net::TcpStream;
use std::net::ToSocketAddrs;
use std::process::Command;
use std::process::ExitStatus;
use std::process::Stdio;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use super::Result;
use super::net::Place;
use super::net::Spaces;
use super::rules;
use super::scene::CANARY_HOST;
use super::scene::CANARY_PORT;
use super::scene::Scene;

/// Which of the two said that the policy is in force.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Passed {
    pub(crate) nc: bool,
    pub(crate) any: bool,
}

/// What both need to know.
#[derive(Clone)]
pub(crate) struct Aim {
    host: String,
    port: String,
    api: String,
    api_port: String,
}

impl Aim {
    pub(crate) fn of(scene: &Scene) -> Self {
        let get = |name: &str| scene.environment.get(name).cloned().unwrap_or_default();
        Self {
            host: get(CANARY_HOST),
            port: get(CANARY_PORT),
            api: get("KUBERNETES_SERVICE_HOST"),
            api_port: rules::API.to_string(),
        }
    }
}

/// Runs both to their ends.
pub(crate) fn run(spaces: &Spaces, aim: &Aim) -> Result<Passed> {
    thread::scope(|scope| {
        let nc = scope.spawn(|| nc(spaces, aim));
        let any = any(spaces, aim);
        let nc = nc.join().map_err(|_panic| "a peer's thread panicked")?;
        Ok(Passed { nc: nc.is_ok(), any: any.is_ok() })
    })
}

/// One try; the moment of a pass.
pub(crate) fn nc(spaces: &Spaces, aim: &Aim) -> std::result::Result<Instant, ()> {
    let status = exec(spaces, Place::Nc, &["nc", "-z", "-w", "1", &aim.host, &aim.port]);
    // Without a status it did not even start, which is no pass.
    let failed = status.is_ok_and(|status| !status.success());
    if failed { Ok(Instant::now()) } else { Err(()) }
}

/// The moment of a pass.
pub(crate) fn any(spaces: &Spaces, aim: &Aim) -> std::result::Result<Instant, ()> {
    let own = std::env::current_exe().map_err(drop)?;
    let own = own.display().to_string();
    let words = [&own, WORD, &aim.api, &aim.api_port, &aim.host, &aim.port];
    let status = exec(spaces, Place::Any, &words);
    if status.is_ok_and(|status| status.success()) { Ok(Instant::now()) } else { Err(()) }
}

/// `ip netns exec`, because it gives the process the namespace's own `/etc/resolv.conf`.
fn exec(spaces: &Spaces, place: Place, words: &[&str]) -> Result<ExitStatus> {
    let mut command = Command::new("ip");
    command.args(["netns", "exec", &spaces.name(place)]).args(words);
    Ok(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?)
}

/// The accept-any-failure probe itself, started anew by [`any`]: API host and port, canary host and port.
pub(crate) fn accept_any_failure(words: &[String]) -> Result<()> {
    let [api, api_port, canary, port] = words else { return Err("four words are needed".into()) };
    let begun = Instant::now();
    while begun.elapsed() < GRANTED {
        if connects(api, api_port) && !connects(canary, port) {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(100));
    }
    Err("not in force".into())
}

fn connects(host: &str, port: &str) -> bool {
    let Ok(port) = port.parse::<u16>() else { return false };
    let Ok(mut addresses) = (host, port).to_socket_addrs() else { return false };
    addresses.any(|address| TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok())
}

pub(crate) const WORD: &str = "accept-any-failure";
const GRANTED: Duration = Duration::from_secs(3);
