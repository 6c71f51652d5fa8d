//! The certificate authorities a database's certificate must come from: one mounted file, read strictly.
//!
//! The file is all we trust, so nothing in it is passed over: between the CERTIFICATE blocks (RFC 7468) there
//! is white space and nothing else, and each block is a CA. A bundle with comments or a pinned leaf is refused
//! with the place where it stands.

use std::path::Path;

use sha2::Digest;
use sha2::Sha256;
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer;

use crate::code::Code;
use crate::exit::Exit;
use crate::file;
use crate::file::Links;
use crate::tls::pem;
use crate::tls::pem::Between;

/// 1 to 16 CA certificates, no two of them the same, as DER in the order of the file.
#[derive(Clone, Debug)]
pub struct Authorities(Vec<Vec<u8>>);

impl Authorities {
    /// Reads the file; it may be a link, as in a projected volume, but not writable for group or others.
    pub fn read(path: &Path) -> Result<Self, Error> {
        if path.as_os_str().as_encoded_bytes().iter().any(|byte| b"\r\n".contains(byte)) {
            return Err(Error::InvalidPath);
        }
        let content = file::read(path, MAX_BYTES, Links::Follow).map_err(Error::from_file)?;
        if content.mode & 0o022 != 0 {
            return Err(Error::InsecurePermissions);
        }
        Self::parse(content.bytes.expose())
    }

    /// Parses the text of such a file.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        std::str::from_utf8(text).map_err(|_invalid| Error::InvalidEncoding)?;
        let blocks = pem::read(text, Between::Whitespace).map_err(Error::from_pem)?;
        if blocks.is_empty() {
            return Err(Error::InvalidPem { line: text.split(|byte| *byte == b'\n').count().max(2) - 1 });
        }
        if blocks.len() > MAX_CERTIFICATES {
            return Err(Error::TooManyCertificates);
        }
        let mut fingerprints = Vec::new();
        for (position, block) in (1..).zip(&blocks) {
            let der = block.der.expose();
            let certificate = match X509Certificate::from_der(der) {
                Ok(([], certificate)) if block.label == CERTIFICATE => certificate,
                Ok(_) | Err(_) => return Err(Error::InvalidPem { line: block.line }),
            };
            if !is_authority(&certificate) {
                return Err(Error::NotCa { position });
            }
            let fingerprint = Sha256::digest(der);
            if fingerprints.contains(&fingerprint) {
                return Err(Error::DuplicateCertificate { position });
            }
            fingerprints.push(fingerprint);
        }
        Ok(Self(blocks.into_iter().map(|block| block.der.expose().to_vec()).collect()))
    }

    /// Each certificate as DER.
    pub fn certificates(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(Vec::as_slice)
    }
}

/// Basic constraints say CA, and the key usage, where there is one, lets it sign certificates.
fn is_authority(certificate: &X509Certificate<'_>) -> bool {
    let constrained = certificate.basic_constraints().ok().flatten().is_some_and(|found| found.value.ca);
    let signs = match certificate.key_usage() {
        Ok(usage) => usage.is_none_or(|found| found.value.key_cert_sign()),
        Err(_malformed) => false,
    };
    constrained && signs
}

/// A CA file that cannot be trusted as it is.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// It was written to while we read; run again.
    #[error("the CA file changed while it was read")]
    ChangedDuringRead,
    /// Take the second copy of the certificate out.
    #[error("certificate {position} of the CA file stands there twice")]
    DuplicateCertificate {
        /// 1-based place of the second copy.
        position: usize,
    },
    /// Take the write permission of group and others away.
    #[error("the CA file may be written by its group or by others")]
    InsecurePermissions,
    /// The file is not text.
    #[error("the CA file is not UTF-8")]
    InvalidEncoding,
    /// The path is not absolute, too long, or has a NUL, CR or LF.
    #[error("the path of the CA file is not an absolute path on one line")]
    InvalidPath,
    /// Keep CERTIFICATE blocks only: no comments, keys or damaged lines.
    #[error("the CA file has something other than whole CERTIFICATE blocks at line {line}")]
    InvalidPem {
        /// 1-based line.
        line: usize,
    },
    /// The file is empty or over 256 KiB.
    #[error("the CA file is empty or larger than {MAX_BYTES} bytes")]
    InvalidSize,
    /// A leaf cannot be pinned here: mount the certificate of the CA that issued it.
    #[error("certificate {position} of the CA file is not a CA but a leaf")]
    NotCa {
        /// 1-based place in the file.
        position: usize,
    },
    /// A directory, pipe, socket or device stands there.
    #[error("the CA file is not a regular file")]
    NotRegular,
    /// At most 16 certificates are taken.
    #[error("the CA file has more than {MAX_CERTIFICATES} certificates")]
    TooManyCertificates,
    /// Nothing is there, or it may not be read.
    #[error("the CA file cannot be read")]
    Unavailable,
}

impl Error {
    fn from_pem(error: pem::Error) -> Self {
        match error {
            pem::Error::Damaged { line, .. } | pem::Error::Foreign { line } => Self::InvalidPem { line },
        }
    }

    fn from_file(error: file::Error) -> Self {
        match error {
            file::Error::Absent | file::Error::Link | file::Error::Unreadable(_) => Self::Unavailable,
            file::Error::Changed => Self::ChangedDuringRead,
            file::Error::InvalidPath => Self::InvalidPath,
            file::Error::NotRegular => Self::NotRegular,
            file::Error::Size { .. } => Self::InvalidSize,
        }
    }

    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::ChangedDuringRead => &CHANGED_DURING_READ,
            Self::DuplicateCertificate { .. } => &DUPLICATE_CERTIFICATE,
            Self::InsecurePermissions => &INSECURE_PERMISSIONS,
            Self::InvalidEncoding => &INVALID_ENCODING,
            Self::InvalidPath => &INVALID_PATH,
            Self::InvalidPem { .. } => &INVALID_PEM,
            Self::InvalidSize => &INVALID_SIZE,
            Self::NotCa { .. } => &NOT_CA,
            Self::NotRegular => &NOT_REGULAR,
            Self::TooManyCertificates => &TOO_MANY_CERTIFICATES,
            Self::Unavailable => &UNAVAILABLE,
        }
    }
}

const CERTIFICATE: &str = "CERTIFICATE";
const MAX_BYTES: usize = 262_144;
const MAX_CERTIFICATES: usize = 16;

/// The codes of this module.
pub static CODES: &[&Code] = &[
    &CHANGED_DURING_READ,
    &DUPLICATE_CERTIFICATE,
    &INSECURE_PERMISSIONS,
    &INVALID_ENCODING,
    &INVALID_PATH,
    &INVALID_PEM,
    &INVALID_SIZE,
    &NOT_CA,
    &NOT_REGULAR,
    &TOO_MANY_CERTIFICATES,
    &UNAVAILABLE,
];

const fn code(code: &'static str, exit: Exit, meaning: &'static str, remedy: &'static str) -> Code {
    Code { code, reference: None, name: "PostgresCertificateAuthorityFileError", exit, meaning, remedy }
}

static CHANGED_DURING_READ: Code = code(
    "QL3_POSTGRES_CA_CHANGED_DURING_READ",
    Exit::TryAgain,
    "the database's CA file was written to while it was read",
    "run the same command again; if it repeats, find out who writes the file",
);
static DUPLICATE_CERTIFICATE: Code = code(
    "QL3_POSTGRES_CA_DUPLICATE_CERTIFICATE",
    Exit::Data,
    "the database's CA file holds one certificate twice",
    "take the second copy out of the Secret that is mounted there",
);
static INSECURE_PERMISSIONS: Code = code(
    "QL3_POSTGRES_CA_INSECURE_PERMISSIONS",
    Exit::Config,
    "the database's CA file may be written by its group or by others",
    "mount it with mode 0440 or 0444",
);
static INVALID_ENCODING: Code = code(
    "QL3_POSTGRES_CA_INVALID_ENCODING",
    Exit::Data,
    "the database's CA file is not text",
    "mount the certificate in PEM form, not as DER",
);
static INVALID_PATH: Code = code(
    "QL3_POSTGRES_CA_INVALID_PATH",
    Exit::Config,
    "QL3_POSTGRES_TLS_CA_FILE is not an absolute path",
    "name the mounted file by its absolute path",
);
static INVALID_PEM: Code = code(
    "QL3_POSTGRES_CA_INVALID_PEM",
    Exit::Data,
    "the database's CA file holds something other than whole CERTIFICATE blocks",
    "keep the blocks only: no comments, no keys, no damaged lines; the reason names the line",
);
static INVALID_SIZE: Code = code(
    "QL3_POSTGRES_CA_INVALID_SIZE",
    Exit::Data,
    "the database's CA file is empty or larger than 256 KiB",
    "mount the one CA of the database, not a public bundle",
);
static NOT_CA: Code = code(
    "QL3_POSTGRES_CA_NOT_CA",
    Exit::Data,
    "the database's CA file holds a leaf certificate",
    "mount the certificate of the CA that issued it; a leaf cannot be pinned",
);
static NOT_REGULAR: Code = code(
    "QL3_POSTGRES_CA_NOT_REGULAR",
    Exit::Config,
    "a directory, pipe, socket or device stands where the database's CA file is expected",
    "check the mount's path and its items",
);
static TOO_MANY_CERTIFICATES: Code = code(
    "QL3_POSTGRES_CA_TOO_MANY_CERTIFICATES",
    Exit::Data,
    "the database's CA file holds more than 16 certificates",
    "mount the one CA of the database, not a public bundle",
);
static UNAVAILABLE: Code = code(
    "QL3_POSTGRES_CA_UNAVAILABLE",
    Exit::NoInput,
    "the database's CA file is not there or may not be read",
    "check the path and the mount; in the image user 10001 must be able to read it",
);

#[cfg(test)]
mod tests;
