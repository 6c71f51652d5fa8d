//! The ledger on a real PostgreSQL 18.

mod commit;
mod connect;
mod contention;
mod install;
mod readiness;
mod write;

use ql3_ops::keyring::Absent;
use ql3_ops::keyring::Digest;
use ql3_ops::keyring::KeyId;
use ql3_ops::keyring::Preparation;
use ql3_ops::keyring::Request;
use ql3_ops::keyring::absence_proof;
use ql3_ops::ledger::Error;
use ql3_ops::ledger::Ledger;
use ql3_ops::ledger::Settings;
use ql3_ops::ledger::Written;
use serde_json::json;
use tokio_postgres::Client;

use crate::support::postgres::deadline;

fn key() -> KeyId {
    KeyId::parse("key-old").unwrap()
}

/// An order for `key()` with identities that begin like this.
fn order(name: &str) -> Request {
    let of = |part: &str| format!("{name}-{part}");
    Request::from_value(&json!({
        "keyId": "key-old", "retirementId": of("r"), "requestId": of("q"), "mutationId": of("m"),
    }))
    .unwrap()
}

fn digest(digit: &str) -> Digest {
    Digest::parse(&digit.repeat(64)).unwrap()
}

fn absent(preparation: &Preparation, digit: &str) -> Absent {
    let catalog_digest = digest(digit);
    Absent { key_id: key(), catalog_digest, absence_proof: absence_proof(preparation, catalog_digest) }
}

async fn open(settings: &Settings) -> Ledger {
    Ledger::open(settings, deadline()).await.unwrap()
}

async fn prepare(ledger: &mut Ledger, name: &str, now_ms: u64) -> Result<Written<Preparation>, Error> {
    ledger.prepare(&order(name), digest("a"), digest("b"), now_ms, deadline()).await
}

async fn prepared(ledger: &mut Ledger) -> Preparation {
    match prepare(ledger, "one", 1).await.unwrap() {
        Written::Created(preparation) => preparation,
        Written::Existing(_) => panic!("it was there"),
    }
}

/// Rows of both tables.
async fn rows(admin: &Client) -> (i64, i64) {
    let count = "SELECT (SELECT count(*) FROM ql3_ai.model_invocation_prompt_output_key_retirement_preparations),
                        (SELECT count(*) FROM ql3_ai.model_invocation_prompt_output_key_retirement_completions)";
    let row = admin.query_one(count, &[]).await.unwrap();
    (row.get(0), row.get(1))
}

/// The lock that the runtime takes before it seals under `key-old`.
const FENCE: &str =
    "SELECT pg_advisory_xact_lock(hashtextextended('ql3-ai:prompt-output-key:key-old', 1363936002))";

/// Waits until this many sessions of the database wait for a lock.
async fn until_waiting(admin: &Client, sessions: i64) {
    let count = "SELECT count(*) FROM pg_stat_activity
                  WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let waiting = async {
        while admin.query_one(count, &[]).await.unwrap().get::<_, i64>(0) != sessions {
            tokio::task::yield_now().await;
        }
    };
    deadline().bound(waiting).await.unwrap();
}
