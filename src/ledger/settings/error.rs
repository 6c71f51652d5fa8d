//! What can be wrong with the settings of a session, found before anyone is dialled.

use super::url::Fault;
use crate::code::Code;
use crate::exit::Exit;
use crate::file;
use crate::tls::authority;
use crate::tls::postgres;

/// Settings that do not describe one session. The values are in no message.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// The source says what is wrong with the CA file.
    #[error("the database's authorities cannot be trusted")]
    Authority(#[source] authority::Error),
    /// Set one of the two.
    #[error("{0} and {1} are both set")]
    Both(&'static str, &'static str),
    /// The file that the variable names cannot be read.
    #[error("the file named by {name} cannot be used")]
    File {
        /// The variable.
        name: &'static str,
        /// Why not.
        #[source]
        source: file::Error,
    },
    /// The source says why no peer could be verified like this.
    #[error("the database's identity cannot be verified")]
    Identity(#[source] postgres::Error),
    /// Plaintext needs a second, explicit word.
    #[error("plaintext is asked for without QL3_POSTGRES_ALLOW_INSECURE=true")]
    Insecure,
    /// The value is too long, has a line end or a NUL, or is not of its form.
    #[error("{0} is malformed")]
    Malformed(&'static str),
    /// Required where no URL is given.
    #[error("{0} is not set")]
    Missing(&'static str),
    /// `verify-full` or `disable`.
    #[error("QL3_POSTGRES_TLS_MODE is neither verify-full nor disable")]
    Mode,
    /// Required for `verify-full`.
    #[error("{0} is not set")]
    TlsMissing(&'static str),
    /// The URL has something it may not have, or lacks something.
    #[error("the database's URL has {0}")]
    Url(Fault),
    /// Take the write permission of group and others away.
    #[error("the file named by {0} may be written by its group or by others")]
    Writable(&'static str),
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::Authority(source) => source.code(),
            Self::File { source, .. } => source.code(),
            Self::Identity(source) => source.code(),
            Self::Both(..) | Self::Malformed(_) | Self::Missing(_) | Self::Url(_) | Self::Writable(_) => {
                &ENVIRONMENT
            }
            Self::Insecure | Self::Mode | Self::TlsMissing(_) => &TLS_SETTINGS,
        }
    }
}

/// The codes of this module.
pub static CODES: &[&Code] = &[&ENVIRONMENT, &TLS_SETTINGS];

static ENVIRONMENT: Code = Code {
    code: "QL3_POSTGRES_CONNECTION_ENVIRONMENT_INVALID",
    reference: None,
    name: "PostgresConnectionEnvironmentError",
    exit: Exit::Config,
    meaning: "the variables that say where the database is and who logs in are incomplete or malformed",
    remedy: "set the URL or the discrete values, not both; percent-encode special characters in a URL",
};
static TLS_SETTINGS: Code = Code::type_error(
    "QL3_POSTGRES_TLS_SETTINGS_INVALID",
    Exit::Config,
    "the variables that say how the database proves who it is are incomplete or contradict each other",
    "set QL3_POSTGRES_TLS_CA_FILE and QL3_POSTGRES_TLS_SERVERNAME, and leave the mode at verify-full",
);
