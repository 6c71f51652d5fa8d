//! One request, one answer: sent once, bounded in time and size, and checked for what it claims to be.

mod body;
mod error;
mod resolver;
mod tasks;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderValue;
use http::Method;
use http::Request;
use http::Response;
use http::Uri;
use http::header;
use kube::Client;
use kube::client::Body;
use serde_json::Map;
use serde_json::Value;

pub use self::error::CODES;
pub use self::error::Error;
use self::wire::Wire;
use crate::cluster::authority;
use crate::cluster::authority::Target;
use crate::cluster::bearer::Bearer;
use crate::json;
use crate::time::Deadline;

/// An open door to one API server. Made without a packet.
pub(crate) struct Session {
    client: Client,
    wire: Arc<Wire>,
    bearer: Bearer,
    server: Uri,
}

/// What to ask.
pub(crate) struct Ask<'a> {
    pub(crate) method: Method,
    /// From `/api` on, with its query.
    pub(crate) path: &'a str,
    /// JSON, or nothing.
    pub(crate) body: Option<Bytes>,
    /// The kind that a good answer bears.
    pub(crate) kind: &'static str,
    /// Bytes of an answer.
    pub(crate) limit: usize,
}

impl Session {
    /// Must be called within a runtime: the client's queue is a task.
    pub(crate) fn new(target: Target) -> Result<Self, authority::Error> {
        let wire = Arc::new(Wire::new(&target).ok_or(authority::Error::ServerInvalid)?);
        // A token that cannot be read is better known before the first packet.
        target.bearer.header().map_err(authority::Error::Token)?;
        let handle = Arc::clone(&wire);
        let service = tower::service_fn(move |request| {
            let wire = Arc::clone(&handle);
            async move { wire.send(request).await }
        });
        // Namespaces are always named, so there is no default one.
        let client = Client::new(service, "");
        Ok(Self { client, wire, bearer: target.bearer, server: target.server })
    }

    /// Lets the next request dial anew.
    pub(crate) fn hang_up(&self) {
        self.wire.hang_up();
    }

    /// Sends the request once and returns the members of the object that a success carries.
    ///
    /// At most ten seconds for the head of the answer and ten for its body, and never beyond the deadline.
    pub(crate) async fn ask(&self, ask: Ask<'_>, deadline: Deadline) -> Result<Map<String, Value>, Error> {
        if deadline.left().is_zero() {
            return Err(Error::Late);
        }
        let (kind, limit) = (ask.kind, ask.limit);
        let request = self.request(ask)?;
        let answer = self.exchange(request, kind, limit, deadline).await;
        if let Err(error) = &answer {
            tracing::debug!(error = %error, "the API server gave no usable answer");
            if error.breaks_connection() {
                self.wire.hang_up();
            }
        }
        answer
    }

    fn request(&self, ask: Ask<'_>) -> Result<Request<Body>, Error> {
        let prefix = self.server.path().trim_end_matches('/');
        let authority = self.server.authority().map_or("", http::uri::Authority::as_str);
        let uri = format!("https://{authority}{prefix}{}", ask.path);
        let mut request = Request::builder()
            .method(ask.method)
            .uri(uri)
            .header(header::ACCEPT, "application/json, */*;q=0.8")
            .header(header::USER_AGENT, concat!("ql3-ops/", env!("CARGO_PKG_VERSION")));
        if ask.body.is_some() {
            request = request.header(header::CONTENT_TYPE, JSON);
        }
        if let Some(token) = self.bearer.header().map_err(Error::Token)? {
            request = request.header(header::AUTHORIZATION, token);
        }
        request.body(ask.body.map_or_else(Body::empty, Body::from)).map_err(|_invalid| Error::Unsendable)
    }

    async fn exchange(
        &self,
        request: Request<Body>,
        kind: &'static str,
        limit: usize,
        deadline: Deadline,
    ) -> Result<Map<String, Value>, Error> {
        let answer = deadline.slice(REQUEST).bound(self.client.send(request)).await;
        let answer = answer.map_err(|_elapsed| Error::TimedOut)?.map_err(|error| Error::lost(&error))?;
        deadline.slice(BODY).bound(content(answer, kind, limit)).await.map_err(|_elapsed| Error::TimedOut)?
    }
}

/// The object in a success; an error otherwise. The body of an error is not even read: whatever follows the
/// status, the status stands.
async fn content(
    answer: Response<Body>,
    kind: &'static str,
    limit: usize,
) -> Result<Map<String, Value>, Error> {
    // The head holds a share in the connection, and is dropped after the body.
    let (head, body) = answer.into_parts();
    if !head.status.is_success() {
        return Err(Error::Status(head.status));
    }
    if !is_json(head.headers.get(header::CONTENT_TYPE)) {
        return Err(Error::ContentType);
    }
    let bytes = body::collect(body, limit).await?;
    let Value::Object(members) = json::parse(bytes.expose()).map_err(Error::Json)? else {
        return Err(Error::Kind { expected: kind });
    };
    if members.get("kind").is_none_or(|found| found != kind) {
        return Err(Error::Kind { expected: kind });
    }
    Ok(members)
}

fn is_json(value: Option<&HeaderValue>) -> bool {
    let essence = value.and_then(|value| value.to_str().ok()).and_then(|text| text.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case(JSON))
}

const JSON: &str = "application/json";

/// From the first packet to the head of an answer.
const REQUEST: Duration = Duration::from_secs(10);

/// For a whole body.
const BODY: Duration = Duration::from_secs(10);
