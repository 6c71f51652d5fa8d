//! A wire between us and PostgreSQL that reads the protocol and breaks at one exact message.
//!
//! Towards us it speaks plaintext (unless it impersonates the server), towards the server TLS. A rule fires once, over all sessions; those that come
//! later pass untouched.

use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;

use ql3_ops::tls::postgres::Identity;
use rcgen::BasicConstraints;
use rcgen::CertificateParams;
use rcgen::DnType;
use rcgen::IsCa;
use rcgen::Issuer;
use rcgen::KeyPair;
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tempfile::NamedTempFile;
use tokio::io::AsyncRead;
use tokio::io::AsyncReadExt;
use tokio::io::AsyncWrite;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_postgres::tls::TlsConnect;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::postgres::Server;

/// Who sends the message.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Side {
    Client,
    Server,
}

/// What happens at the message.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Both connections close; the message is not passed on.
    Cut,
    /// Nothing more is passed on either way, and the connections stay open.
    Stall,
    /// These messages are passed on before it.
    Precede(Vec<u8>),
    /// Its body is changed: one text for another of the same length.
    Replace(&'static str, &'static str),
}

/// At the first message of this kind (its type byte) with this text in it.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) side: Side,
    pub(crate) kind: u8,
    pub(crate) text: &'static str,
    pub(crate) act: Act,
}

/// A text of the startup message, and what it becomes; of the same length.
type Rewrite = (&'static str, &'static str);

pub(crate) struct Wire {
    pub(crate) port: u16,
    /// Of [`Wire::impersonating`]: the authority that vouches for it.
    pub(crate) ca: NamedTempFile,
    fired: Arc<Semaphore>,
    task: JoinHandle<()>,
}

impl Wire {
    pub(crate) async fn start(server: &Server, rules: Vec<Rule>) -> Self {
        Self::new(server, rules, ("", ""), None).await
    }

    /// As a pooler does that does not pass on what it was asked for.
    pub(crate) async fn rewriting_startup(server: &Server, old: &'static str, new: &'static str) -> Self {
        Self::new(server, Vec::new(), (old, new), None).await
    }

    /// Speaks TLS towards us too, under the server's name, with a certificate of its own.
    pub(crate) async fn impersonating(server: &Server) -> Self {
        Self::new(server, Vec::new(), ("", ""), Some(&server.name)).await
    }

    async fn new(server: &Server, rules: Vec<Rule>, startup: Rewrite, name: Option<&str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let fired = Arc::new(Semaphore::new(0));
        let shared = Arc::new(Shared { rules: Mutex::new(rules), startup, fired: Arc::clone(&fired) });
        let (far, identity) = ((server.host(), server.port), server.identity());
        let ca = NamedTempFile::new().expect("a file");
        let acceptor = name.map(|name| impostor(name, ca.path()));
        let task = tokio::spawn(async move {
            let mut sessions = tokio::task::JoinSet::new();
            while let Ok((near, _peer)) = listener.accept().await {
                near.set_nodelay(true).expect("no delay");
                let (far, identity, shared) = (far.clone(), identity.clone(), Arc::clone(&shared));
                match acceptor.clone() {
                    None => sessions.spawn(session(near, far, identity, shared)),
                    Some(acceptor) => sessions.spawn(async move {
                        let Some(near) = accept(near, acceptor).await else {
                            return;
                        };
                        session(near, far, identity, shared).await;
                    }),
                };
            }
        });
        Self { port, ca, fired, task }
    }

    /// Returns when a rule has fired; remembered if it had before.
    pub(crate) async fn fired(&self) {
        self.fired_times(1).await;
    }

    /// Returns when rules have fired so often.
    pub(crate) async fn fired_times(&self, times: u32) {
        self.fired.acquire_many(times).await.expect("never closed").forget();
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Shared {
    rules: Mutex<Vec<Rule>>,
    startup: Rewrite,
    fired: Arc<Semaphore>,
}

impl Shared {
    fn fire(&self, side: Side, message: &[u8]) -> Option<Act> {
        let mut rules = self.rules.lock().expect("no panic while locked");
        let fits = |rule: &Rule| {
            let has = rule.text.is_empty()
                || message.windows(rule.text.len()).any(|part| part == rule.text.as_bytes());
            rule.side == side && message.first() == Some(&rule.kind) && has
        };
        let index = rules.iter().position(fits)?;
        self.fired.add_permits(1);
        Some(rules.remove(index).act)
    }
}

/// A certificate for `name` from an authority that is written to `ca`.
fn impostor(name: &str, ca: &Path) -> TlsAcceptor {
    let (authority_key, key) = (KeyPair::generate().expect("a key"), KeyPair::generate().expect("a key"));
    let mut authority = CertificateParams::new(Vec::new()).expect("parameters");
    authority.distinguished_name.push(DnType::CommonName, "authority of a go-between");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let certificate = authority.self_signed(&authority_key).expect("a certificate");
    std::fs::write(ca, certificate.pem()).expect("a written file");
    let issuer = Issuer::new(authority, authority_key);
    let server = CertificateParams::new(vec![name.to_owned()]).expect("parameters");
    let server = server.signed_by(&key, &issuer).expect("a certificate");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().expect("TLS");
    let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
    let config =
        config.with_no_client_auth().with_single_cert(vec![server.der().clone()], key).expect("a pair");
    TlsAcceptor::from(Arc::new(config))
}

async fn accept(mut near: TcpStream, acceptor: TlsAcceptor) -> Option<TlsStream<TcpStream>> {
    near.read_exact(&mut [0; 8]).await.ok()?;
    near.write_all(b"S").await.ok()?;
    acceptor.accept(near).await.ok()
}

async fn session<S>(mut near: S, far: (String, u16), identity: Identity, shared: Arc<Shared>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut far = TcpStream::connect(far).await.expect("the server");
    far.set_nodelay(true).expect("no delay");
    // SSLRequest: length 8, code 80877103.
    far.write_all(&[0, 0, 0, 8, 4, 210, 22, 47]).await.expect("a request");
    assert_eq!(far.read_u8().await.expect("an answer"), b'S');
    let far = identity.connect(far).await.expect("TLS");
    let Some(mut startup) = read_startup(&mut near).await else {
        return;
    };
    replace(&mut startup, shared.startup);
    let (mut near_reads, mut near_writes) = tokio::io::split(near);
    let (mut far_reads, mut far_writes) = tokio::io::split(far);
    if far_writes.write_all(&startup).await.is_err() || far_writes.flush().await.is_err() {
        return;
    }
    tokio::select! {
        () = pump(Side::Client, &mut near_reads, &mut far_writes, &shared) => {}
        () = pump(Side::Server, &mut far_reads, &mut near_writes, &shared) => {}
    }
    // Both halves of both connections end here.
}

async fn read_startup(near: &mut (impl AsyncRead + Unpin)) -> Option<Vec<u8>> {
    let length = near.read_u32().await.ok()?;
    let mut message = length.to_be_bytes().to_vec();
    message.resize(length as usize, 0);
    near.read_exact(&mut message[4..]).await.ok()?;
    Some(message)
}

/// Passes whole messages on until an end or a cut.
async fn pump(
    side: Side,
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    shared: &Shared,
) {
    while let Some(mut message) = read_message(from).await {
        match shared.fire(side, &message) {
            None => {}
            Some(Act::Cut) => return,
            Some(Act::Stall) => std::future::pending().await,
            Some(Act::Precede(extra)) => message.splice(..0, extra).for_each(drop),
            Some(Act::Replace(old, new)) => replace(&mut message, (old, new)),
        }
        if to.write_all(&message).await.is_err() || to.flush().await.is_err() {
            return;
        }
    }
}

fn replace(message: &mut [u8], (old, new): Rewrite) {
    assert_eq!(old.len(), new.len());
    if !old.is_empty() {
        let at = message.windows(old.len()).position(|part| part == old.as_bytes()).expect("the text");
        message[at..at + new.len()].copy_from_slice(new.as_bytes());
    }
}

async fn read_message(from: &mut (impl AsyncRead + Unpin)) -> Option<Vec<u8>> {
    let mut message = vec![0; 5];
    from.read_exact(&mut message).await.ok()?;
    let length = u32::from_be_bytes(message[1..5].try_into().expect("four bytes")) as usize;
    message.resize(length + 1, 0);
    from.read_exact(&mut message[5..]).await.ok()?;
    Some(message)
}
