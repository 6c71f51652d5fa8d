//! What the bundle says in the environment: the same block for the control, the barrier and the re-check.

use std::ffi::OsString;
use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::net::Ipv6Addr;

use super::error::Error;
use super::fence::Ground;
use super::fence::Role;
use super::proof::Binding;
use super::proof::CommandDigest;
use super::proof::Nonce;
use super::proof::Proof;

/// Where to look, and what for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Settings {
    /// The API server.
    pub api: Endpoint,
    /// The canary, at its deny port.
    pub canary: Endpoint,
    /// The canary's other port.
    pub control_port: Option<u16>,
    /// The control proof, and what it must be bound to.
    pub proof: Option<(Proof, Binding)>,
    /// What shows that the canary listens.
    pub ground: Ground,
    /// One address a family that nobody has. None for the reference's rule.
    pub decoys: Vec<IpAddr>,
}

/// A host and a port that were not looked up yet.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Endpoint {
    /// A name or an address.
    pub host: String,
    /// 1 to 65535.
    pub port: u16,
}

/// Whether a canary that nothing vouches for will do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Alone {
    /// It will: the reference's rule.
    Allowed,
    /// It will not.
    Refused,
}

/// Reads one variable of the environment.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<OsString>;

impl Settings {
    /// Reads the environment and checks all that can be known before a packet leaves.
    pub fn read(lookup: Lookup<'_>, alone: Alone) -> Result<Self, Error> {
        let api =
            Endpoint::read(lookup, Role::Api, ["KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT_HTTPS"])?;
        let canary = Endpoint::canary(lookup)?;
        let control_port = control_port(lookup, canary.port)?;
        let proof = match text(lookup, "QL3_NETWORK_POLICY_CONTROL_PROOF") {
            None => None,
            Some(statement) => Some((Proof::parse(statement.as_bytes())?, binding(lookup)?)),
        };
        let ground = match (control_port, &proof, alone) {
            (Some(_), Some(_), _) => Ground::TwinAndProof,
            (Some(_), None, _) => Ground::Twin,
            (None, Some(_), _) => Ground::Proof,
            (None, None, Alone::Allowed) => Ground::CanaryAlone,
            (None, None, Alone::Refused) => return Err(Error::Groundless),
        };
        let decoys = if ground == Ground::CanaryAlone { Vec::new() } else { decoys(lookup)? };
        Ok(Self { api, canary, control_port, proof, ground, decoys })
    }
}

impl Endpoint {
    /// The canary at its deny port.
    pub(super) fn canary(lookup: Lookup<'_>) -> Result<Self, Error> {
        let names = ["QL3_NETWORK_POLICY_DENY_CANARY_HOST", "QL3_NETWORK_POLICY_DENY_CANARY_PORT"];
        let canary = Self::read(lookup, Role::Deny, names)?;
        if canary.host.starts_with(PLACEHOLDER) { Err(Error::Host(Role::Deny)) } else { Ok(canary) }
    }

    fn read(lookup: Lookup<'_>, role: Role, [host, digits]: [&str; 2]) -> Result<Self, Error> {
        let host = text(lookup, host).ok_or(Error::Host(role))?;
        let port = text(lookup, digits).and_then(|digits| port(&digits)).ok_or(Error::Host(role))?;
        Ok(Self { host, port })
    }
}

/// The same port cannot be open and closed.
fn control_port(lookup: Lookup<'_>, deny_port: u16) -> Result<Option<u16>, Error> {
    let Some(digits) = text(lookup, "QL3_NETWORK_POLICY_CONTROL_PORT") else { return Ok(None) };
    let port = port(&digits).filter(|port| *port != deny_port);
    port.ok_or(Error::Host(Role::Control)).map(Some)
}

/// Addresses with commas between them, or one for documentation a family.
fn decoys(lookup: Lookup<'_>) -> Result<Vec<IpAddr>, Error> {
    let Some(list) = text(lookup, "QL3_NETWORK_POLICY_DECOYS") else { return Ok(DECOYS.to_vec()) };
    let decoys = list.split(',').map(|decoy| decoy.trim().parse()).collect::<Result<Vec<_>, _>>();
    decoys.ok().filter(|decoys| decoys.len() <= DECOYS_MOST).ok_or(Error::Host(Role::Decoy))
}

/// What a proof of this operation is bound to.
pub(super) fn binding(lookup: Lookup<'_>) -> Result<Binding, Error> {
    let command = lookup("QL3_NETWORK_POLICY_COMMAND").filter(|bytes| !bytes.is_empty());
    let nonce = text(lookup, "QL3_NETWORK_POLICY_NONCE");
    let (Some(command), Some(nonce)) = (command, nonce) else { return Err(Error::ProofUnbound) };
    let command_digest = CommandDigest::of(command.as_encoded_bytes());
    Ok(Binding { nonce: Nonce::parse(&nonce)?, command_digest })
}

/// An empty variable is an absent one: an overlay cannot unset what a base sets.
fn text(lookup: Lookup<'_>, name: &str) -> Option<String> {
    let value = lookup(name)?.to_string_lossy().into_owned();
    (!value.is_empty()).then_some(value)
}

/// Plain digits: parsing alone would also take "+443".
fn port(digits: &str) -> Option<u16> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|port| plain && *port != 0)
}

/// Addresses for documentation that no Pod, Service or router has (RFC 5737, RFC 3849).
const DECOYS: [IpAddr; 2] = [
    IpAddr::V4(Ipv4Addr::new(198, 51, 100, 254)),
    IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0xffff, 0xffff, 0, 0, 0, 1)),
];

/// Every decoy is dialled in every round.
const DECOYS_MOST: usize = 4;

/// What the base's manifests hold until an overlay says better.
pub(super) const PLACEHOLDER: &str = "replace-with-";

#[cfg(test)]
mod tests {
    use super::*;

    fn read(changes: &[(&str, &str)]) -> Result<Settings, Error> {
        let good = [
            ("KUBERNETES_SERVICE_HOST", "10.43.0.1"),
            ("KUBERNETES_SERVICE_PORT_HTTPS", "443"),
            ("QL3_NETWORK_POLICY_DENY_CANARY_HOST", "canary.ns.svc"),
            ("QL3_NETWORK_POLICY_DENY_CANARY_PORT", "9443"),
            ("QL3_NETWORK_POLICY_CONTROL_PORT", "9444"),
        ];
        let lookup = |name: &str| {
            let found = changes.iter().chain(&good).find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        };
        Settings::read(&lookup, Alone::Refused)
    }

    #[test]
    fn a_port_is_one_to_65535_in_plain_digits() {
        for (text, number) in [("1", 1), ("65535", 65535)] {
            assert_eq!(read(&[("QL3_NETWORK_POLICY_DENY_CANARY_PORT", text)]).unwrap().canary.port, number);
        }
        for text in ["", "0", "65536", "-1", "+1", "443 ", "4.0", "https"] {
            for (name, role) in [
                ("KUBERNETES_SERVICE_PORT_HTTPS", Role::Api),
                ("QL3_NETWORK_POLICY_DENY_CANARY_PORT", Role::Deny),
            ] {
                assert_eq!(read(&[(name, text)]), Err(Error::Host(role)), "{text:?}");
            }
        }
        for text in ["0", "65536", "9443", "x"] {
            let control = [("QL3_NETWORK_POLICY_CONTROL_PORT", text)];
            assert_eq!(read(&control), Err(Error::Host(Role::Control)), "{text:?}");
        }
    }

    #[test]
    fn a_placeholder_or_nothing_is_no_host() {
        for host in ["", "replace-with-reachable-deny-canary"] {
            let canary = [("QL3_NETWORK_POLICY_DENY_CANARY_HOST", host)];
            assert_eq!(read(&canary), Err(Error::Host(Role::Deny)), "{host:?}");
        }
        assert_eq!(read(&[("KUBERNETES_SERVICE_HOST", "")]), Err(Error::Host(Role::Api)));
    }

    #[test]
    fn decoys_are_addresses() {
        assert_eq!(read(&[]).unwrap().decoys, DECOYS);
        let decoys = |list| read(&[("QL3_NETWORK_POLICY_DECOYS", list)]).map(|settings| settings.decoys);
        let two = ["192.0.2.9", "2001:db8::9"].map(|text| text.parse().unwrap());
        assert_eq!(decoys("192.0.2.9, 2001:db8::9"), Ok(two.to_vec()));
        for list in [",", "192.0.2.9,", "decoy", "192.0.2.9:1", "1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1"] {
            assert_eq!(decoys(list), Err(Error::Host(Role::Decoy)), "{list:?}");
        }
    }

    #[test]
    fn something_must_show_that_the_canary_listens() {
        assert_eq!(read(&[]).unwrap().ground, Ground::Twin);
        assert_eq!(read(&[("QL3_NETWORK_POLICY_CONTROL_PORT", "")]), Err(Error::Groundless));
    }

    #[test]
    fn the_references_rule_dials_no_decoy() {
        let lookup = |name: &str| {
            let port = name.contains("PORT") && !name.contains("CONTROL");
            let host = name.ends_with("_HOST").then(|| OsString::from("192.0.2.1"));
            host.or(port.then(|| OsString::from("443")))
        };
        let settings = Settings::read(&lookup, Alone::Allowed).unwrap();
        assert_eq!((settings.ground, settings.decoys.len()), (Ground::CanaryAlone, 0));
    }

    #[test]
    fn a_proof_needs_what_it_is_bound_to() {
        let nonce = ("QL3_NETWORK_POLICY_NONCE", "operation-000001");
        let command = ("QL3_NETWORK_POLICY_COMMAND", "{}");
        let bound =
            binding(&|name| [nonce, command].into_iter().find(|(n, _)| *n == name).map(|(_, v)| v.into()));
        let canary = vec!["192.0.2.1:9443".parse().unwrap()];
        let statement = Proof::state(bound.unwrap(), canary, 0, std::time::Duration::from_secs(1)).text();
        let proof = ("QL3_NETWORK_POLICY_CONTROL_PROOF", statement.as_str());
        assert_eq!(read(&[proof, nonce, command]).unwrap().ground, Ground::TwinAndProof);
        for missing in [vec![proof], vec![proof, nonce], vec![proof, command]] {
            assert_eq!(read(&missing), Err(Error::ProofUnbound));
        }
        for nonce in ["short", "replace-with-unique-nonce"] {
            assert_eq!(read(&[proof, ("QL3_NETWORK_POLICY_NONCE", nonce), command]), Err(Error::Nonce));
        }
    }
}
