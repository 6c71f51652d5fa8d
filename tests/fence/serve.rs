//! Listeners of every kind, in a namespace.

use std::io::ErrorKind;
use std::io::Write;
use std::net::SocketAddr;
use std::net::TcpListener;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::OnceLock;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;
use std::time::SystemTime;

use rustix::net::Shutdown;

use super::Result;
use super::net::Place;
use super::net::Spaces;

/// What a listener does with a connection.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Manner {
    /// Accepts and keeps it.
    Accept,
    /// Accepts and closes.
    Close,
    /// Accepts, sends this, keeps it.
    Say(String),
    /// Accepts one after another, this long apart.
    Slow(Duration),
}

/// A listener that ends when it is dropped.
pub(crate) struct Listener {
    socket: Arc<TcpListener>,
    thread: Option<JoinHandle<()>>,
    first: Arc<OnceLock<SystemTime>>,
}

impl Listener {
    pub(crate) fn new(net: &Spaces, place: Place, at: SocketAddr, manner: Manner) -> Result<Self> {
        let socket = Arc::new(net.inside(place, || Ok(TcpListener::bind(at)?))?);
        let first = Arc::new(OnceLock::new());
        let (theirs, clock) = (Arc::clone(&socket), Arc::clone(&first));
        let thread = Some(thread::spawn(move || serve(&theirs, &clock, &manner)));
        Ok(Self { socket, thread, first })
    }

    /// When the first connection was accepted.
    pub(crate) fn first(&self) -> Option<SystemTime> {
        self.first.get().copied()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // Ends the accept.
        rustix::net::shutdown(&*self.socket, Shutdown::Both).unwrap_or_default();
        drop(self.thread.take().map(JoinHandle::join));
    }
}

fn serve(socket: &TcpListener, first: &OnceLock<SystemTime>, manner: &Manner) {
    let mut kept = Vec::new();
    loop {
        let Ok((mut stream, _peer)) = socket.accept() else { return };
        first.get_or_init(SystemTime::now);
        match manner {
            Manner::Accept => kept.push(stream),
            Manner::Close => drop(stream),
            Manner::Say(text) => {
                // A peer that is gone already heard enough.
                drop(stream.write_all(text.as_bytes()));
                kept.push(stream);
            }
            Manner::Slow(pause) => {
                kept.push(stream);
                thread::sleep(*pause);
            }
        }
        if kept.len() > KEPT {
            kept.drain(..KEPT / 2);
        }
    }
}

/// A listener whose queue is full: the kernel drops whatever comes.
pub(crate) struct Full {
    _socket: TcpListener,
    _queued: Vec<TcpStream>,
}

impl Full {
    pub(crate) fn new(net: &Spaces, place: Place, at: SocketAddr) -> Result<Self> {
        net.inside(place, || {
            let socket = TcpListener::bind(at)?;
            rustix::net::listen(&socket, 0)?;
            let mut queued = Vec::new();
            loop {
                match TcpStream::connect_timeout(&at, Duration::from_millis(100)) {
                    Ok(stream) => queued.push(stream),
                    Err(error) if error.kind() == ErrorKind::TimedOut => break,
                    Err(error) => return Err(error.into()),
                }
            }
            Ok(Self { _socket: socket, _queued: queued })
        })
    }
}

/// Connections a listener keeps open.
const KEPT: usize = 256;
