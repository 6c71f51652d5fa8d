//! Why a TLS peer was not believed, in the words of an operator instead of the library's.

use std::error::Error as StdError;
use std::io;

use rustls::CertificateError;

/// What a handshake failed of.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// Its certificate's time is over, or has not begun.
    #[error("its certificate is not valid at this time")]
    Expired,
    /// No certificate was judged: no common version, a broken record, an alert, a connection that ended.
    #[error("it does not speak TLS as expected")]
    Handshake,
    /// Another authority vouches for it than the expected one.
    #[error("its certificate is not from the expected authority")]
    Issuer,
    /// Its certificate is for somebody else; a common name does not count (RFC 9525).
    #[error("its certificate bears another name")]
    Name,
    /// Its certificate has another fault.
    #[error("its certificate is not acceptable: {0}")]
    Unacceptable(&'static str),
}

impl Refusal {
    /// Finds the library's verdict in an error and its sources; `None` where TLS is not what failed.
    pub fn find(error: &(dyn StdError + 'static)) -> Option<Self> {
        if let Some(error) = error.downcast_ref::<rustls::Error>() {
            return Some(Self::of(error));
        }
        // `io::Error` hides what it was made of behind a method of its own.
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Self::find(inner),
            None => error.source().and_then(Self::find),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "both enums are rustls's and may grow")]
    fn of(error: &rustls::Error) -> Self {
        let rustls::Error::InvalidCertificate(invalid) = error else { return Self::Handshake };
        match invalid {
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. } => Self::Expired,
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => Self::Name,
            // A signature that does not fit: an authority of the same subject with another key.
            CertificateError::BadSignature | CertificateError::UnknownIssuer => Self::Issuer,
            CertificateError::BadEncoding => Self::Unacceptable("it cannot be read"),
            CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
                Self::Unacceptable("it is not for servers")
            }
            CertificateError::UnhandledCriticalExtension => {
                Self::Unacceptable("a critical extension is unknown")
            }
            CertificateError::Other(_) => {
                Self::Unacceptable("it is a CA's, or of a form that is not supported")
            }
            _ => Self::Unacceptable("a fault of another kind"),
        }
    }
}
