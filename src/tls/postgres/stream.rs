//! The connection once its peer is proven.

use std::io;
use std::pin::Pin;
use std::task::Context;
use std::task::Poll;

use sha2::Digest;
use sha2::Sha256;
use sha2::Sha384;
use sha2::Sha512;
use tokio::io::AsyncRead;
use tokio::io::AsyncWrite;
use tokio::io::ReadBuf;
use tokio_postgres::tls::ChannelBinding;
use tokio_postgres::tls::TlsStream;
use tokio_rustls::client;
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer;

/// An encrypted stream whose far end carries the expected certificate.
pub struct Stream<S>(client::TlsStream<S>);

impl<S> Stream<S> {
    pub(super) fn new(stream: client::TlsStream<S>) -> Self {
        Self(stream)
    }

    /// The binding `tls-server-end-point` of RFC 5929: the server's certificate, hashed as its signature is. `None`
    /// where the signature names no such hash.
    pub(super) fn binding(&self) -> Option<Vec<u8>> {
        let (_transport, session) = self.0.get_ref();
        end_point(session.peer_certificates()?.first()?)
    }
}

fn end_point(der: &[u8]) -> Option<Vec<u8>> {
    let (_rest, certificate) = X509Certificate::from_der(der).ok()?;
    match certificate.signature_algorithm.algorithm.to_id_string().as_str() {
        // MD5 and SHA-1 are replaced by SHA-256.
        "1.2.840.113549.1.1.4" | "1.2.840.113549.1.1.5" | "1.2.840.10045.4.1" => {
            Some(Sha256::digest(der).to_vec())
        }
        "1.2.840.113549.1.1.11" | "1.2.840.10045.4.3.2" => Some(Sha256::digest(der).to_vec()),
        "1.2.840.113549.1.1.12" | "1.2.840.10045.4.3.3" => Some(Sha384::digest(der).to_vec()),
        "1.2.840.113549.1.1.13" | "1.2.840.10045.4.3.4" => Some(Sha512::digest(der).to_vec()),
        _ => None,
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Stream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        self.binding().map_or_else(ChannelBinding::none, ChannelBinding::tls_server_end_point)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Stream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
