//! One TCP connect, watched: the only file here that dials.
//!
//! `IP_RECVERR` is set before the connect, so that the error queue of an ordinary socket holds the ICMP error
//! that ended it, and the address of the box that sent it (ip(7)); no privilege, no raw socket.

use std::io;
use std::io::IoSliceMut;
use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::net::Ipv6Addr;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::os::fd::AsRawFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::socket;
use nix::sys::socket::AddressFamily;
use nix::sys::socket::ControlMessageOwned;
use nix::sys::socket::MsgFlags;
use nix::sys::socket::SockFlag;
use nix::sys::socket::SockType;
use nix::sys::socket::SockaddrStorage;
use nix::sys::socket::sockopt;
use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::round::Seen;
use super::sight::Dialled;
use super::sight::Icmp;
use super::sight::Notice;
use super::sight::Sight;
use super::testimony;
use super::testimony::Testimony;
use crate::time::Deadline;

/// What a dial brought.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    /// What was seen. A listener is asked for its testimony where that was wanted, within the slice.
    pub(super) seen: Seen,
    /// Whether the kernel offers the error queue.
    pub(super) queue: bool,
}

/// Whether a listener is heard out.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Hear {
    /// The handshake is enough; the connection is closed at once.
    Nothing,
    /// One line is read.
    Testimony,
}

/// Dials once. Must be called within a runtime.
pub(super) async fn dial(to: SocketAddr, hear: Hear, slice: Duration) -> Call {
    let begun = Instant::now();
    let deadline = Deadline::after(slice);
    let end = |sight| Dialled { sight, took: begun.elapsed() };
    let socket = match Socket::dialling(to) {
        Ok(socket) => socket,
        Err(sight) => return Call { seen: Seen { dialled: end(sight), testimony: None }, queue: true },
    };
    let dialled = end(match deadline.bound(socket.ended()).await {
        Ok(Ok(sight)) => sight,
        Ok(Err(error)) => of_io(&error),
        // An error that came while the socket was held wakes nobody where there is no queue.
        Err(_silence) => socket.look().unwrap_or(Sight::Silence),
    });
    let testimony = if hear == Hear::Testimony && dialled.sight == Sight::Connected {
        deadline.bound(socket.line()).await.ok().flatten()
    } else {
        None
    };
    Call { seen: Seen { dialled, testimony }, queue: socket.queue }
}

/// A connect under way.
struct Socket {
    stream: TcpStream,
    queue: bool,
}

impl Socket {
    /// Begins; an end that comes within the call is the error.
    fn dialling(to: SocketAddr) -> Result<Self, Sight> {
        let family = if to.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
        let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
        let fd = socket::socket(family, SockType::Stream, flags, None).map_err(local)?;
        let asked = match to {
            SocketAddr::V4(_) => socket::setsockopt(&fd, sockopt::Ipv4RecvErr, &true),
            SocketAddr::V6(_) => socket::setsockopt(&fd, sockopt::Ipv6RecvErr, &true),
        };
        let queue = asked.is_ok();
        match socket::connect(fd.as_raw_fd(), &SockaddrStorage::from(to)) {
            Ok(()) | Err(Errno::EINPROGRESS) => {}
            // An answer within the call: loopback's, or a neighbour's.
            Err(errno @ Errno::ECONNREFUSED) => return Err(Sight::of(errno as i32, notice(&fd))),
            Err(errno) => {
                return Err(match notice(&fd) {
                    None => local(errno),
                    notice => Sight::of(errno as i32, notice),
                });
            }
        }
        let stream = TcpStream::from_std(fd.into()).map_err(|error| of_io(&error))?;
        Ok(Self { stream, queue })
    }

    /// Waits for the end of the handshake.
    async fn ended(&self) -> io::Result<Sight> {
        loop {
            self.stream.writable().await?;
            match self.stream.try_io(Interest::WRITABLE, || self.look()) {
                // What woke us was no end. The runtime may keep the readiness, so it must not be asked in a circle.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => tokio::time::sleep(RETRY).await,
                looked => return looked,
            }
        }
    }

    /// What the socket says now; `WouldBlock` while it says nothing.
    ///
    /// An ICMP error may be queued while the kernel still counts the connect as going on (it came while the
    /// socket was held): the queue alone is an end too.
    fn look(&self) -> io::Result<Sight> {
        let errno = socket::getsockopt(&self.stream, sockopt::SocketError)?;
        let notice = if self.queue { notice(&self.stream) } else { None };
        if errno != 0 || notice.is_some() {
            return Ok(Sight::of(errno, notice));
        }
        match socket::getpeername::<SockaddrStorage>(self.stream.as_raw_fd()) {
            Ok(_peer) => Ok(Sight::Connected),
            Err(Errno::ENOTCONN) => Err(io::ErrorKind::WouldBlock.into()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Reads one line, as far as it is short.
    async fn line(&self) -> Option<Testimony> {
        let mut buffer = [0; testimony::LIMIT];
        let mut filled = 0;
        loop {
            self.stream.readable().await.ok()?;
            let free = buffer.get_mut(filled..).filter(|free| !free.is_empty())?;
            match self.stream.try_read(free) {
                Ok(0) => return None,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_other) => return None,
            }
            let said = buffer.get(..filled)?;
            if said.ends_with(b"\n") {
                return Testimony::parse(said);
            }
        }
    }
}

fn local(errno: Errno) -> Sight {
    Sight::Local(errno as i32)
}

fn of_io(error: &io::Error) -> Sight {
    Sight::Local(error.raw_os_error().unwrap_or_default())
}

/// The first ICMP error in the socket's queue.
fn notice(fd: &impl AsFd) -> Option<Notice> {
    let mut payload = [0; 64];
    let mut parts = [IoSliceMut::new(&mut payload)];
    let mut space = nix::cmsg_space!([u8; 128]);
    let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
    let fd = fd.as_fd().as_raw_fd();
    let message = socket::recvmsg::<SockaddrStorage>(fd, &mut parts, Some(&mut space), flags).ok()?;
    message.cmsgs().ok()?.find_map(|part| {
        let (error, from) = if let ControlMessageOwned::Ipv4RecvErr(error, from) = part {
            (error, from.map(|from| IpAddr::V4(Ipv4Addr::from(from.sin_addr.s_addr.to_ne_bytes()))))
        } else if let ControlMessageOwned::Ipv6RecvErr(error, from) = part {
            (error, from.map(|from| IpAddr::V6(Ipv6Addr::from(from.sin6_addr.s6_addr))))
        } else {
            return None;
        };
        let icmp = Icmp { kind: error.ee_type, code: error.ee_code };
        FROM_ICMP.contains(&error.ee_origin).then_some(Notice { icmp, from })
    })
}

/// `SO_EE_ORIGIN_ICMP` and `SO_EE_ORIGIN_ICMP6`; a third origin is our own kernel, which is no answer.
const FROM_ICMP: [u8; 2] = [2, 3];

/// After an event that was no end.
const RETRY: Duration = Duration::from_millis(5);
