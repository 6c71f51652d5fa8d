//! The one connection to the API server.
//!
//! There is no pool and no retry layer that could send a request again: `kube`'s default stack repeats
//! every verb on 429, 503 and 504, and the pooled client under it repeats requests that a dying connection
//! canceled. Here a request is handed to exactly one connection, once. A connection that failed, or on
//! which somebody stopped waiting, is hung up, so that the next request does not queue behind it.

use std::error::Error as StdError;
use std::future::Future;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::time::Duration;

use http::HeaderValue;
use http::Request;
use http::Response;
use http::Uri;
use http::header::HOST;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::client::conn::http2;
use hyper::rt::Executor;
use hyper_rustls::FixedServerNameResolver;
use hyper_rustls::HttpsConnector;
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::connect::Connection;
use hyper_util::client::legacy::connect::HttpConnector;
use kube::client::Body;
use tokio::sync::Mutex;
use tower::ServiceExt;

use crate::cluster::authority::Target;
use crate::cluster::session::resolver::Resolver;
use crate::cluster::session::tasks::Starter;
use crate::cluster::session::tasks::Tasks;
use crate::names;
use crate::tls::refusal::Refusal;

/// Dials when it must, and sends.
pub(super) struct Wire {
    connector: HttpsConnector<HttpConnector<Resolver>>,
    server: Uri,
    host: HeaderValue,
    open: Mutex<Option<Open>>,
    hung_up: AtomicBool,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub(super) enum Fault {
    /// The connection ended before an answer: the request may or may not have been acted on.
    #[error("the connection ended without an answer")]
    Lost,
    /// Its name has no address, or nobody said so in time.
    #[error("the server's name was not resolved")]
    Name(#[source] names::Error),
    /// The server could not prove who it is, or the handshake failed.
    #[error("the TLS handshake failed: {0}")]
    Tls(Refusal),
    /// No connection was made.
    #[error("no connection could be made")]
    Unreachable,
}

struct Open {
    sender: Sender,
    tasks: Tasks,
}

enum Sender {
    One(http1::SendRequest<Body>),
    Two(http2::SendRequest<Body>),
}

impl Wire {
    pub(super) fn new(target: &Target) -> Option<Self> {
        let mut tcp = HttpConnector::new_with_resolver(Resolver { budget: NAME });
        tcp.enforce_http(false);
        // HTTP/2 writes twice per request: with Nagle's algorithm each one waits 40 ms.
        tcp.set_nodelay(true);
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(target.tls.clone())
            .https_only()
            .with_server_name_resolver(FixedServerNameResolver::new(target.name.clone()))
            .enable_all_versions()
            .wrap_connector(tcp);
        let host = HeaderValue::from_str(target.server.authority()?.as_str()).ok()?;
        Some(Self {
            connector,
            server: target.server.clone(),
            host,
            open: Mutex::new(None),
            hung_up: AtomicBool::new(false),
        })
    }

    /// Sends the request once. Over HTTP/1.1 one answer's head is awaited before the next request goes out.
    ///
    /// The answer carries a share in its connection, which therefore outlives a hang-up until it is read.
    pub(super) async fn send(&self, request: Request<Body>) -> Result<Response<Incoming>, Fault> {
        // A close that has arrived is noticed by the connection's task, which must be let run first.
        tokio::task::yield_now().await;
        let mut open = self.open.lock().await;
        if self.hung_up.swap(false, Ordering::Relaxed) {
            *open = None;
        }
        let usable = match open.as_mut() {
            Some(connection) => connection.sender.is_ready().await,
            None => false,
        };
        let connection = match open.take().filter(|_connection| usable) {
            Some(connection) => connection,
            None => tokio::time::timeout(CONNECT, self.dial()).await.unwrap_or(Err(Fault::Unreachable))?,
        };
        let share = connection.tasks.clone();
        let answer = match &mut open.insert(connection).sender {
            Sender::One(sender) => sender.send_request(origin_form(request, &self.host)).await,
            Sender::Two(sender) => {
                let mut sender = sender.clone();
                drop(open);
                sender.send_request(request).await
            }
        };
        let mut answer = answer.map_err(|_lost| Fault::Lost)?;
        answer.extensions_mut().insert(share);
        Ok(answer)
    }

    /// Lets the next request dial. Never waits, least of all for one that is dialling just now.
    pub(super) fn hang_up(&self) {
        self.hung_up.store(true, Ordering::Relaxed);
    }

    async fn dial(&self) -> Result<Open, Fault> {
        let connecting = self.connector.clone().oneshot(self.server.clone());
        let stream = connecting.await.map_err(|error| fault(error.as_ref()))?;
        let tasks = Tasks::default();
        let starter = tasks.starter();
        let sender = if stream.connected().is_negotiated_h2() {
            let shake = http2::handshake(starter.clone(), stream).await;
            let (sender, connection) = shake.map_err(|_lost| Fault::Unreachable)?;
            drive(&starter, connection);
            Sender::Two(sender)
        } else {
            let shake = http1::handshake(stream).await;
            let (sender, connection) = shake.map_err(|_lost| Fault::Unreachable)?;
            drive(&starter, connection);
            Sender::One(sender)
        };
        Ok(Open { sender, tasks })
    }
}

impl Sender {
    /// Waits until the connection can take a request; false when it never will.
    async fn is_ready(&mut self) -> bool {
        match self {
            Self::One(sender) => sender.ready().await.is_ok(),
            Self::Two(sender) => sender.ready().await.is_ok(),
        }
    }
}

/// Moves the connection's bytes.
fn drive(starter: &Starter, connection: impl Future<Output = Result<(), hyper::Error>> + Send + 'static) {
    starter.execute(async move {
        if connection.await.is_err() {
            tracing::debug!("the connection to the API server ended with an error");
        }
    });
}

/// As HTTP/1.1 wants it: the path in the first line, the authority in a header.
fn origin_form(mut request: Request<Body>, host: &HeaderValue) -> Request<Body> {
    if let Some(path) = request.uri().path_and_query().cloned() {
        *request.uri_mut() = Uri::from(path);
    }
    request.headers_mut().insert(HOST, host.clone());
    request
}

/// Tells a handshake that failed from a peer that is not there, or whose name leads nowhere.
fn fault(error: &(dyn StdError + 'static)) -> Fault {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(name) = error.downcast_ref() {
            return Fault::Name(*name);
        }
        cause = error.source();
    }
    Refusal::find(error).map_or(Fault::Unreachable, Fault::Tls)
}

/// For DNS, TCP and TLS together.
const CONNECT: Duration = Duration::from_secs(5);

/// For DNS alone: less, so that it can be said what was missing.
const NAME: Duration = Duration::from_secs(4);
