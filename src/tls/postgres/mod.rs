//! The TLS client of the database session: who must answer is fixed before anyone is dialled.
//!
//! libpq calls this `sslmode=verify-full`, with one difference: the name that the certificate must carry is
//! configured on its own, so that a tunnel or a cluster address may be dialled. Only the mounted authorities
//! are trusted; neither the host's CA bundle nor `SSL_CERT_FILE` is ever opened.

mod error;
mod stream;

use std::future::Future;
use std::pin::Pin;

use openssl::error::ErrorStack;
use openssl::ssl::Ssl;
use openssl::ssl::SslContext;
use openssl::ssl::SslMethod;
use openssl::ssl::SslOptions;
use openssl::ssl::SslVerifyMode;
use openssl::ssl::SslVersion;
use openssl::x509::X509;
use openssl::x509::store::X509StoreBuilder;
use openssl::x509::verify::X509CheckFlags;
use tokio::io::AsyncRead;
use tokio::io::AsyncWrite;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::tls::TlsConnect;

use crate::tls::authority::Authorities;

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

/// Whom we talk to: one of these authorities must vouch for this name, over TLS 1.2 or later.
#[derive(Clone)]
pub struct Identity {
    context: SslContext,
    name: ServerName,
}

impl Identity {
    /// Fixes authorities and name. Nothing is dialled and no file is read.
    pub fn new(authorities: &Authorities, name: ServerName) -> Result<Self, Error> {
        let context = context(authorities).map_err(|_stack| Error::Unusable)?;
        Ok(Self { context, name })
    }

    fn session(&self) -> Result<Ssl, ErrorStack> {
        let mut ssl = Ssl::new(&self.context)?;
        ssl.set_hostname(self.name.as_str())?;
        let check = ssl.param_mut();
        check.set_hostflags(X509CheckFlags::NO_PARTIAL_WILDCARDS);
        check.set_host(self.name.as_str())?;
        Ok(ssl)
    }
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Identity").field(&self.name.as_str()).finish()
    }
}

/// Every setting is stated, so that a configuration file of OpenSSL on the host weakens none of them.
fn context(authorities: &Authorities) -> Result<SslContext, ErrorStack> {
    let mut store = X509StoreBuilder::new()?;
    for der in authorities.certificates() {
        store.add_cert(X509::from_der(der)?)?;
    }
    let mut builder = SslContext::builder(SslMethod::tls_client())?;
    builder.set_cert_store(store.build());
    builder.set_verify(SslVerifyMode::PEER);
    builder.set_min_proto_version(Some(SslVersion::TLS1_2))?;
    builder.set_max_proto_version(None)?;
    builder.set_cipher_list(CIPHERS)?;
    builder.set_options(SslOptions::NO_RENEGOTIATION | SslOptions::NO_TICKET);
    Ok(builder.build())
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
            let ssl = self.session().map_err(|_stack| Error::Unusable)?;
            Stream::handshake(ssl, transport).await
        })
    }
}

const CIPHERS: &str = "DEFAULT:!aNULL:!eNULL:!MD5:!3DES:!DES:!RC4:!PSK:@SECLEVEL=2";

#[cfg(test)]
mod tests;
