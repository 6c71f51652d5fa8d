//! Taking the key out of the Secret: one read, at most one write, and one look where its answer leaves doubt.
//!
//! Preparing and committing are apart, so that the caller can mark the point of no return between them. The
//! write's body can be sent once because sending consumes it: [`Pending`] is neither `Clone` nor made
//! anywhere else.

pub mod decide;
mod error;

use std::fmt;

use bytes::Bytes;
use http::Method;
use http::StatusCode;
use serde_json::Map;
use serde_json::Value;

use self::decide::Next;
use self::decide::Reply;
use self::decide::Sight;
use self::decide::Verdict;
pub use self::error::Error;
use crate::cluster;
use crate::cluster::address::SecretRef;
use crate::cluster::secret;
use crate::cluster::secret::Observed;
use crate::cluster::session;
use crate::cluster::session::Ask;
use crate::cluster::session::Session;
use crate::keyring::Absent;
use crate::keyring::Kind;
use crate::keyring::Preparation;
use crate::keyring::Retirement;
use crate::keyring::State;
use crate::time::Deadline;

/// What a swap needs.
#[derive(Debug)]
pub enum Swap {
    /// One write.
    Pending(Pending),
    /// Nothing: the key left earlier, under this very preparation.
    Settled(Swapped),
}

/// The one write, ready to be sent.
pub struct Pending(Box<Write>);

struct Write {
    absent: Absent,
    body: Bytes,
    preparation: Preparation,
    secret: SecretRef,
    version: String,
}

impl fmt::Debug for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("version", &self.0.version).finish_non_exhaustive()
    }
}

/// Proof that the key is out of the Secret. Only this module makes one.
#[derive(Debug, Eq, PartialEq)]
pub struct Swapped {
    absent: Absent,
    how: How,
}

/// How a key came to be out.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum How {
    /// It was read there, before or after our own write.
    Found,
    /// The answer to our write shows it.
    Written,
}

impl Swapped {
    /// The key's state in the Secret.
    pub fn into_absent(self) -> Absent {
        self.absent
    }

    /// How we know.
    pub fn how(&self) -> How {
        self.how
    }
}

/// Reads the Secret and works out what has to be written. Nothing is written yet.
pub(super) async fn prepare(
    session: &Session,
    secret: &SecretRef,
    preparation: &Preparation,
    deadline: Deadline,
) -> Result<Swap, cluster::Error> {
    let observed = secret::read(session, secret.wanted(), deadline).await?;
    match observed.manifest().retire(preparation)? {
        Retirement::Unchanged(absent) => Ok(Swap::Settled(Swapped { absent, how: How::Found })),
        Retirement::Changed { manifest, absent } => Ok(Swap::Pending(Pending(Box::new(Write {
            absent,
            version: observed.resource_version().to_owned(),
            body: observed.successor(&manifest, &secret.data_key),
            preparation: preparation.clone(),
            secret: secret.clone(),
        })))),
    }
}

/// Sends the write, once, and settles its answer.
pub(super) async fn commit(
    session: &Session,
    pending: Pending,
    deadline: Deadline,
) -> Result<Swapped, Error> {
    let Write { absent, body, preparation, secret, version } = *pending.0;
    tracing::info!(resource_version = version, "writing the Secret");
    // Half of what is left, so that a look remains possible.
    let answer = put(session, &secret, body, deadline.slice(deadline.left() / 2)).await;
    let (reply, failure) = match answer {
        Ok(members) => (written(members, &secret, &absent), None),
        Err(error) => (unwritten(&error), Some(error)),
    };
    let doubt = match decide::after_write(reply) {
        Next::Done => {
            return Ok(Swapped { absent, how: How::Written });
        }
        Next::Stop => return Err(failure.map_or(Error::Unsettled, Error::Refused)),
        Next::Look(doubt) => doubt,
    };
    tracing::info!(?doubt, "the answer to the write leaves doubt; reading the Secret once");
    let seen = look(session, &secret, &preparation, &absent, &version, deadline).await;
    match decide::after_look(doubt, sight(&seen)) {
        Verdict::Altered => Err(Error::Altered),
        Verdict::Overtaken => Err(Error::Overtaken),
        Verdict::Settled => Ok(Swapped { absent, how: How::Found }),
        Verdict::Superseded => Err(Error::Superseded),
        Verdict::Unfit => Err(seen.err().map_or(Error::Unsettled, Error::Unfit)),
        Verdict::Unsent => Err(failure.map_or(Error::Unsettled, Error::Unsent)),
        Verdict::Unsettled => Err(Error::Unsettled),
    }
}

async fn put(
    session: &Session,
    secret: &SecretRef,
    body: Bytes,
    deadline: Deadline,
) -> Result<Map<String, Value>, session::Error> {
    let path = format!("{}{QUERY}", secret.wanted().path());
    let kind = secret::KIND;
    let ask = Ask { method: Method::PUT, path: &path, body: Some(body), kind, limit: secret::MAX_ANSWER };
    session.ask(ask, deadline).await
}

/// What a success says: only the very result that was sent is one.
fn written(members: Map<String, Value>, secret: &SecretRef, absent: &Absent) -> Reply {
    let written = Observed::check(members, secret.wanted());
    match written.map(|written| written.manifest().state(&absent.key_id)) {
        Ok(Ok(State::Absent(found))) if found == *absent => Reply::Exact,
        _ => Reply::Altered,
    }
}

fn unwritten(error: &session::Error) -> Reply {
    if let session::Error::Status(status) = error {
        return if *status == StatusCode::CONFLICT { Reply::Conflict } else { Reply::Refused };
    }
    if error.unsent() { Reply::Unsent } else { Reply::Silent }
}

/// What the Secret shows now, compared with what was sent.
async fn look(
    session: &Session,
    secret: &SecretRef,
    preparation: &Preparation,
    absent: &Absent,
    version: &str,
    deadline: Deadline,
) -> Result<Sight, secret::Error> {
    let observed = secret::read(session, secret.wanted(), deadline).await?;
    match observed.manifest().retire(preparation) {
        Ok(Retirement::Unchanged(found)) if found == *absent => Ok(Sight::Exact),
        Err(error) if error.kind() != Kind::Conflict => Err(secret::Error::Keyring(error)),
        _ if observed.resource_version() == version => Ok(Sight::Same),
        _ => Ok(Sight::Moved),
    }
}

/// A look without an answer shows nothing; a Secret that does not pass its checks shows something.
fn sight(seen: &Result<Sight, secret::Error>) -> Sight {
    match seen {
        Ok(sight) => *sight,
        Err(secret::Error::Api(_)) => Sight::Blind,
        Err(_unfit) => Sight::Unfit,
    }
}

/// Our name in the object's managed fields, and the server's strictest reading of the body.
const QUERY: &str = "?fieldManager=qinglong-prompt-output-key-retirement&fieldValidation=Strict";
