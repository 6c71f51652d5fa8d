//! What is dialled in every round, and which of it must answer.

use std::net::IpAddr;
use std::net::SocketAddr;

use serde::Serialize;

/// Why a target is dialled.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The API server: must answer.
    Api,
    /// The canary's open port, the twin of a deny target: must answer.
    Control,
    /// An address that nobody has: must not answer, whatever the policy.
    Decoy,
    /// The canary's closed port: must not answer.
    Deny,
}

/// One address of one role.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Target {
    /// Why it is dialled.
    pub role: Role,
    /// Where it is.
    pub at: SocketAddr,
}

/// What shows that a deny target has a living listener behind it. Without any there is no fence to prove.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Ground {
    /// Nothing but the operator's word. The reference's rule, the weaker form: one round in which the API
    /// server answered and the canary did not, for whatever reason.
    CanaryAlone,
    /// A control proof for exactly these addresses, and no twin.
    Proof,
    /// The canary's open port, dialled beside it.
    Twin,
    /// Both.
    TwinAndProof,
}

/// All targets of a round. Their order is that of a round's sights.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Fence {
    /// Every address of every role.
    pub targets: Vec<Target>,
    /// What shows that the deny targets live.
    pub ground: Ground,
}

impl Role {
    /// How an operator calls it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Api => "API server",
            Self::Control => "canary's control port",
            Self::Decoy => "decoy",
            Self::Deny => "canary",
        }
    }
}

impl Ground {
    /// Whether the canary's open port is dialled too.
    pub const fn has_twin(self) -> bool {
        matches!(self, Self::Twin | Self::TwinAndProof)
    }

    /// Whether somebody whom the policy does not select has reached the deny targets.
    pub const fn has_proof(self) -> bool {
        matches!(self, Self::Proof | Self::TwinAndProof)
    }

    /// The words for it in the evidence.
    pub const fn words(self) -> &'static [&'static str] {
        match self {
            Self::CanaryAlone => &["canary-alone"],
            Self::Proof => &["control-proof"],
            Self::Twin => &["twin"],
            Self::TwinAndProof => &["twin", "control-proof"],
        }
    }
}

impl Fence {
    /// Every API address, and for every canary address its two ports; one decoy for each family, at the deny port.
    pub fn new(
        api: &[SocketAddr],
        canary: &[IpAddr],
        deny_port: u16,
        control_port: Option<u16>,
        decoys: &[IpAddr],
        ground: Ground,
    ) -> Self {
        let target = |role| move |at| Target { role, at };
        let ports = |port: u16| move |ip: &IpAddr| SocketAddr::new(*ip, port);
        let control = control_port.into_iter().flat_map(|port| canary.iter().map(ports(port)));
        let targets = api.iter().copied().map(target(Role::Api));
        let targets = targets.chain(control.map(target(Role::Control)));
        let targets = targets.chain(canary.iter().map(ports(deny_port)).map(target(Role::Deny)));
        let targets = targets.chain(decoys.iter().map(ports(deny_port)).map(target(Role::Decoy)));
        Self { targets: targets.collect(), ground }
    }
}
