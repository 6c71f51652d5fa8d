//! Why a name has no address.

use super::MAX_ADDRESSES;
use crate::code::Code;
use crate::exit::Exit;
use crate::file;

/// A name without an address. The name is not part of the message.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// Nobody knows it, or it has no address: check its spelling, and that the Service is there.
    #[error("the name is not known, or has no address")]
    Absent,
    /// It cannot be a host's name: nothing was asked.
    #[error("the name is not a host name")]
    Invalid,
    /// A line of a settings file is not what it must be: correct it.
    #[error("line {line} of {file} cannot be understood")]
    Malformed {
        /// Which file.
        file: &'static str,
        /// Counted from 1.
        line: usize,
    },
    /// The operating system gave no random bytes.
    #[error("no random bytes are to be had")]
    Random,
    /// Every name server that answered refused: see its log.
    #[error("the name servers gave no answer but {0}")]
    Refused(Refusal),
    /// A name server, or its answer about one of the two families, was not heard in time.
    #[error("the name servers did not answer in time")]
    Silent,
    /// More addresses than are dealt with: ask for another name.
    #[error("the name has more than {MAX_ADDRESSES} addresses")]
    TooMany,
    /// A settings file is there and cannot be read.
    #[error("{file} cannot be read")]
    Unreadable {
        /// Which file.
        file: &'static str,
        /// Why.
        #[source]
        source: file::Error,
    },
}

/// An answer that says neither an address nor that there is none.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// Aliases that lead in a circle, or further than eight steps.
    #[error("aliases without end")]
    Aliases,
    /// A response code, as in RFC 1035: 1 malformed query, 2 server failure, 4 not implemented, 5 refused.
    #[error("response code {0}")]
    Response(u8),
}

impl Error {
    /// Whether the files at fault are those that say how to ask, and not the name or who knows it.
    pub fn is_of_settings(&self) -> bool {
        matches!(self, Self::Malformed { .. } | Self::Unreadable { .. })
    }

    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::Absent => &ABSENT,
            Self::Invalid => &INVALID,
            Self::Malformed { .. } | Self::Unreadable { .. } => &SETTINGS,
            Self::Random => &RANDOM,
            Self::Refused(_) => &REFUSED,
            Self::Silent => &SILENT,
            Self::TooMany => &TOO_MANY,
        }
    }
}

/// The codes of this module.
pub static CODES: &[&Code] = &[&ABSENT, &INVALID, &RANDOM, &REFUSED, &SETTINGS, &SILENT, &TOO_MANY];

static ABSENT: Code = Code::own(
    "QL3_NAME_ABSENT",
    Exit::NoInput,
    "neither the hosts file nor DNS has an address for a name, under any search domain",
    "check its spelling and namespace; `kubectl get service,endpointslice` shows whether it is there",
);
static INVALID: Code = Code::own(
    "QL3_NAME_INVALID",
    Exit::Data,
    "a host is neither an address nor a name: 253 characters, labels of 1 to 63 letters, digits, dashes, underscores",
    "correct it where it is configured; nothing was asked",
);
static RANDOM: Code = Code::own(
    "QL3_NAME_NO_RANDOM_BYTES",
    Exit::Os,
    "the operating system gave no random bytes for a query to DNS",
    "look at the seccomp profile: getrandom must be allowed",
);
static REFUSED: Code = Code::own(
    "QL3_NAME_REFUSED",
    Exit::Unavailable,
    "the name servers answered, and refused or failed every time (SERVFAIL, REFUSED)",
    "read the cluster DNS's log: its upstream or its API server is probably away; then run it again",
);
static SETTINGS: Code = Code::own(
    "QL3_NAME_SETTINGS",
    Exit::Config,
    "/etc/resolv.conf or /etc/hosts is unreadable, too large or has a line that cannot be understood",
    "the reason names file and line; in a Pod they come from dnsPolicy, dnsConfig and hostAliases",
);
static SILENT: Code = Code::own(
    "QL3_NAME_SILENT",
    Exit::Unavailable,
    "no name server answered about both address families in time, though each was asked several times a second",
    "check the egress rule to cluster DNS (UDP and TCP 53, the Pods' addresses), and that its Pods run",
);
static TOO_MANY: Code = Code::own(
    "QL3_NAME_TOO_MANY_ADDRESSES",
    Exit::Data,
    "a name has more than 64 addresses",
    "name one that has fewer: a Service with a cluster IP instead of a headless one",
);
