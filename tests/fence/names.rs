//! A DNS server that says what it is told to: UDP, one question, addresses or an error (RFC 1035, RFC 3596).

use std::net::IpAddr;
use std::net::SocketAddr;
use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;

use super::Result;
use super::net::Place;
use super::net::Spaces;

/// What a name server says.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// These addresses, each for its own type of question.
    Addresses(Vec<IpAddr>),
    /// An RCODE: 2 is SERVFAIL, 3 NXDOMAIN.
    Code(u8),
    /// Nothing.
    Silence,
}

pub(crate) struct NameServer {
    queries: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl NameServer {
    /// Answers at an address's port 53 after the first `lost` queries.
    pub(crate) fn new(net: &Spaces, at: IpAddr, answer: Answer, lost: usize) -> Result<Self> {
        let socket = net.inside(Place::Server, || Ok(UdpSocket::bind(SocketAddr::new(at, 53))?))?;
        socket.set_read_timeout(Some(Duration::from_millis(20)))?;
        let (queries, stop) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let (count, stopped) = (Arc::clone(&queries), Arc::clone(&stop));
        let thread = thread::spawn(move || {
            let mut buffer = [0; 512];
            while !stopped.load(Ordering::Relaxed) {
                let Ok((size, peer)) = socket.recv_from(&mut buffer) else { continue };
                if count.fetch_add(1, Ordering::Relaxed) < lost {
                    continue;
                }
                if let Some(reply) = buffer.get(..size).and_then(|query| reply(query, &answer)) {
                    drop(socket.send_to(&reply, peer));
                }
            }
        });
        Ok(Self { queries, stop, thread: Some(thread) })
    }

    /// How many queries have come.
    pub(crate) fn queries(&self) -> usize {
        self.queries.load(Ordering::Relaxed)
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        drop(self.thread.take().map(JoinHandle::join));
    }
}

fn reply(query: &[u8], answer: &Answer) -> Option<Vec<u8>> {
    let name = query.get(HEADER..)?.iter().position(|byte| *byte == 0)? + 1;
    let question = query.get(HEADER..HEADER + name + 4)?;
    let kind = u16::from_be_bytes(question.get(name..name + 2)?.try_into().ok()?);
    let (code, addresses) = match answer {
        Answer::Addresses(addresses) => (0, addresses.as_slice()),
        Answer::Code(code) => (*code, [].as_slice()),
        Answer::Silence => return None,
    };
    let data: Vec<Vec<u8>> = addresses
        .iter()
        .filter_map(|address| match (address, kind) {
            (IpAddr::V4(address), A) => Some(address.octets().to_vec()),
            (IpAddr::V6(address), AAAA) => Some(address.octets().to_vec()),
            _ => None,
        })
        .collect();
    let mut reply = query.get(..2)?.to_vec();
    reply.extend([0x81, 0x80 | code, 0, 1, 0, u8::try_from(data.len()).ok()?, 0, 0, 0, 0]);
    reply.extend(question);
    for data in data {
        // The name by a pointer to the question, the class IN, 5 s.
        reply.extend([0xc0, 0x0c]);
        reply.extend(kind.to_be_bytes());
        reply.extend([0, 1, 0, 0, 0, 5, 0, u8::try_from(data.len()).ok()?]);
        reply.extend(data);
    }
    Some(reply)
}

const HEADER: usize = 12;
const A: u16 = 1;
const AAAA: u16 = 28;
