//! Certificates from files and kubeconfig values into one TLS configuration. No certificate of the system
//! is trusted, and the provider is passed in: no process-wide default is looked up.

use std::path::Path;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::PrivatePkcs1KeyDer;
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::PrivateSec1KeyDer;
use x509_parser::prelude::FromDer;
use x509_parser::prelude::X509Certificate;

use crate::cluster::authority::Error;
use crate::file;
use crate::file::Links;
use crate::hidden::Hidden;
use crate::tls::pem;
use crate::tls::pem::Between;
use crate::tls::pem::Block;

/// A client certificate with its chain, and its key.
pub(super) struct Identity {
    pub(super) certificate: Hidden,
    pub(super) key: Hidden,
}

/// Reads a file with certificates.
pub(super) fn file(path: &Path) -> Result<Hidden, Error> {
    file::read(path, MAX_FILE, Links::Follow)
        .map(|content| content.bytes)
        .map_err(Error::CertificateUnreadable)
}

/// Every certificate of a bundle as a root. Comments, CRLF and several certificates of one subject are
/// fine; anything that would be passed over in silence is refused.
pub(super) fn authorities(text: &Hidden) -> Result<RootCertStore, Error> {
    let mut roots = RootCertStore::empty();
    let blocks = pem::read(text.expose(), Between::Comments).map_err(Error::CaDamaged)?;
    for (index, block) in blocks.iter().enumerate() {
        let at = index + 1;
        let damaged = Error::CaDamaged(pem::Error::Damaged { block: at, line: block.line });
        let certificate = match X509Certificate::from_der(block.der.expose()) {
            Ok(([], certificate)) if block.label == CERTIFICATE => certificate,
            _ => return Err(damaged),
        };
        if !certificate.is_ca() {
            return Err(Error::CaIsLeaf { block: at });
        }
        roots.add(der(block)).map_err(|_invalid| damaged)?;
    }
    if roots.is_empty() { Err(Error::CaEmpty) } else { Ok(roots) }
}

/// The client side of TLS 1.2 and 1.3. ALPN is left to the connector.
pub(super) fn tls(roots: RootCertStore, identity: Option<&Identity>) -> Result<ClientConfig, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|_unsupported| Error::CertificateInvalid)?
        .with_root_certificates(roots);
    match identity {
        None => Ok(config.with_no_client_auth()),
        Some(identity) => {
            let blocks = pem::read(identity.certificate.expose(), Between::Comments);
            let blocks = blocks.map_err(|_damaged| Error::CertificateInvalid)?;
            let chain = blocks.iter().filter(|block| block.label == CERTIFICATE).map(der).collect();
            let key = private_key(&identity.key)?;
            config.with_client_auth_cert(chain, key).map_err(|_mismatch| Error::CertificateInvalid)
        }
    }
}

fn der(block: &Block) -> CertificateDer<'static> {
    CertificateDer::from(block.der.expose().to_vec())
}

/// The first private key; `openssl` likes to put curve parameters before it.
fn private_key(text: &Hidden) -> Result<PrivateKeyDer<'static>, Error> {
    let blocks = pem::read(text.expose(), Between::Comments).map_err(|_damaged| Error::CertificateInvalid)?;
    let key = blocks.iter().find_map(|block| {
        let bytes = || block.der.expose().to_vec();
        match block.label.as_str() {
            "PRIVATE KEY" => Some(PrivatePkcs8KeyDer::from(bytes()).into()),
            "RSA PRIVATE KEY" => Some(PrivatePkcs1KeyDer::from(bytes()).into()),
            "EC PRIVATE KEY" => Some(PrivateSec1KeyDer::from(bytes()).into()),
            _ => None,
        }
    });
    key.ok_or(Error::CertificateInvalid)
}

const CERTIFICATE: &str = "CERTIFICATE";

/// Bytes of a certificate or key file.
const MAX_FILE: usize = 256 * 1024;
