//! The canary: two ports of one process. A policy closes the one and leaves the other open; nothing else differs.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::net::TcpStream;

use super::error::Error;
use super::testimony::Testimony;
use super::testimony::canonical;

/// Where to listen.
#[derive(Clone, Copy, Debug)]
pub struct Ports {
    /// Accepts and closes.
    pub deny: SocketAddr,
    /// Accepts, testifies and closes.
    pub control: SocketAddr,
}

/// Listens until it is dropped. `[::]` listens in both families, where the kernel has both.
pub(super) async fn listen(ports: Ports) -> Result<(), Error> {
    let bind = async |at| TcpListener::bind(at).await.map_err(|error| Error::Listen(error.kind()));
    // Both before either is served: a testimony must be true from the first.
    let deny = bind(ports.deny).await?;
    let control = bind(ports.control).await?;
    let served = deny.local_addr().map_err(|error| Error::Listen(error.kind()))?;
    tracing::info!("listening");
    loop {
        let accepted = tokio::select! {
            accepted = deny.accept() => accepted.map(drop),
            accepted = control.accept() => accepted.map(|(stream, _peer)| testify(&stream, served)),
        };
        if let Err(error) = accepted {
            // A peer that is gone already, or no descriptors left: both pass.
            tracing::info!(reason = %error, "a connection was not accepted");
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// A fresh connection's buffer has room for a line, so nothing is waited for.
fn testify(stream: &TcpStream, served: SocketAddr) {
    let Ok(local) = stream.local_addr() else { return };
    let line = Testimony { serves: reachable(served, canonical(local)) }.to_string();
    if let Err(error) = stream.try_write(line.as_bytes()) {
        tracing::info!(reason = %error, "a testimony was not sent");
    }
}

/// The deny listener's address as somebody must dial it who reached us at `local`.
fn reachable(served: SocketAddr, local: SocketAddr) -> SocketAddr {
    let everywhere = served.ip().is_unspecified() && (served.is_ipv6() || local.is_ipv4());
    let ip = if everywhere { local.ip() } else { served.ip() };
    SocketAddr::new(ip, served.port())
}

/// After a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(10);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_really_served_is_testified() {
        let reachable = |served: &str, local: &str| {
            reachable(served.parse().unwrap(), local.parse().unwrap()).to_string()
        };
        assert_eq!(reachable("[::]:9443", "192.0.2.1:9444"), "192.0.2.1:9443");
        assert_eq!(reachable("[::]:9443", "[2001:db8::1]:9444"), "[2001:db8::1]:9443");
        assert_eq!(reachable("0.0.0.0:9443", "192.0.2.1:9444"), "192.0.2.1:9443");
        assert_eq!(reachable("0.0.0.0:9443", "[2001:db8::1]:9444"), "0.0.0.0:9443");
        assert_eq!(reachable("192.0.2.7:9443", "192.0.2.1:9444"), "192.0.2.7:9443");
    }
}
