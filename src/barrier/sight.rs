//! What one dial saw on the wire.

use std::net::IpAddr;
use std::time::Duration;

use rustix::io::Errno;
use serde::Serialize;

/// How one TCP connect ended, by what came back (RFC 792, RFC 4443, ip(7) `IP_RECVERR`).
///
/// None of these says why. A refusal by ICMP is what a policy sends, and kube-proxy for a Service without
/// endpoints too; a reset is what a policy sends, and every closed port.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Sight {
    /// The handshake was done.
    Connected,
    /// A box said that a rule forbids it. Without a notice where the kernel told only the errno.
    Filtered(Option<Notice>),
    /// Our own kernel refused before a packet left: no route, no descriptors, a rule of its own.
    Local(i32),
    /// A box said that the port or protocol is not there, which is also what a rule may say.
    Refused(Notice),
    /// RST, or a refusal of which the kernel did not tell the origin.
    Reset,
    /// Nothing came until the slice ended.
    Silence,
    /// A box said that it knows no way there. Without a notice where the kernel told only the errno.
    Unreachable(Option<Notice>),
}

/// An ICMP error as the error queue holds it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Notice {
    /// Type and code.
    pub icmp: Icmp,
    /// Who sent it: a place, not a cause. NAT rewrites it.
    pub from: Option<IpAddr>,
}

/// Type and code of an ICMP or ICMPv6 error.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct Icmp {
    /// 3 is "destination unreachable" in ICMP, 1 in ICMPv6.
    #[serde(rename = "type")]
    pub kind: u8,
    /// Why.
    pub code: u8,
}

/// One dial, measured.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Dialled {
    /// How it ended.
    pub sight: Sight,
    /// From the first packet to that.
    pub took: Duration,
}

impl Sight {
    /// Reads what a failed connect left: the socket's error, and the notice of the error queue if there was one.
    pub fn of(errno: i32, notice: Option<Notice>) -> Self {
        let Some(notice) = notice else {
            return match errno {
                ECONNREFUSED | ECONNRESET => Self::Reset,
                // Only a rule makes the kernel's table of ICMPv6 errors say this.
                EACCES => Self::Filtered(None),
                EHOSTUNREACH | ENETUNREACH | ENOPROTOOPT => Self::Unreachable(None),
                ETIMEDOUT => Self::Silence,
                other => Self::Local(other),
            };
        };
        let Icmp { kind, code } = notice.icmp;
        match (notice.from.is_some_and(|from| from.is_ipv6()), kind, code) {
            (false, 3, 2 | 3) | (true, 1, 4) => Self::Refused(notice),
            (false, 3, 9 | 10 | 13) | (true, 1, 1 | 5 | 6) => Self::Filtered(Some(notice)),
            _ => Self::Unreachable(Some(notice)),
        }
    }

    /// The notice that came, if one did.
    pub fn notice(self) -> Option<Notice> {
        match self {
            Self::Refused(notice) => Some(notice),
            Self::Filtered(notice) | Self::Unreachable(notice) => notice,
            Self::Connected | Self::Local(_) | Self::Reset | Self::Silence => None,
        }
    }

    /// The word for it in the evidence.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Connected => "connected",
            Self::Filtered(_) => "filtered",
            Self::Local(_) => "local-failure",
            Self::Refused(_) => "refused-by-icmp",
            Self::Reset => "refused-by-reset",
            Self::Silence => "silence",
            Self::Unreachable(_) => "unreachable",
        }
    }
}

const EACCES: i32 = Errno::ACCESS.raw_os_error();
const ENOPROTOOPT: i32 = Errno::NOPROTOOPT.raw_os_error();
const ENETUNREACH: i32 = Errno::NETUNREACH.raw_os_error();
const ECONNRESET: i32 = Errno::CONNRESET.raw_os_error();
const ETIMEDOUT: i32 = Errno::TIMEDOUT.raw_os_error();
const ECONNREFUSED: i32 = Errno::CONNREFUSED.raw_os_error();
const EHOSTUNREACH: i32 = Errno::HOSTUNREACH.raw_os_error();

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(from: &str, kind: u8, code: u8) -> &'static str {
        let notice = Notice { icmp: Icmp { kind, code }, from: Some(from.parse().unwrap()) };
        Sight::of(ECONNREFUSED, Some(notice)).word()
    }

    #[test]
    fn every_code_of_destination_unreachable_has_its_class() {
        for code in 0..=15 {
            let class = match code {
                2 | 3 => "refused-by-icmp",
                9 | 10 | 13 => "filtered",
                _ => "unreachable",
            };
            assert_eq!(seen("192.0.2.1", 3, code), class, "ICMP 3/{code}");
        }
        for code in 0..=8 {
            let class = match code {
                4 => "refused-by-icmp",
                1 | 5 | 6 => "filtered",
                _ => "unreachable",
            };
            assert_eq!(seen("2001:db8::1", 1, code), class, "ICMPv6 1/{code}");
        }
    }

    #[test]
    fn other_types_are_a_broken_network() {
        for kind in [2, 4, 5, 11, 12] {
            assert_eq!(seen("192.0.2.1", kind, 3), "unreachable", "ICMP {kind}/3");
            assert_eq!(seen("2001:db8::1", kind, 4), "unreachable", "ICMPv6 {kind}/4");
        }
        // The numbers of one family mean nothing in the other.
        assert_eq!((seen("192.0.2.1", 1, 4), seen("2001:db8::1", 3, 3)), ("unreachable", "unreachable"));
    }

    #[test]
    fn without_the_queue_a_refusal_is_no_more_than_a_reset() {
        assert_eq!(Sight::of(ECONNREFUSED, None), Sight::Reset);
        assert_eq!(Sight::of(EHOSTUNREACH, None), Sight::Unreachable(None));
        assert_eq!(Sight::of(EACCES, None), Sight::Filtered(None));
        assert_eq!(Sight::of(24, None), Sight::Local(24));
    }
}
