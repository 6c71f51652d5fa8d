//! The control proof: somebody whom the policy does not select has reached the canary, for this operation, now.
//!
//! `barrier control` writes it, a ConfigMap carries it, the barrier reads it from its environment. It is bound
//! to the operation's nonce, to the bytes of the command file, to the addresses and port, and to a window.

use std::fmt;
use std::net::IpAddr;
use std::net::SocketAddr;
use std::time::Duration;

use serde::Deserialize;
use serde::Serialize;
use sha2::Digest as _;
use sha2::Sha256;

use super::error::Error;
use super::error::Foreign;
use super::settings::PLACEHOLDER;
use crate::json;
use crate::time::milliseconds;

/// What the control says.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Proof {
    schema: Schema,
    /// Which operation it is for.
    pub nonce: Nonce,
    /// Which command file: SHA-256 of its bytes.
    pub command_digest: CommandDigest,
    /// Every address of the canary that was reached, with the deny port.
    pub canary: Vec<SocketAddr>,
    /// Milliseconds since 1970-01-01 UTC: when the last of them was reached.
    pub not_before_ms: u64,
    /// After this moment it proves nothing.
    pub not_after_ms: u64,
    outcome: Outcome,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
enum Schema {
    #[serde(rename = "ql3-ops/barrier-control@v1")]
    V1,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
enum Outcome {
    #[serde(rename = "connected")]
    Connected,
}

/// 16 to 128 characters of `[A-Za-z0-9._:-]` that name one operation; no placeholder.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(try_from = "String")]
pub struct Nonce(String);

/// SHA-256 of a command file's bytes, as 64 lowercase hexadecimal digits.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(try_from = "String")]
pub struct CommandDigest(String);

/// What a proof must be bound to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Binding {
    /// The operation.
    pub nonce: Nonce,
    /// Its command file.
    pub command_digest: CommandDigest,
}

impl Proof {
    /// States that the canary was reached at these addresses.
    pub fn state(binding: Binding, canary: Vec<SocketAddr>, now_ms: u64, valid: Duration) -> Self {
        let Binding { nonce, command_digest } = binding;
        let not_after_ms = now_ms.saturating_add(milliseconds(valid));
        let (schema, outcome) = (Schema::V1, Outcome::Connected);
        Self { schema, nonce, command_digest, canary, not_before_ms: now_ms, not_after_ms, outcome }
    }

    /// Reads a statement of at most [`LIMIT`] bytes. No member may be missing, doubled or unknown.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        if text.len() > LIMIT {
            return Err(Error::ProofTooLarge);
        }
        let proof: Self = json::from_slice(text).map_err(Error::ProofMalformed)?;
        let ordered = proof.not_before_ms <= proof.not_after_ms
            && proof.not_after_ms - proof.not_before_ms <= milliseconds(LONGEST);
        if ordered && !proof.canary.is_empty() { Ok(proof) } else { Err(Error::ProofShape) }
    }

    /// The statement as one compact JSON text.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Whether it is for this operation and for now. Clocks of two nodes may differ by [`SKEW`].
    pub fn check(&self, binding: &Binding, now_ms: u64) -> Result<(), Error> {
        let Binding { nonce, command_digest } = binding;
        let foreign = if self.nonce != *nonce {
            Foreign::Nonce
        } else if self.command_digest != *command_digest {
            Foreign::Command
        } else {
            return self.check_window(now_ms);
        };
        Err(Error::ProofForeign(foreign))
    }

    /// Whether it is for now, whatever it is for.
    pub fn check_window(&self, now_ms: u64) -> Result<(), Error> {
        if now_ms.saturating_add(milliseconds(SKEW)) < self.not_before_ms {
            Err(Error::ProofForeign(Foreign::Early))
        } else if now_ms > self.not_after_ms {
            Err(Error::ProofForeign(Foreign::Late))
        } else {
            Ok(())
        }
    }

    /// Whether it covers every one of these addresses.
    pub fn covers(&self, canary: &[IpAddr], deny_port: u16) -> Result<(), Error> {
        let proven = |ip: &IpAddr| self.canary.contains(&SocketAddr::new(*ip, deny_port));
        if canary.iter().all(proven) { Ok(()) } else { Err(Error::ProofForeign(Foreign::Address)) }
    }
}

impl Nonce {
    /// Reads one.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte);
        let filled_in = !text.starts_with(PLACEHOLDER);
        let good = filled_in && (16..=128).contains(&text.len()) && text.bytes().all(plain);
        if good { Ok(Self(text.to_owned())) } else { Err(Error::Nonce) }
    }
}

impl TryFrom<String> for Nonce {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        Self::parse(&text)
    }
}

impl CommandDigest {
    /// Of the file's bytes, whatever they are.
    pub fn of(bytes: &[u8]) -> Self {
        let digits = |byte: u8| [byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16));
        Self(Sha256::digest(bytes).into_iter().flat_map(digits).flatten().collect())
    }
}

impl TryFrom<String> for CommandDigest {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        let digits =
            text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if digits { Ok(Self(text)) } else { Err(Error::ProofShape) }
    }
}

impl fmt::Display for CommandDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Bytes of a statement.
pub const LIMIT: usize = 4096;

/// How long a window may be.
pub const LONGEST: Duration = Duration::from_hours(1);

/// By how much the control's clock may be ahead of ours.
const SKEW: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;

    fn binding(nonce: &str, command: &[u8]) -> Binding {
        Binding { nonce: Nonce::parse(nonce).unwrap(), command_digest: CommandDigest::of(command) }
    }

    fn proof() -> Proof {
        let canary = vec!["192.0.2.1:9443".parse().unwrap(), "[2001:db8::1]:9443".parse().unwrap()];
        Proof::state(binding("operation-000001", b"{}"), canary, 1_000_000, Duration::from_mins(5))
    }

    #[test]
    fn a_statement_reads_back_and_has_the_documented_bytes() {
        let text = proof().text();
        assert_eq!(
            text,
            "{\"schema\":\"ql3-ops/barrier-control@v1\",\"nonce\":\"operation-000001\",\"commandDigest\":\
             \"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a\",\"canary\":\
             [\"192.0.2.1:9443\",\"[2001:db8::1]:9443\"],\"notBeforeMs\":1000000,\"notAfterMs\":1300000,\
             \"outcome\":\"connected\"}"
        );
        assert_eq!(Proof::parse(text.as_bytes()), Ok(proof()));
    }

    #[test]
    fn what_is_missing_doubled_unknown_or_of_another_shape_is_refused() {
        let text = proof().text();
        let with = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            Proof::parse(text.replacen(from, to, 1).as_bytes()).unwrap_err()
        };
        for (from, to) in [
            ("\"nonce\":\"operation-000001\",", ""),
            ("\"nonce\":", "\"nonce\":\"operation-000001\",\"nonce\":"),
            ("\"nonce\":", "\"n\\u006fnce\":\"operation-000001\",\"nonce\":"),
            ("\"outcome\":", "\"note\":1,\"outcome\":"),
            ("control@v1", "control@v2"),
            ("\"connected\"", "\"refused\""),
            ("operation-000001", "short"),
            ("44136f", "44136F"),
            ("192.0.2.1:9443", "canary:9443"),
            ("1000000", "1e6"),
            ("1000000", "-1"),
            ("}", "} {}"),
        ] {
            assert!(matches!(with(from, to), Error::ProofMalformed(_)), "{from} -> {to}");
        }
        // Ends before it begins; longer than an hour; nothing reached.
        for (from, to) in [
            ("1300000", "999999"),
            ("1300000", "4600001"),
            ("[\"192.0.2.1:9443\",\"[2001:db8::1]:9443\"]", "[]"),
        ] {
            assert_eq!(with(from, to), Error::ProofShape, "{from} -> {to}");
        }
        let padded = format!("{text}{}", " ".repeat(LIMIT - text.len()));
        assert_eq!(Proof::parse(padded.as_bytes()), Ok(proof()));
        assert_eq!(Proof::parse(format!("{padded} ").as_bytes()), Err(Error::ProofTooLarge));
    }

    #[test]
    fn it_holds_for_one_operation_one_command_and_one_window() {
        let good = binding("operation-000001", b"{}");
        let at = |now| proof().check(&good, now);
        let foreign = |why| Err(Error::ProofForeign(why));
        assert_eq!((at(995_000), at(1_000_000), at(1_300_000)), (Ok(()), Ok(()), Ok(())));
        assert_eq!((at(994_999), at(1_300_001)), (foreign(Foreign::Early), foreign(Foreign::Late)));
        let check = |binding| proof().check(&binding, 1_000_000);
        assert_eq!(check(binding("operation-000002", b"{}")), foreign(Foreign::Nonce));
        assert_eq!(check(binding("operation-000001", b"{} ")), foreign(Foreign::Command));
    }

    #[test]
    fn it_covers_exactly_the_addresses_that_were_reached() {
        let covers = |ips: &[&str], port| {
            proof().covers(&ips.iter().map(|ip| ip.parse().unwrap()).collect::<Vec<_>>(), port).is_ok()
        };
        assert!(covers(&["192.0.2.1"], 9443) && covers(&["2001:db8::1", "192.0.2.1"], 9443));
        assert!(!covers(&["192.0.2.1"], 9444) && !covers(&["192.0.2.1", "192.0.2.2"], 9443));
    }
}
