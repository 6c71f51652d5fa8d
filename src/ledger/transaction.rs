//! One writing transaction, in two flights.
//!
//! The first begins, takes the fence and reads; the second inserts and commits. The isolation is SERIALIZABLE and
//! the fence a lock of the transaction, so that nothing outlives it, not even in a pool of server sessions.

use futures_util::future::join3;
use futures_util::future::join5;
use tokio_postgres::types::ToSql;
use tokio_postgres::types::Type;

use super::Conflict;
use super::Error;
use super::Written;
use super::connection::Connection;
use super::connection::check_writable;
use super::decide::Decision;
use super::fault::Ending;
use super::fault::Fault;
use super::fault::judge_commit;
use super::record;
use super::record::Record;
use crate::keyring::KeyId;
use crate::time::Deadline;

/// A value bound to a statement, with the type it is declared as.
pub(super) type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

/// One row to be written, and when to refrain from it.
pub(super) struct Wish<'a, T> {
    /// Whose fence is taken.
    pub(super) key: &'a KeyId,
    /// The row as a receipt.
    pub(super) row: T,
    /// The statement that inserts it, and its values.
    pub(super) insert: &'static str,
    pub(super) values: &'a [Parameter<'a>],
    /// What to do with what was read, and how many artifacts live under the key.
    pub(super) decide: &'a dyn Fn(Option<&Record>, u64) -> Decision<T>,
}

/// How one transaction ended.
pub(super) enum Attempt<T> {
    /// The row is there.
    Done(Written<T>),
    /// It is not, for good.
    Failed(Error),
    /// COMMIT was sent.
    InDoubt(Fault),
    /// Another transaction was in the way.
    Passing(Fault),
    /// A row with one of the identities is there already.
    Taken(Fault),
}

/// Reads under the fence, decides, and writes.
pub(super) async fn transact<T: Clone>(
    connection: &Connection,
    wish: &Wish<'_, T>,
    deadline: Deadline,
) -> Attempt<T> {
    let decision = match read(connection, wish.key, deadline).await {
        Ok((found, live)) => (wish.decide)(found.as_ref(), live),
        Err(Reading::Fault(fault)) => {
            return abort(connection, Error::from_fault(fault), fault, deadline).await;
        }
        Err(Reading::Error(error)) => return roll_back(connection, Attempt::Failed(error), deadline).await,
    };
    match decision {
        Decision::Insert => insert(connection, wish, deadline).await,
        Decision::Refuse(conflict) => {
            roll_back(connection, Attempt::Failed(Error::Conflict(conflict)), deadline).await
        }
        // What a serializable transaction read is true only once it has committed.
        Decision::Existing(row) => {
            match connection.answer(deadline, connection.client().batch_execute("COMMIT")).await {
                Ok(()) => Attempt::Done(Written::Existing(row)),
                Err(fault) if fault.may_pass() => Attempt::Passing(fault),
                Err(fault) => Attempt::Failed(Error::from_fault(fault)),
            }
        }
    }
}

/// Why the first flight brought nothing.
enum Reading {
    Error(Error),
    Fault(Fault),
}

/// First flight: begin, fence, and what stands there. The statements are sent together and run in this order.
async fn read(
    connection: &Connection,
    key: &KeyId,
    deadline: Deadline,
) -> Result<(Option<Record>, u64), Reading> {
    let client = connection.client();
    let (name, id) = (lock_name(key), key.as_str());
    let lock: [Parameter<'_>; 2] = [(&name, Type::TEXT), (&SEED, Type::INT8)];
    let by_key: [Parameter<'_>; 1] = [(&id, Type::TEXT)];
    let flight = Box::pin(join5(
        client.batch_execute(BEGIN),
        client.query_typed_one(FENCE, &lock),
        client.query_typed(record::PREPARATION, &by_key),
        client.query_typed(record::COMPLETION, &by_key),
        client.query_typed_one(LIVE, &by_key),
    ));
    // The first failure is the cause; those behind it only say that the transaction is aborted.
    let all = async {
        let (begun, fence, preparations, completions, live) = flight.await;
        begun?;
        Ok((fence?, preparations?, completions?, live?))
    };
    let (fence, preparations, completions, live) =
        connection.answer(deadline, all).await.map_err(Reading::Fault)?;
    let said = |index| fence.try_get::<_, &str>(index).map_err(|_shape| Reading::Error(Error::Spoken));
    check_writable(said(0)?, said(1)?).map_err(Reading::Error)?;
    let found = record::pair(&preparations, &completions).map_err(Reading::Error)?;
    Ok((found, count(&live).map_err(Reading::Error)?))
}

/// Second flight: insert, commit, and count once more.
///
/// The count inside the transaction can be older than the fence, which is waited for *after* the snapshot is taken:
/// an artifact committed meanwhile is invisible to it. Once our row is committed, nobody seals under this key any
/// more, so this count is the last word.
async fn insert<T: Clone>(connection: &Connection, wish: &Wish<'_, T>, deadline: Deadline) -> Attempt<T> {
    let client = connection.client();
    let id = wish.key.as_str();
    let before = connection.warnings();
    let by_key: [Parameter<'_>; 1] = [(&id, Type::TEXT)];
    let flight = Box::pin(join3(
        client.execute_typed(wish.insert, wish.values),
        client.batch_execute("COMMIT"),
        client.query_typed_one(LIVE, &by_key),
    ));
    let fly = async { Ok(flight.await) };
    let (inserted, committed, live) = match connection.answer(deadline, fly).await {
        Ok(answers) => answers,
        Err(fault) => return Attempt::InDoubt(fault),
    };
    let ending = judge_commit(
        inserted.map_err(|error| connection.read(&error)),
        committed.map_err(|error| connection.read(&error)),
    );
    match ending {
        Ending::Aborted(fault) if fault.may_pass() => Attempt::Passing(fault),
        Ending::Aborted(fault) if fault.is_duplicate() => Attempt::Taken(fault),
        Ending::Aborted(fault) => Attempt::Failed(Error::from_fault(fault)),
        Ending::InDoubt(fault) => Attempt::InDoubt(fault),
        // An administrator, or statement_timeout, can end the wait for the replica: COMMIT succeeds with a warning.
        Ending::Committed if connection.warnings() != before => Attempt::Failed(Error::NotReplicated),
        Ending::Committed => {
            match live.as_ref().map(count) {
                Ok(Ok(0)) => Attempt::Done(Written::Created(wish.row.clone())),
                Ok(Ok(live)) => Attempt::Failed(Error::Conflict(Conflict::LiveArtifacts(live))),
                Ok(Err(error)) => Attempt::Failed(error),
                // Written, and not yet known whether that is enough: the same question settles it.
                Err(error) => Attempt::InDoubt(connection.read(error)),
            }
        }
    }
}

/// After a failed statement: end the transaction, unless the session ended it.
async fn abort<T>(connection: &Connection, error: Error, fault: Fault, deadline: Deadline) -> Attempt<T> {
    match fault {
        Fault::Answer(_) if fault.may_pass() => {
            roll_back(connection, Attempt::Passing(fault), deadline).await
        }
        Fault::Answer(_) => roll_back(connection, Attempt::Failed(error), deadline).await,
        Fault::Lost(_) | Fault::Odd | Fault::Silent => Attempt::Failed(error),
    }
}

/// Nothing was written before; when even this fails, the session is at an end and the failure is the ledger's.
async fn roll_back<T>(connection: &Connection, outcome: Attempt<T>, deadline: Deadline) -> Attempt<T> {
    match connection.answer(deadline, connection.client().batch_execute("ROLLBACK")).await {
        Ok(()) => outcome,
        Err(fault) => Attempt::Failed(Error::from_fault(fault)),
    }
}

fn count(row: &tokio_postgres::Row) -> Result<u64, Error> {
    let live: i64 = row.try_get(0).map_err(|_shape| Error::Spoken)?;
    u64::try_from(live).map_err(|_negative| Error::Spoken)
}

/// What is hashed to the fence's number; the runtime takes the same lock before it seals an artifact.
fn lock_name(key: &KeyId) -> String {
    format!("ql3-ai:prompt-output-key:{key}")
}

const SEED: i64 = 0x514c_0302;
const BEGIN: &str = "BEGIN ISOLATION LEVEL SERIALIZABLE; SET LOCAL lock_timeout = '5s'";
const FENCE: &str = "
    SELECT pg_catalog.pg_is_in_recovery()::text,
           pg_catalog.current_setting('transaction_read_only'),
           pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended($1, $2))";
const LIVE: &str = "
    SELECT pg_catalog.count(*)
      FROM ql3_ai.model_invocation_prompt_output_artifacts
     WHERE key_id = $1";
