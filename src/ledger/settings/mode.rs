//! How the database proves who it is: fully, or, if somebody says so twice, not at all.

use std::ffi::OsString;
use std::path::PathBuf;

use super::Error;
use super::text;
use crate::file;
use crate::tls::authority::Authorities;
use crate::tls::postgres::Identity;
use crate::tls::postgres::ServerName;

/// How the peer is to be proven.
pub(super) enum Mode {
    Disable,
    VerifyFull { ca: PathBuf, server: ServerName },
}

impl Mode {
    pub(super) fn read(lookup: &impl Fn(&str) -> Option<OsString>) -> Result<Self, Error> {
        let [mode, insecure, ca, server] = TLS;
        let read = |name| text(name, file::MAX_PATH, lookup(name));
        match lookup(mode).as_deref().map(|value| value.to_str().unwrap_or_default()) {
            None | Some("verify-full") => Ok(Self::VerifyFull {
                ca: read(ca)?.map(PathBuf::from).ok_or(Error::TlsMissing(ca))?,
                server: ServerName::parse(&read(server)?.ok_or(Error::TlsMissing(server))?)
                    .map_err(Error::Identity)?,
            }),
            Some("disable") if lookup(insecure).is_some_and(|value| value == "true") => Ok(Self::Disable),
            Some("disable") => Err(Error::Insecure),
            Some(_) => Err(Error::Mode),
        }
    }

    pub(super) fn identity(self) -> Result<Option<Identity>, Error> {
        match self {
            Self::Disable => Ok(None),
            Self::VerifyFull { ca, server } => {
                let authorities = Authorities::read(&ca).map_err(Error::Authority)?;
                Identity::new(&authorities, server).map(Some).map_err(Error::Identity)
            }
        }
    }
}

/// Mode, permission, authorities, name.
pub(super) const TLS: [&str; 4] = [
    "QL3_POSTGRES_TLS_MODE",
    "QL3_POSTGRES_ALLOW_INSECURE",
    "QL3_POSTGRES_TLS_CA_FILE",
    "QL3_POSTGRES_TLS_SERVERNAME",
];
