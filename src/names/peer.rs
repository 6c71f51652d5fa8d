//! One server and one question, asked until there is an answer.

use std::collections::BTreeSet;
use std::future;
use std::io;
use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::net::Ipv6Addr;
use std::net::SocketAddr;
use std::slice;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::net::UdpSocket;
use tokio::time::Instant;

use super::Refusal;
use super::message::Query;
use super::message::Reply;
use crate::time::Deadline;

/// A server that is asked one question over a socket of its own: two queries that leave one socket at once are one
/// flow to the kernel's connection tracking, which then drops the second of them.
pub(super) struct Peer {
    server: SocketAddr,
    query: Query,
    deadline: Deadline,
    socket: Option<UdpSocket>,
    waits: slice::Iter<'static, Duration>,
    due: Instant,
    refusals: usize,
    buffer: Vec<u8>,
}

/// What a server had to say.
pub(super) enum Heard {
    Addresses(BTreeSet<IpAddr>),
    Refused(Refusal),
    TooMany,
}

impl Peer {
    pub(super) fn new(server: SocketAddr, query: Query, deadline: Deadline) -> Self {
        let (due, buffer) = (Instant::now(), vec![0; MAX_DATAGRAM]);
        Self { server, query, deadline, socket: None, waits: WAITS.iter(), due, refusals: 0, buffer }
    }

    /// How often it has refused so far.
    pub(super) fn refusals(&self) -> usize {
        self.refusals
    }

    /// Asks, and asks again, until the server says something. Ends only then: the caller bounds it.
    pub(super) async fn hear(mut self) -> (Self, Heard) {
        loop {
            if Instant::now() >= self.due {
                self.send().await;
                self.due = Instant::now() + *self.waits.next().unwrap_or(&LAST_WAIT);
            }
            let reply = match tokio::time::timeout_at(self.due, self.receive()).await {
                Ok(Reply::Truncated) => self.by_tcp().await,
                Ok(reply) => Some(reply),
                Err(_late) => None,
            };
            match reply {
                Some(Reply::Addresses(addresses)) => return (self, Heard::Addresses(addresses)),
                Some(Reply::TooMany) => return (self, Heard::TooMany),
                Some(Reply::Refused(refusal)) => {
                    self.refusals += 1;
                    return (self, Heard::Refused(refusal));
                }
                Some(Reply::Truncated) | None => {}
            }
        }
    }

    /// Sends the query, on a new socket if need be. Nothing that fails here is an answer: a route, an admission or
    /// the server itself may be a moment away.
    async fn send(&mut self) {
        if self.socket.is_none() {
            self.socket = open(self.server).await.ok();
        }
        // The first attempt may only be told what became of the query before (an ICMP error) and send nothing.
        for _attempt in 0..2 {
            let Some(socket) = &self.socket else { return };
            if socket.send(self.query.bytes()).await.is_ok() {
                return;
            }
        }
        self.socket = None;
    }

    /// Waits for an answer to our question, from the server's address: the socket is connected.
    async fn receive(&mut self) -> Reply {
        while let Some(socket) = &self.socket {
            let Ok(length) = socket.recv(&mut self.buffer).await else { break };
            if let Some(reply) = self.buffer.get(..length).and_then(|message| self.query.read(message)) {
                return reply;
            }
        }
        // No socket, or an ICMP error: until the next query is due.
        future::pending().await
    }

    /// Asks for what did not fit into a datagram. `None` if that fails too.
    async fn by_tcp(&self) -> Option<Reply> {
        let answer = self.deadline.slice(TCP).bound(exchange(self.server, self.query.bytes())).await;
        self.query.read(&answer.ok()?.ok()?)
    }
}

async fn open(server: SocketAddr) -> io::Result<UdpSocket> {
    let any = match server {
        SocketAddr::V4(_) => (IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0),
        SocketAddr::V6(_) => (IpAddr::V6(Ipv6Addr::UNSPECIFIED), 0),
    };
    let socket = UdpSocket::bind(any).await?;
    socket.connect(server).await?;
    Ok(socket)
}

/// Query and answer, each behind its length in two bytes (RFC 1035, section 4.2.2).
async fn exchange(server: SocketAddr, query: &[u8]) -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(server).await?;
    let length = u16::try_from(query.len()).map_err(io::Error::other)?;
    stream.write_all(&[&length.to_be_bytes(), query].concat()).await?;
    let mut answer = vec![0; stream.read_u16().await?.into()];
    stream.read_exact(&mut answer).await?;
    Ok(answer)
}

/// How long each query is waited for before the next goes out.
static WAITS: [Duration; 4] = [
    Duration::from_millis(20),
    Duration::from_millis(40),
    Duration::from_millis(80),
    Duration::from_millis(160),
];
static LAST_WAIT: Duration = Duration::from_millis(250);
/// For connecting, asking and the whole answer; then the datagram is tried again.
const TCP: Duration = Duration::from_secs(1);
/// Four times what a server may send to us, who announce no size of our own.
const MAX_DATAGRAM: usize = 2048;
