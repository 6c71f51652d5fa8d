//! A canary on loopback: the built program, and an environment in which its deny port is closed.

use std::io::Read;
use std::net::SocketAddr;
use std::net::TcpListener;
use std::net::TcpStream;
use std::process::Child;
use std::time::Duration;
use std::time::Instant;

use super::program;

/// A running `barrier canary` whose control port is open.
pub(crate) struct Canary {
    child: Child,
    control: SocketAddr,
    /// Where the barrier looks for a closed port.
    deny: SocketAddr,
    proof: Option<String>,
}

impl Canary {
    /// Its deny listener is where the barrier looks: nothing is closed.
    pub(crate) fn open() -> Self {
        let [deny, control] = free();
        Self::start(deny, control, deny)
    }

    /// The barrier looks at a port where nothing listens, for which a control proof vouches: the control really
    /// reached it, while something listened there.
    pub(crate) fn closed() -> Self {
        let [deny, control] = free();
        // As behind a Service: what it serves has the port that is dialled, and another address.
        let served = SocketAddr::from(([127, 0, 0, 3], deny.port()));
        let mut canary = Self::start(served, control, deny);
        let open = TcpListener::bind(deny).unwrap();
        let ended = program::run(program::program().args(["barrier", "control"]).envs(canary.environment()));
        assert_eq!(ended.exit, Some(0), "{ended:?}");
        drop(open);
        canary.proof = Some(ended.stdout.trim_end().to_owned());
        canary
    }

    fn start(served: SocketAddr, control: SocketAddr, deny: SocketAddr) -> Self {
        let (served, text) = (served.to_string(), control.to_string());
        let mut command = program::program();
        command.args(["barrier", "canary", "--deny", &served, "--control", &text]);
        let canary = Self { child: command.spawn().unwrap(), control, deny, proof: None };
        let end = Instant::now() + Duration::from_secs(10);
        while canary.testimony().is_none() {
            assert!(Instant::now() < end, "the canary does not listen");
        }
        canary
    }

    /// What it says on its control port.
    pub(crate) fn testimony(&self) -> Option<String> {
        let mut said = String::new();
        TcpStream::connect(self.control).ok()?.read_to_string(&mut said).ok()?;
        Some(said)
    }

    pub(crate) fn deny(&self) -> SocketAddr {
        self.deny
    }

    pub(crate) fn control(&self) -> SocketAddr {
        self.control
    }

    /// The block that the control, the barrier and the re-check share. The decoy is on loopback, so that nothing
    /// leaves this machine.
    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        let mut environment = vec![
            ("QL3_NETWORK_POLICY_DENY_CANARY_HOST", self.deny.ip().to_string()),
            ("QL3_NETWORK_POLICY_DENY_CANARY_PORT", self.deny.port().to_string()),
            ("QL3_NETWORK_POLICY_CONTROL_PORT", self.control.port().to_string()),
            ("QL3_NETWORK_POLICY_DECOYS", "127.0.0.2".to_owned()),
            ("QL3_NETWORK_POLICY_NONCE", "operation-of-a-test".to_owned()),
            ("QL3_NETWORK_POLICY_COMMAND", "{}".to_owned()),
        ];
        environment.extend(self.proof.clone().map(|proof| ("QL3_NETWORK_POLICY_CONTROL_PROOF", proof)));
        environment
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Ports on loopback that nobody has at this moment.
fn free() -> [SocketAddr; 2] {
    let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    listeners.map(|listener| listener.local_addr().unwrap())
}
