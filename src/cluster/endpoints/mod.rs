//! Where the API server answers: the Service `kubernetes`, and what stands behind it. Two requests, for `bundle
//! endpoint` alone.

mod error;
mod judge;

use std::collections::BTreeSet;
use std::net::SocketAddr;

use http::Method;
use serde_json::Map;
use serde_json::Value;

pub use self::error::CODES;
pub use self::error::Error;
pub use self::judge::judge;
use crate::cluster::session::Ask;
use crate::cluster::session::Session;
use crate::time::Deadline;

/// Reads both and joins them.
pub(super) async fn read(session: &Session, deadline: Deadline) -> Result<BTreeSet<SocketAddr>, Error> {
    let service = get(session, SERVICE, "Service", deadline).await?;
    let slices = get(session, SLICES, "EndpointSliceList", deadline).await?;
    judge(service, slices)
}

async fn get(
    session: &Session,
    path: &str,
    kind: &'static str,
    deadline: Deadline,
) -> Result<Map<String, Value>, Error> {
    let ask = Ask { method: Method::GET, path, body: None, kind, limit: MAX_ANSWER };
    session.ask(ask, deadline).await.map_err(Error::Api)
}

const SERVICE: &str = "/api/v1/namespaces/default/services/kubernetes";

/// The Service's slices. One answer of at most 16; the API server has one for each family.
const SLICES: &str = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices\
                      ?labelSelector=kubernetes.io%2Fservice-name%3Dkubernetes&limit=16";

/// Bytes of an answer.
const MAX_ANSWER: usize = 256 * 1024;
