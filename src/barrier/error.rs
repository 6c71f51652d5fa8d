//! Why there is no fence, or no knowing.

use super::code;
use super::fence::Role;
use super::proof::LIMIT;
use super::round::Blindness;
use super::verdict::Verdict;
use super::word::Word;
use crate::code::Code;
use crate::exit::Exit;
use crate::json;
use crate::names;

/// A barrier that is not passed, a control that reached nothing, a canary that does not listen.
#[derive(Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// Blind at the deadline; see why.
    #[error("{}", .0.map_or("no round ended", Blindness::reason))]
    Blind(Option<Blindness>),
    /// A canary name has more addresses than are dialled.
    #[error("the canary has more than {MAX_ADDRESSES} addresses")]
    CanaryCrowd,
    /// The canary's name has no address, so that its silence would prove nothing.
    #[error("the canary's name was not resolved")]
    CanaryUnresolved(#[source] names::Error),
    /// The control could not reach the canary.
    #[error("the control could not reach the canary: {0}")]
    ControlFailed(&'static str),
    /// A token is there already.
    #[error("a ServiceAccount's token is mounted into the barrier")]
    CredentialMounted,
    /// No control port, no proof, and no word that neither is wanted.
    #[error("nothing would show that the canary listens: no control port, no control proof")]
    Groundless,
    /// A host is missing or still a placeholder, or a port is none.
    #[error("the host or port of the {} is missing, malformed or a placeholder", .0.word())]
    Host(Role),
    /// The canary's listener failed.
    #[error("cannot listen")]
    Listen(std::io::ErrorKind),
    /// The nonce is missing or does not match its pattern.
    #[error("the nonce is not 16 to 128 characters of [A-Za-z0-9._:-]")]
    Nonce,
    /// Closed in the end, but not for long enough.
    #[error("the last rounds were closed, but not for long enough before the deadline")]
    NotHeld,
    /// A deny target answered.
    #[error("a path that must be closed is open")]
    Open,
    /// A proof without the command that it must be bound to.
    #[error("a control proof without the command file's bytes or the nonce")]
    ProofUnbound,
    /// A proof that is not for this operation, or not for now.
    #[error("the control proof is {}", .0.reason())]
    ProofForeign(Foreign),
    /// A proof that is JSON of another shape, or none.
    #[error("the control proof cannot be read")]
    ProofMalformed(#[source] json::Error),
    /// A proof whose values do not fit together.
    #[error("the control proof's window or addresses make no sense")]
    ProofShape,
    /// A proof of more bytes than are read.
    #[error("the control proof has more than {LIMIT} bytes")]
    ProofTooLarge,
    /// The API server's name has no address.
    #[error("the API server's name was not resolved")]
    ServerUnresolved(#[source] names::Error),
    /// SIGTERM or SIGINT.
    #[error("told to stop before there was a verdict")]
    Stopped,
}

/// What a proof was made for instead.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Foreign {
    /// Another address or port.
    Address,
    /// Another command file.
    Command,
    /// A time that has not come: the clocks differ.
    Early,
    /// A time that is over.
    Late,
    /// Another operation.
    Nonce,
}

impl Foreign {
    const fn reason(self) -> &'static str {
        match self {
            Self::Address => "for another address or port of the canary",
            Self::Command => "for another command file",
            Self::Early => "from the future",
            Self::Late => "over",
            Self::Nonce => "for another operation",
        }
    }
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::Blind(None) => &code::NO_ROUND,
            Self::Blind(Some(why)) => why.code(),
            Self::CanaryCrowd => &code::CANARY_CROWD,
            Self::CanaryUnresolved(_) => &code::CANARY_UNRESOLVED,
            Self::ControlFailed(_) => &code::CONTROL_FAILED,
            Self::CredentialMounted => &code::CREDENTIAL_MOUNTED,
            Self::Host(_) => &code::TARGET_INVALID,
            Self::Groundless => &code::GROUNDLESS,
            Self::Listen(_) => &code::LISTEN_FAILED,
            Self::Nonce => &code::NONCE_INVALID,
            Self::NotHeld => &code::NOT_HELD,
            Self::Open => &code::OPEN,
            Self::ProofForeign(why) => match why {
                Foreign::Address => &code::PROOF_ADDRESS,
                Foreign::Command => &code::PROOF_COMMAND,
                Foreign::Early | Foreign::Late => &code::PROOF_WINDOW,
                Foreign::Nonce => &code::PROOF_NONCE,
            },
            Self::ProofMalformed(_) | Self::ProofShape | Self::ProofTooLarge => &code::PROOF_MALFORMED,
            Self::ProofUnbound => &code::PROOF_UNBOUND,
            Self::ServerUnresolved(_) => &code::SERVER_UNRESOLVED,
            Self::Stopped => &code::STOPPED,
        }
    }

    /// The reference's word for it, which is all that its tools read.
    pub fn word(&self) -> Word {
        match (self, self.code().exit) {
            (Self::CanaryUnresolved(_), _) => Word::CanaryUnresolved,
            (_, Exit::Config) => Word::ConfigInvalid,
            (_, Exit::Os) => Word::ProbeFailed,
            _ => Word::PolicyNotReady,
        }
    }
}

impl Verdict {
    /// What it means for who waits to pass: all but *in force* is a failure.
    pub fn result(self) -> Result<(), Error> {
        match self {
            Self::InForce { .. } => Ok(()),
            Self::Open(_) => Err(Error::Open),
            Self::Closing => Err(Error::NotHeld),
            Self::Blind(why) => Err(Error::Blind(why)),
        }
    }
}

impl Blindness {
    /// One fragment.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::ApiLost => "the API server did not answer",
            Self::CanaryLost => "the canary's control port did not answer",
            Self::FamilyUnproven => "nothing answers in the address family of a deny target",
            Self::Intercepted => "an address that nobody has accepted a connection",
            Self::Local(_) => "the operating system refused to dial",
            Self::NoWay => "there is no way to a deny target",
            Self::Reset => "a deny target answered with a reset, as a closed port does",
            Self::Slow => "the controls were slower than silence was waited for",
            Self::Untestified => "the canary did not testify that it serves the deny target",
        }
    }

    fn code(self) -> &'static Code {
        match self {
            Self::ApiLost => &code::API_LOST,
            Self::CanaryLost => &code::CANARY_LOST,
            Self::FamilyUnproven => &code::FAMILY_UNPROVEN,
            Self::Intercepted => &code::INTERCEPTED,
            Self::Local(_) => &code::DIAL_REFUSED,
            Self::NoWay => &code::NO_WAY,
            Self::Reset => &code::RESET,
            Self::Slow => &code::SLOW,
            Self::Untestified => &code::UNTESTIFIED,
        }
    }
}

/// Addresses of a name.
pub(super) const MAX_ADDRESSES: usize = 16;
