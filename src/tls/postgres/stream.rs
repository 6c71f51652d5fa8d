//! TLS over an asynchronous transport: OpenSSL works on two buffers in memory, and we carry them.
//!
//! OpenSSL never sees the socket, so it never blocks and never reports half a write.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::io::Read;
use std::io::Write;
use std::pin::Pin;
use std::task::Context;
use std::task::Poll;
use std::task::ready;

use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::ssl::ErrorCode;
use openssl::ssl::Ssl;
use openssl::ssl::SslStream;
use tokio::io::AsyncRead;
use tokio::io::AsyncWrite;
use tokio::io::ReadBuf;
use tokio_postgres::tls::ChannelBinding;
use tokio_postgres::tls::TlsStream;

use crate::tls::postgres::Error;

/// A verified session.
pub struct Stream<S> {
    session: SslStream<Wire>,
    transport: S,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Stream<S> {
    /// Shakes hands; the peer's certificate has been verified when this succeeds.
    pub(super) async fn handshake(ssl: Ssl, transport: S) -> Result<Self, Error> {
        let session = SslStream::new(ssl, Wire::default()).map_err(|_stack| Error::Unusable)?;
        let mut stream = Self { session, transport };
        poll_fn(|cx| stream.poll_handshake(cx)).await?;
        Ok(stream)
    }

    fn poll_handshake(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        loop {
            let step = self.session.connect();
            // Also after a failure: the alert tells the server's log what we refused.
            let sent = self.poll_send(cx);
            match step {
                Ok(()) => {
                    ready!(sent).map_err(|_lost| Error::Handshake)?;
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.code() == ErrorCode::WANT_READ => {
                    ready!(sent).map_err(|_lost| Error::Handshake)?;
                    ready!(self.poll_receive(cx)).map_err(|_lost| Error::Handshake)?;
                }
                Err(_) => {
                    return Poll::Ready(Err(Error::from_verification(self.session.ssl().verify_result())));
                }
            }
        }
    }

    /// Carries what OpenSSL wrote to the transport.
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let wire = self.session.get_mut();
        while !wire.outgoing.is_empty() {
            let written = ready!(Pin::new(&mut self.transport).poll_write(cx, wire.outgoing.as_slices().0))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            wire.outgoing.drain(..written);
        }
        Pin::new(&mut self.transport).poll_flush(cx)
    }

    /// Carries what the transport has to OpenSSL.
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut chunk = [0; CHUNK];
        let mut buffer = ReadBuf::new(&mut chunk);
        ready!(Pin::new(&mut self.transport).poll_read(cx, &mut buffer))?;
        let wire = self.session.get_mut();
        wire.ended = buffer.filled().is_empty();
        wire.incoming.extend(buffer.filled());
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Stream<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            match this.session.ssl_read(buffer.initialize_unfilled()) {
                Ok(count) => {
                    buffer.advance(count);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.code() == ErrorCode::WANT_READ => {
                    // A key update may want an answer; reading does not wait for it to leave.
                    if let Poll::Ready(Err(lost)) = this.poll_send(cx) {
                        return Poll::Ready(Err(lost));
                    }
                    ready!(this.poll_receive(cx))?;
                }
                Err(error) if error.code() == ErrorCode::ZERO_RETURN => return Poll::Ready(Ok(())),
                Err(error) => {
                    return Poll::Ready(Err(error.into_io_error().unwrap_or_else(io::Error::other)));
                }
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.poll_send(cx))?;
        // One record at a time keeps the buffer small.
        let record = bytes.get(..CHUNK).unwrap_or(bytes);
        match this.session.ssl_write(record) {
            Ok(count) => Poll::Ready(Ok(count)),
            Err(error) => Poll::Ready(Err(error.into_io_error().unwrap_or_else(io::Error::other))),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().poll_send(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.session.get_mut().closing {
            this.session.get_mut().closing = true;
            // Queues the closing alert; there is nothing to do about a session that is too broken for it.
            drop(this.session.shutdown());
        }
        ready!(this.poll_send(cx))?;
        Pin::new(&mut this.transport).poll_shutdown(cx)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Stream<S> {
    /// tls-server-end-point of RFC 5929: the certificate's digest, SHA-256 where its own is weaker.
    fn channel_binding(&self) -> ChannelBinding {
        self.binding().map_or_else(ChannelBinding::none, ChannelBinding::tls_server_end_point)
    }
}

impl<S> Stream<S> {
    pub(super) fn binding(&self) -> Option<Vec<u8>> {
        let certificate = self.session.ssl().peer_certificate()?;
        let signature = certificate.signature_algorithm().object().nid().signature_algorithms()?;
        let digest = match signature.digest {
            Nid::MD5 | Nid::SHA1 => MessageDigest::sha256(),
            other => MessageDigest::from_nid(other)?,
        };
        certificate.digest(digest).ok().map(|bytes| bytes.to_vec())
    }
}

/// The two directions between OpenSSL and the transport.
#[derive(Default)]
struct Wire {
    incoming: VecDeque<u8>,
    outgoing: VecDeque<u8>,
    ended: bool,
    closing: bool,
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.incoming.is_empty() && !self.ended {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.incoming.read(buffer)
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.outgoing.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Bytes of one TLS record's content.
const CHUNK: usize = 16_384;
