//! The TLS client of the database session: who must answer is fixed before anyone is dialled.
//!
//! libpq calls this `sslmode=verify-full`, with one difference: the name that the certificate must carry is
//! configured on its own, so that a tunnel or a cluster address may be dialled. Only the mounted authorities
//! are trusted; neither the host's CA bundle nor `SSL_CERT_FILE` is ever opened.

mod error;
mod stream;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::RootCertStore;
use rustls::client::Resumption;
use rustls::pki_types;
use rustls::pki_types::CertificateDer;
use tokio::io::AsyncRead;
use tokio::io::AsyncWrite;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::tls::TlsConnect;
use tokio_rustls::TlsConnector;

use crate::tls::authority::Authorities;
use crate::tls::refusal::Refusal;

pub use error::CODES;
pub use error::Error;
pub use stream::Stream;

/// A DNS name of at least two labels, 3 to 253 characters, that the certificate must carry.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ServerName(String);

impl ServerName {
    /// Parses it; an IP address is no name.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let label = |label: &str| {
            (1..=63).contains(&label.len())
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        let fits = (3..=253).contains(&text.len())
            && text.contains('.')
            && text.split('.').all(label)
            && text.parse::<std::net::IpAddr>().is_err();
        if fits { Ok(Self(text.to_owned())) } else { Err(Error::ServerName) }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whom we talk to: one of these authorities must vouch for this name, over TLS 1.2 or 1.3.
#[derive(Clone)]
pub struct Identity {
    client: Arc<ClientConfig>,
    name: ServerName,
}

impl Identity {
    /// Fixes authorities and name. Nothing is dialled and no file is read; the provider is passed in, so that no
    /// process-wide default is looked up.
    pub fn new(authorities: &Authorities, name: ServerName) -> Result<Self, Error> {
        let mut roots = RootCertStore::empty();
        for der in authorities.certificates() {
            roots.add(CertificateDer::from(der)).map_err(|_invalid| Error::Unusable)?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut client = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|_unsupported| Error::Unusable)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        // One session is opened, hardly ever a second.
        client.resumption = Resumption::disabled();
        Ok(Self { client: Arc::new(client), name })
    }
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Identity").field(&self.name.as_str()).finish()
    }
}

impl<S> MakeTlsConnect<S> for Identity
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Stream<S>;
    type TlsConnect = Self;
    type Error = Error;

    /// The dialled host is not looked at: the name to verify is ours.
    fn make_tls_connect(&mut self, _dialled: &str) -> Result<Self, Error> {
        Ok(self.clone())
    }
}

impl<S> TlsConnect<S> for Identity
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Stream<S>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Stream<S>, Error>> + Send>>;

    fn connect(self, transport: S) -> Self::Future {
        Box::pin(async move {
            let name = pki_types::ServerName::try_from(self.name.0).map_err(|_invalid| Error::ServerName)?;
            let met = TlsConnector::from(self.client).connect(name, transport).await;
            met.map(Stream::new).map_err(|error| Error::from(Refusal::find(&error)))
        })
    }
}

#[cfg(test)]
mod tests;
