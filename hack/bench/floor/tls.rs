//! The TLS under both connections: one authority, one name.

use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::ClientConnection;
use rustls::RootCertStore;
use rustls::StreamOwned;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::ServerName;
use rustls::pki_types::pem::PemObject;

use super::Result;

pub(crate) type Stream = StreamOwned<ClientConnection, TcpStream>;

/// Shakes hands, believing whom the PEM file names and nobody else.
pub(crate) fn handshake(ca: &Path, name: &str, mut socket: TcpStream) -> Result<Stream> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(ca)?)?;
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let mut connection = ClientConnection::new(Arc::new(config), ServerName::try_from(name.to_owned())?)?;
    while connection.is_handshaking() {
        connection.complete_io(&mut socket)?;
    }
    Ok(StreamOwned::new(connection, socket))
}
