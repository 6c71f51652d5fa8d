//! What the canary says of itself on its control port: which address and port its deny listener serves.
//!
//! With it the barrier knows that the port which must stay closed has a living listener, in the same process
//! and at the same address. Without it a Service that lacks the port would look like a policy: kube-proxy in
//! its nftables mode refuses an unknown port of a Service with the very bytes of one.

use std::fmt;
use std::net::SocketAddr;

/// `ql3-canary/1 ADDR:PORT` and a newline.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Testimony {
    /// What the deny listener serves, as the peer of this connection would have to dial it if no NAT stood
    /// between.
    pub serves: SocketAddr,
}

impl Testimony {
    /// Reads a whole line, newline included.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
        let serves: SocketAddr = text.strip_prefix(GREETING)?.parse().ok()?;
        Some(Self { serves: canonical(serves) })
    }
}

impl fmt::Display for Testimony {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{GREETING}{}", self.serves)
    }
}

/// An IPv4 address that a socket of both families shows as IPv6 is an IPv4 address.
pub(super) fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

const GREETING: &str = "ql3-canary/1 ";

/// Bytes of a line: the greeting, the longest IPv6 address with a scope, a port.
pub(super) const LIMIT: usize = 96;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_testimony_is_one_exact_line() {
        for text in ["192.0.2.1:9443", "[2001:db8::1]:1"] {
            let testimony = Testimony { serves: text.parse().unwrap() };
            assert_eq!(Testimony::parse(testimony.to_string().as_bytes()), Some(testimony));
        }
        let mapped = Testimony::parse(b"ql3-canary/1 [::ffff:192.0.2.1]:9443\n");
        assert_eq!(mapped.unwrap().serves, "192.0.2.1:9443".parse().unwrap());
        for line in [
            "",
            "\n",
            "ql3-canary/1 192.0.2.1:9443",
            "ql3-canary/2 192.0.2.1:9443\n",
            "ql3-canary/1 192.0.2.1:65536\n",
            "ql3-canary/1 canary:9443\n",
            "ql3-canary/1 192.0.2.1:9443 \n",
            "SSH-2.0-OpenSSH_9.2\n",
        ] {
            assert_eq!(Testimony::parse(line.as_bytes()), None, "{line:?}");
        }
    }

    #[test]
    fn the_longest_line_fits() {
        let longest = Testimony { serves: "[2001:db8:1111:2222:3333:4444:5555:6666]:65535".parse().unwrap() };
        assert!(longest.to_string().len() <= LIMIT);
    }
}
