//! The two protocols, and who has which address in them.

use std::net::IpAddr;

/// Which protocol a row is about.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Family {
    V4,
    V6,
}

impl Family {
    pub(crate) const BOTH: [Self; 2] = [Self::V4, Self::V6];

    /// The API server's address.
    pub(crate) fn api(self) -> IpAddr {
        self.server(10)
    }

    /// The canary's.
    pub(crate) fn canary(self) -> IpAddr {
        self.server(20)
    }

    /// An address on the server's link: 10, 20, 21, 22 and 53 exist.
    pub(crate) fn server(self, host: u16) -> IpAddr {
        let text = match self {
            Self::V4 => format!("203.0.113.{host}"),
            Self::V6 => format!("2001:db8:0:113::{host}"),
        };
        text.parse().unwrap_or(IpAddr::from([0; 4]))
    }

    /// The node as the Pod knows it: who an error of the node comes from.
    pub(crate) fn node(self) -> IpAddr {
        match self {
            Self::V4 => IpAddr::from([192, 0, 2, 1]),
            Self::V6 => IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, 1]),
        }
    }

    /// Addresses that have no owner, the barrier's decoy among them.
    pub(crate) fn nowhere(self) -> &'static str {
        match self {
            Self::V4 => "198.51.100.0/24",
            Self::V6 => "2001:db8:ffff::/48",
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::V4 => "IPv4",
            Self::V6 => "IPv6",
        }
    }
}
