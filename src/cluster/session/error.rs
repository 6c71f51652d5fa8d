//! Why a request has no usable answer.

use http::StatusCode;

use crate::cluster::bearer::TokenError;
use crate::cluster::session::wire::Fault;
use crate::code::Code;
use crate::exit::Exit;
use crate::json;
use crate::names;
use crate::tls::refusal::Refusal;

/// A request without a usable answer. Nothing of an answer's text is repeated.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// A success whose content type is not JSON.
    #[error("the answer is not JSON")]
    ContentType,
    /// A success whose body is not acceptable JSON.
    #[error("the answer's body cannot be parsed")]
    Json(#[source] json::Error),
    /// A success with another object.
    #[error("the answer is not a {expected}")]
    Kind {
        /// The kind asked for.
        expected: &'static str,
    },
    /// The deadline had passed before the request was begun.
    #[error("the time was up before the request was sent")]
    Late,
    /// The connection ended before an answer; the request may have been acted on.
    #[error("the connection ended without an answer")]
    Lost,
    /// The server's name has no address, or nobody said so in time.
    #[error("the server's name was not resolved")]
    Name(#[source] names::Error),
    /// An answer that is not a success.
    #[error("the answer's status is {}", .0.as_u16())]
    Status(StatusCode),
    /// No answer, or no whole answer, within the time it may take.
    #[error("no answer in time")]
    TimedOut,
    /// The TLS handshake failed.
    #[error("the server could not prove who it is: {0}")]
    Tls(Refusal),
    /// The token cannot be read or used.
    #[error("the token cannot be used")]
    Token(#[source] TokenError),
    /// The body is larger than an answer of its kind can be.
    #[error("the answer's body has more than {limit} bytes")]
    TooLarge {
        /// Bytes allowed.
        limit: usize,
    },
    /// The body ended before its end.
    #[error("the answer's body is cut off")]
    Truncated,
    /// No connection was made.
    #[error("no connection could be made")]
    Unreachable,
    /// The request cannot be put together.
    #[error("the request cannot be put together")]
    Unsendable,
}

impl Error {
    /// What became of a request that the client gave back.
    pub(super) fn lost(error: &kube::Error) -> Self {
        let fault = if let kube::Error::Service(error) = error { error.downcast_ref() } else { None };
        match fault {
            Some(Fault::Name(error)) => Self::Name(*error),
            Some(Fault::Tls(refusal)) => Self::Tls(*refusal),
            Some(Fault::Unreachable) => Self::Unreachable,
            Some(Fault::Lost) | None => Self::Lost,
        }
    }

    /// Whether the request certainly never left.
    pub(crate) fn unsent(&self) -> bool {
        matches!(
            self,
            Self::Late | Self::Name(_) | Self::Tls(_) | Self::Token(_) | Self::Unreachable | Self::Unsendable
        )
    }

    /// Whether the status leaves open what was done: the server failed, or somebody on the way stopped waiting
    /// (408). A 429 is said before anything is done.
    pub(crate) fn leaves_open(&self) -> bool {
        matches!(self, Self::Status(status) if matches!(status.as_u16(), 408 | 500..))
    }

    /// Whether the next request must not queue behind this one.
    pub(super) fn breaks_connection(&self) -> bool {
        matches!(self, Self::Lost | Self::TimedOut | Self::TooLarge { .. } | Self::Truncated)
    }

    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::ContentType => &CONTENT_TYPE,
            Self::Json(_) => &JSON_INVALID,
            Self::Kind { .. } => &KIND,
            Self::Late => &LATE,
            Self::Lost => &LOST,
            Self::Name(error) if error.is_of_settings() => error.code(),
            Self::Name(_) | Self::Unreachable => &UNREACHABLE,
            Self::Status(status) => of_status(*status),
            Self::TimedOut => &TIMED_OUT,
            Self::Tls(_) => &TLS,
            Self::Token(error) => error.code(),
            Self::TooLarge { .. } => &BODY_TOO_LARGE,
            Self::Truncated => &BODY_TRUNCATED,
            Self::Unsendable => &UNSENDABLE,
        }
    }
}

fn of_status(status: StatusCode) -> &'static Code {
    match status.as_u16() {
        401 | 403 => &DENIED,
        404 => &ABSENT,
        408 | 429 | 500.. => &FAILED,
        400..=499 => &REFUSED,
        _ => &REDIRECTED,
    }
}

/// The codes of this module. The reference prints a bare `Error` for them.
pub static CODES: &[&Code] = &[
    &ABSENT,
    &BODY_TOO_LARGE,
    &BODY_TRUNCATED,
    &CONTENT_TYPE,
    &DENIED,
    &FAILED,
    &JSON_INVALID,
    &KIND,
    &LATE,
    &LOST,
    &REDIRECTED,
    &REFUSED,
    &TIMED_OUT,
    &TLS,
    &UNREACHABLE,
    &UNSENDABLE,
];

static ABSENT: Code = Code::own(
    "QL3_CLUSTER_API_NOT_FOUND",
    Exit::NoInput,
    "the API server knows no such object or path",
    "check namespace and name, and that the URL is an API server's",
);

static BODY_TOO_LARGE: Code = Code::own(
    "QL3_CLUSTER_API_BODY_TOO_LARGE",
    Exit::Peer,
    "an answer of the API server is larger than its kind can be",
    "find out who answers at that address",
);

static BODY_TRUNCATED: Code = Code::own(
    "QL3_CLUSTER_API_BODY_TRUNCATED",
    Exit::Unavailable,
    "an answer of the API server was cut off",
    "run the same command again; if it repeats, look at proxies and load balancers on the way",
);

static CONTENT_TYPE: Code = Code::own(
    "QL3_CLUSTER_API_CONTENT_TYPE",
    Exit::Peer,
    "an answer of the API server is not JSON",
    "find out who answers at that address: a proxy or a log-in page, perhaps",
);

static DENIED: Code = Code::own(
    "QL3_CLUSTER_API_DENIED",
    Exit::Denied,
    "the API server refuses the credential or the request (401, 403)",
    "check Role, RoleBinding and the token's lifetime and audience",
);

static FAILED: Code = Code::own(
    "QL3_CLUSTER_API_FAILED",
    Exit::Unavailable,
    "the API server could not answer (408, 429 or 5xx)",
    "run the same command again when it has recovered",
);

static JSON_INVALID: Code = Code::own(
    "QL3_CLUSTER_API_JSON_INVALID",
    Exit::Peer,
    "an answer of the API server is not acceptable JSON",
    "find out who answers at that address",
);

static KIND: Code = Code::own(
    "QL3_CLUSTER_API_KIND",
    Exit::Peer,
    "the API server answered with another object than asked for",
    "find out who answers at that address",
);

static LATE: Code = Code::own(
    "QL3_CLUSTER_API_NO_TIME_LEFT",
    Exit::TryAgain,
    "the run's time was up before a request was sent",
    "run the same command again; if it repeats, with a longer `--deadline-seconds`",
);

static LOST: Code = Code::own(
    "QL3_CLUSTER_API_CONNECTION_LOST",
    Exit::Unavailable,
    "the connection to the API server ended without an answer",
    "run the same command again; if it repeats, look at proxies and load balancers on the way",
);

static REDIRECTED: Code = Code::own(
    "QL3_CLUSTER_API_REDIRECTED",
    Exit::Peer,
    "the API server's address answers with a redirect, which is never followed",
    "give the API server's own address instead of the one that redirects",
);

static REFUSED: Code = Code::own(
    "QL3_CLUSTER_API_REFUSED",
    Exit::Config,
    "the API server, or an admission policy, refuses the request (4xx)",
    "read the API server's audit log; check admission webhooks and policies",
);

static TIMED_OUT: Code = Code::own(
    "QL3_CLUSTER_API_TIMED_OUT",
    Exit::Unavailable,
    "the API server did not answer in time",
    "run the same command again when it has recovered",
);

static TLS: Code = Code::own(
    "QL3_CLUSTER_API_TLS",
    Exit::Peer,
    "the API server could not prove who it is",
    "check the CA bundle, and the names and dates of the server's certificate",
);

static UNREACHABLE: Code = Code::own(
    "QL3_CLUSTER_API_UNREACHABLE",
    Exit::Unavailable,
    "no connection to the API server could be made, or its name leads nowhere",
    "check name, address, port and the network policy's egress rules",
);

static UNSENDABLE: Code = Code::own(
    "QL3_CLUSTER_API_UNSENDABLE",
    Exit::Bug,
    "a request could not be put together",
    "report it as a bug, with the version and the termination message",
);
