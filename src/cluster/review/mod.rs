//! What we may do, asked before anything is done: exactly the rights of the matrix, no fewer and no more.

mod error;
mod judge;

use bytes::Bytes;
use futures_util::future::join_all;
use http::Method;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

pub use self::error::CODES;
pub use self::error::Error;
pub use self::judge::ROWS;
pub use self::judge::Row;
use crate::cluster::address::SecretRef;
use crate::cluster::session;
use crate::cluster::session::Ask;
use crate::cluster::session::Session;
use crate::time::Deadline;

/// Sends all ten reviews at once and judges their answers in order.
pub(super) async fn run(session: &Session, secret: &SecretRef, deadline: Deadline) -> Result<(), Error> {
    let answers = join_all(ROWS.iter().map(|row| ask(session, row, secret, deadline))).await;
    judge_all(answers)?;
    tracing::info!(rows = ROWS.len(), "our rights are exactly the expected ones");
    Ok(())
}

/// Pure: the first row, in the order of the matrix, whose answer does not pass.
pub fn judge_all(answers: Vec<Result<Map<String, Value>, session::Error>>) -> Result<(), Error> {
    let mut answers = answers.into_iter();
    ROWS.iter().try_for_each(|row| match answers.next() {
        Some(Ok(answer)) => row.judge(&answer),
        Some(Err(source)) => Err(Error::Api { row: *row, source }),
        None => Err(Error::Unproven { row: *row }),
    })
}

async fn ask(
    session: &Session,
    row: &Row,
    secret: &SecretRef,
    deadline: Deadline,
) -> Result<Map<String, Value>, session::Error> {
    let body = json!({
        "apiVersion": "authorization.k8s.io/v1",
        "kind": KIND,
        "spec": { "resourceAttributes": row.attributes(secret) },
    });
    let ask = Ask {
        method: Method::POST,
        path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        body: Some(Bytes::from(body.to_string())),
        kind: KIND,
        limit: MAX_ANSWER,
    };
    session.ask(ask, deadline).await
}

const KIND: &str = "SelfSubjectAccessReview";

/// Bytes of an answered review.
const MAX_ANSWER: usize = 256 * 1024;
