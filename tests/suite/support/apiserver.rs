//! A stand-in for the API server: real TLS and real HTTP on loopback, answers from a script, every request
//! recorded before anything is done about it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use bytes::Bytes;
use rustls::ServerConfig;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::support::pki::Leaf;

mod one;
mod two;

/// What the server offers in ALPN.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Http {
    One,
    Two,
}

/// A request as it came over the wire.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Which connection it came over, from 0.
    pub(crate) connection: usize,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _value)| found == name).map(|(_name, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        if self.body.is_empty() { Value::Null } else { serde_json::from_slice(&self.body).unwrap() }
    }
}

/// What the server does about a request.
#[derive(Clone, Debug)]
pub(crate) enum Play {
    /// Answers.
    Answer(Answer),
    /// Answers, then ends the connection: a FIN, or GOAWAY and no further stream.
    AnswerAndLeave(Answer),
    /// Ends the connection without an answer: an RST, or GOAWAY that counts the request as handled.
    Drop,
    /// Announces a body without end and sends it as long as somebody reads.
    Endless,
    /// Neither reads nor writes on this connection any more, whatever comes over it.
    Freeze,
    /// Announces the whole body, sends half of it and ends the connection.
    Half(Answer),
    /// Announces the whole body, sends half of it and then nothing.
    Pause(Answer),
    /// HTTP/2 only: says that the stream was not looked at, which invites a client to send it again.
    RefuseStream,
    /// Never answers.
    Stall,
}

/// Status, headers and body.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        let headers = vec![("content-type", "application/json".to_owned())];
        Self { status, headers, body: body.to_string().into_bytes() }
    }

    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

impl From<Answer> for Play {
    fn from(answer: Answer) -> Self {
        Self::Answer(answer)
    }
}

type Script = Arc<Mutex<dyn FnMut(&Seen) -> Play + Send>>;

/// A server that ends with its owner.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    closed: Arc<AtomicUsize>,
    seen: Arc<Mutex<Vec<Seen>>>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Clone)]
struct Shared {
    closed: Arc<AtomicUsize>,
    script: Script,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Shared {
    /// Recorded first, so that a request counts whatever follows.
    fn play(&self, seen: &Seen) -> Play {
        self.seen.lock().unwrap().push(seen.clone());
        (self.script.lock().unwrap())(seen)
    }
}

impl Server {
    pub(crate) fn start(leaf: &Leaf, http: Http, script: impl FnMut(&Seen) -> Play + Send + 'static) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (seen, closed) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let shared = Shared {
            script: Arc::new(Mutex::new(script)),
            seen: Arc::clone(&seen),
            closed: Arc::clone(&closed),
        };
        let acceptor = acceptor(leaf, http);
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener).unwrap();
                tokio::select! {
                    () = accept(listener, acceptor, shared) => {}
                    _ = stopped => {}
                }
            });
        });
        Self { address, closed, seen, stop: Some(stop), thread: Some(thread) }
    }

    /// Waits until the server has ended a connection.
    pub(crate) async fn hung_up(&self) {
        while self.closed.load(Ordering::Acquire) == 0 {
            tokio::task::yield_now().await;
        }
    }

    /// Everything that came, in order.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// The methods that came, in order, without access reviews.
    pub(crate) fn trace(&self) -> Vec<String> {
        self.seen().into_iter().map(|seen| seen.method).filter(|method| method != "POST").collect()
    }

    pub(crate) fn puts(&self) -> usize {
        self.trace().iter().filter(|method| *method == "PUT").count()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.thread.take().unwrap().join().unwrap();
    }
}

fn acceptor(leaf: &Leaf, http: Http) -> TlsAcceptor {
    let chain = vec![CertificateDer::from_pem_slice(leaf.pem.as_bytes()).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(leaf.key.as_bytes()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let mut config = config.with_no_client_auth().with_single_cert(chain, key).unwrap();
    config.alpn_protocols = match http {
        Http::One => vec![b"http/1.1".to_vec()],
        Http::Two => vec![b"h2".to_vec(), b"http/1.1".to_vec()],
    };
    TlsAcceptor::from(Arc::new(config))
}

async fn accept(listener: TcpListener, acceptor: TlsAcceptor, shared: Shared) {
    for connection in 0.. {
        let (tcp, _peer) = listener.accept().await.unwrap();
        tcp.set_nodelay(true).unwrap();
        let (acceptor, shared) = (acceptor.clone(), shared.clone());
        tokio::spawn(async move {
            let closed = Arc::clone(&shared.closed);
            let Ok(stream) = acceptor.accept(tcp).await else {
                return;
            };
            if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                two::serve(stream, connection, shared).await;
            } else {
                one::serve(stream, connection, shared).await;
            }
            closed.fetch_add(1, Ordering::Release);
        });
    }
}

/// The next close is an RST.
fn cut(stream: &TlsStream<TcpStream>) {
    stream.get_ref().0.set_zero_linger().unwrap();
}

fn chunk() -> Bytes {
    Bytes::from_static(&[b' '; 16 * 1024])
}
