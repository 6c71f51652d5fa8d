//! The reference's way of judging the barrier by a canary alone (ADR-0262).
//!
//! A round tries the API server, which must answer, and a canary that only a policy can silence. That the
//! canary really listens is for a control outside the policy to prove.

use serde::Serialize;

use crate::exit::Exit;

/// Where the barrier looks.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Targets {
    /// The API server.
    pub api: Target,
    /// What must not be reached.
    pub canary: Target,
}

/// One end of a TCP connection.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Target {
    /// A name or an address.
    pub host: String,
    /// 1 to 65535.
    pub port: u16,
}

/// How the barrier ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    /// The canary has no address, so that its silence would prove nothing.
    CanaryUnresolved,
    /// A host is missing or still a placeholder, or a port is none.
    ConfigInvalid,
    /// Time ran out before one round was as it must be.
    PolicyNotReady,
    /// In one round the API server answered and the canary did not.
    PolicyReady,
    /// The operating system refused something basic.
    ProbeFailed,
}

/// What one round saw.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Round {
    /// Whether the API server took a connection.
    pub api: bool,
    /// Whether the canary took one. Refused is not reached.
    pub canary: bool,
}

impl Targets {
    /// Reads the four settings as the environment holds them.
    pub fn read(
        api_host: Option<&str>,
        api_port: Option<&str>,
        canary_host: Option<&str>,
        canary_port: Option<&str>,
    ) -> Result<Self, Verdict> {
        let targets =
            Self { api: Target::read(api_host, api_port)?, canary: Target::read(canary_host, canary_port)? };
        let placeholder = targets.canary.host.starts_with(PLACEHOLDER);
        if placeholder { Err(Verdict::ConfigInvalid) } else { Ok(targets) }
    }
}

impl Target {
    fn read(host: Option<&str>, port: Option<&str>) -> Result<Self, Verdict> {
        let host = host.filter(|host| !host.is_empty()).ok_or(Verdict::ConfigInvalid)?;
        // Parsing alone would also take "+443".
        let digits = port.filter(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
        let port = digits.and_then(|port| port.parse().ok()).filter(|port| *port != 0);
        Ok(Self { host: host.to_owned(), port: port.ok_or(Verdict::ConfigInvalid)? })
    }
}

impl Round {
    /// Ends the barrier, or lets it try again.
    pub fn verdict(self) -> Option<Verdict> {
        (self.api && !self.canary).then_some(Verdict::PolicyReady)
    }
}

impl Verdict {
    /// How the process ends. The reference knows 0 and 1 only, for ready and for all else.
    pub fn exit(self) -> Exit {
        match self {
            Self::CanaryUnresolved => Exit::FenceBlind,
            Self::ConfigInvalid => Exit::Config,
            Self::PolicyNotReady => Exit::FenceOpen,
            Self::PolicyReady => Exit::Done,
            Self::ProbeFailed => Exit::Os,
        }
    }

    /// The termination message, without a newline.
    pub fn message(self) -> Message {
        Message { schema_version: 1, ready: self == Self::PolicyReady, code: self }
    }
}

/// What the reference's tools read from the Pod's status, as compact JSON.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    schema_version: u32,
    ready: bool,
    code: Verdict,
}

const PLACEHOLDER: &str = "replace-with-";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_answering_api_and_a_silent_canary_in_one_round_are_ready() {
        for (api, canary) in [(false, false), (false, true), (true, true)] {
            assert_eq!(Round { api, canary }.verdict(), None);
        }
        assert_eq!(Round { api: true, canary: false }.verdict(), Some(Verdict::PolicyReady));
    }

    #[test]
    fn a_port_is_one_to_65535_in_plain_digits() {
        let read =
            |port| Targets::read(Some("10.0.0.1"), Some("443"), Some("canary"), port).map(|t| t.canary.port);
        assert_eq!((read(Some("1")), read(Some("65535"))), (Ok(1), Ok(65535)));
        for port in
            [None, Some(""), Some("0"), Some("65536"), Some("-1"), Some("+1"), Some("443 "), Some("4.0")]
        {
            assert_eq!(read(port), Err(Verdict::ConfigInvalid), "{port:?}");
        }
    }
}
