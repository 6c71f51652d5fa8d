//! A name server on loopback that says what a test wants, by UDP and TCP.

use std::io;
use std::net::IpAddr;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::Mutex;

use simple_dns::CLASS;
use simple_dns::Name;
use simple_dns::Packet;
use simple_dns::PacketFlag;
use simple_dns::QTYPE;
use simple_dns::RCODE;
use simple_dns::ResourceRecord;
use simple_dns::TYPE;
use simple_dns::rdata;
use simple_dns::rdata::RData;
use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::net::TcpStream;
use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

/// A query, as it came.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) name: String,
    /// Whether it is for IPv6 addresses.
    pub(crate) six: bool,
    pub(crate) tcp: bool,
    /// How often this very question was asked before.
    pub(crate) turn: usize,
    /// Where a datagram came from.
    pub(crate) from: SocketAddr,
    pub(crate) bytes: Vec<u8>,
}

impl Ask {
    /// The beginning of an answer to it.
    pub(crate) fn answer(&self) -> Packet<'static> {
        let asked = Packet::parse(&self.bytes).unwrap();
        let mut packet = Packet::new_reply(asked.id());
        packet.questions = asked.questions.into_iter().map(simple_dns::Question::into_owned).collect();
        packet
    }

    /// Those of the addresses that are of the family asked for.
    pub(crate) fn addresses(&self, addresses: &[&str]) -> Vec<u8> {
        let mut packet = self.answer();
        for address in addresses {
            let address: IpAddr = address.parse().unwrap();
            if address.is_ipv6() == self.six {
                packet.answers.push(self.record(match address {
                    IpAddr::V4(address) => RData::A(address.into()),
                    IpAddr::V6(address) => RData::AAAA(address.into()),
                }));
            }
        }
        packet.build_bytes_vec_compressed().unwrap()
    }

    pub(crate) fn alias(&self, target: &str) -> Vec<u8> {
        let mut packet = self.answer();
        packet.answers.push(self.record(RData::CNAME(rdata::CNAME(Name::new(target).unwrap()))));
        packet.build_bytes_vec().unwrap()
    }

    pub(crate) fn code(&self, code: RCODE) -> Vec<u8> {
        let mut packet = self.answer();
        *packet.rcode_mut() = code;
        packet.build_bytes_vec().unwrap()
    }

    pub(crate) fn truncated(&self) -> Vec<u8> {
        let mut packet = self.answer();
        packet.set_flags(PacketFlag::TRUNCATION);
        packet.build_bytes_vec().unwrap()
    }

    fn record(&self, data: RData<'_>) -> ResourceRecord<'static> {
        ResourceRecord::new(Name::new(&self.name).unwrap(), CLASS::IN, 5, data).into_owned()
    }
}

/// Runs until it is dropped.
pub(crate) struct Dns {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Ask>>>,
    tasks: [JoinHandle<()>; 2],
}

type Play = Box<dyn FnMut(&Ask) -> Vec<Vec<u8>> + Send>;

impl Dns {
    /// Sends whatever the play gives, each as one message.
    pub(crate) async fn start(play: impl FnMut(&Ask) -> Vec<Vec<u8>> + Send + 'static) -> Self {
        loop {
            let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
            // Somebody else may have the port for UDP.
            if let Ok(udp) = UdpSocket::bind(tcp.local_addr().unwrap()).await {
                return Self::on(udp, tcp, Box::new(play));
            }
        }
    }

    pub(crate) fn on(udp: UdpSocket, tcp: TcpListener, play: Play) -> Self {
        let address = udp.local_addr().unwrap();
        let (seen, play) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(play)));
        let handle = Arc::clone(&seen);
        let respond = move |bytes: &[u8], from: SocketAddr, tcp: bool| {
            let mut seen = handle.lock().unwrap();
            let ask = read(bytes, from, tcp, &seen);
            seen.push(ask.clone());
            drop(seen);
            (play.lock().unwrap())(&ask)
        };
        let again = respond.clone();
        let by_udp = tokio::spawn(async move {
            let mut buffer = [0; 512];
            loop {
                let (length, from) = udp.recv_from(&mut buffer).await.unwrap();
                for answer in respond(&buffer[..length], from, false) {
                    udp.send_to(&answer, from).await.unwrap();
                }
            }
        });
        let by_tcp = tokio::spawn(async move {
            loop {
                let (stream, from) = tcp.accept().await.unwrap();
                // Who asks may go before the end.
                drop(serve(stream, |query| again(query, from, true)).await);
            }
        });
        Self { address, seen, tasks: [by_udp, by_tcp] }
    }

    pub(crate) fn seen(&self) -> Vec<Ask> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for Dns {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

async fn serve(mut stream: TcpStream, respond: impl FnOnce(&[u8]) -> Vec<Vec<u8>>) -> io::Result<()> {
    let mut query = vec![0; stream.read_u16().await?.into()];
    stream.read_exact(&mut query).await?;
    for answer in respond(&query) {
        stream.write_u16(answer.len().try_into().unwrap()).await?;
        stream.write_all(&answer).await?;
    }
    Ok(())
}

fn read(bytes: &[u8], from: SocketAddr, tcp: bool, seen: &[Ask]) -> Ask {
    let packet = Packet::parse(bytes).unwrap();
    let [question] = packet.questions.as_slice() else { panic!("one question: {packet:?}") };
    let six = question.qtype == QTYPE::TYPE(TYPE::AAAA);
    assert!(six || question.qtype == QTYPE::TYPE(TYPE::A), "{question:?}");
    let name = question.qname.to_string();
    let turn = seen.iter().filter(|ask| (&ask.name, ask.six, ask.tcp) == (&name, six, tcp)).count();
    Ask { name, six, tcp, turn, from, bytes: bytes.to_vec() }
}
