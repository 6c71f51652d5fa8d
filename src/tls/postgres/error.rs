//! Why the database was not believed.

use crate::code::Code;
use crate::exit::Exit;
use crate::tls::refusal::Refusal;

/// A database that did not prove who it is, or a setting with which it could not.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// The certificate's time is over or has not begun: renew it, and look at both clocks.
    #[error("the database's certificate is not valid at this time")]
    Expired,
    /// No certificate was judged: no common version, a broken record, a connection that ended.
    #[error("the TLS handshake with the database failed")]
    Handshake,
    /// Another CA vouches for it than the mounted one: mount the right one, or find out who answers there.
    #[error("the database's certificate comes from an unknown authority")]
    Issuer,
    /// The certificate is for someone else: set the name it carries, or find out who answers there.
    #[error("the database's certificate is for another name")]
    Name,
    /// It answered that it does not speak TLS, which anyone on the way can do.
    #[error("the database does not offer TLS")]
    NotOffered,
    /// The certificate has another fault: issue another one.
    #[error("the database's certificate was refused: {0}")]
    Refused(&'static str),
    /// The name to verify is not a DNS name of two or more labels.
    #[error("the server name is not a DNS name of at least two labels")]
    ServerName,
    /// The mounted authorities cannot be used: a key too small, an algorithm unknown.
    #[error("no TLS client can be made with these authorities")]
    Unusable,
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::Expired => &EXPIRED,
            Self::Handshake => &HANDSHAKE,
            Self::Issuer => &ISSUER,
            Self::Name => &NAME,
            Self::NotOffered => &NOT_OFFERED,
            Self::Refused(_) => &REFUSED,
            Self::ServerName => &SERVER_NAME,
            Self::Unusable => &UNUSABLE,
        }
    }
}

impl From<Option<Refusal>> for Error {
    /// A handshake that failed of something else than TLS has failed all the same.
    fn from(refusal: Option<Refusal>) -> Self {
        match refusal {
            None | Some(Refusal::Handshake) => Self::Handshake,
            Some(Refusal::Expired) => Self::Expired,
            Some(Refusal::Issuer) => Self::Issuer,
            Some(Refusal::Name) => Self::Name,
            Some(Refusal::Unacceptable(why)) => Self::Refused(why),
        }
    }
}

/// The codes of this module.
pub static CODES: &[&Code] =
    &[&EXPIRED, &HANDSHAKE, &ISSUER, &NAME, &NOT_OFFERED, &REFUSED, &SERVER_NAME, &UNUSABLE];

static EXPIRED: Code = Code::own(
    "QL3_POSTGRES_TLS_CERTIFICATE_EXPIRED",
    Exit::Peer,
    "the database's certificate is expired or not yet valid",
    "renew the certificate; compare the clocks of this node and of the database",
);
static HANDSHAKE: Code = Code::own(
    "QL3_POSTGRES_TLS_HANDSHAKE_FAILED",
    Exit::Peer,
    "the TLS handshake with the database failed before a certificate was judged",
    "check that the port is PostgreSQL's and that the server speaks TLS 1.2 or later",
);
static ISSUER: Code = Code::own(
    "QL3_POSTGRES_TLS_ISSUER_UNKNOWN",
    Exit::Peer,
    "the database's certificate comes from another CA than the mounted one",
    "mount the CA that issued it; if that is mounted, find out who answers at this address",
);
static NAME: Code = Code::own(
    "QL3_POSTGRES_TLS_NAME_MISMATCH",
    Exit::Peer,
    "the database's certificate is for another name than QL3_POSTGRES_TLS_SERVERNAME",
    "set a name that stands in the certificate as a SAN (a common name does not count), or find out who answers",
);
static NOT_OFFERED: Code = Code::own(
    "QL3_POSTGRES_TLS_NOT_OFFERED",
    Exit::Peer,
    "the database answered that it does not speak TLS",
    "switch TLS on in the server; never fall back to plaintext on a network you do not own",
);
static REFUSED: Code = Code::own(
    "QL3_POSTGRES_TLS_CERTIFICATE_REFUSED",
    Exit::Peer,
    "the database's certificate did not pass verification",
    "issue a server certificate (version 3, CA:FALSE, serverAuth, SHA-2) from the mounted CA",
);
static SERVER_NAME: Code = Code::type_error(
    "QL3_POSTGRES_TLS_SERVERNAME_INVALID",
    Exit::Config,
    "QL3_POSTGRES_TLS_SERVERNAME is not a DNS name of two or more labels",
    "use a name the certificate carries, for example ql3-postgres-rw.qinglong3-system.svc",
);
static UNUSABLE: Code = Code::type_error(
    "QL3_POSTGRES_TLS_AUTHORITIES_UNUSABLE",
    Exit::Config,
    "no TLS client can be made with the mounted CA certificates",
    "check the key size and the algorithm of the CA",
);
