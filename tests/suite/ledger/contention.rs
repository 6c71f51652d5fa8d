//! Other transactions in the way: the fence, locks, deadlocks and serialization failures.

use ql3_ops::exit::Exit;
use ql3_ops::ledger::Conflict;
use ql3_ops::ledger::Error;
use ql3_ops::ledger::Written;

use super::FENCE;
use super::open;
use super::prepare;
use super::rows;
use super::until_waiting;
use crate::support::artifact::artifact;
use crate::support::artifact::parents;
use crate::support::postgres::Database;

/// What the runtime does when it seals: take the fence, look for a preparation, insert.
const IS_PREPARED: &str =
    "SELECT count(*) FROM ql3_ai.model_invocation_prompt_output_key_retirement_preparations
                            WHERE key_id = 'key-old'";

#[tokio::test]
async fn an_artifact_that_waits_for_the_fence_sees_the_preparation_and_loses() {
    let database = Database::installed().await;
    let (admin, runtime) = (database.admin().await, database.admin().await);
    parents(&admin, 1).await;
    // A third session holds the fence until both wait for it, ours first.
    let holder = database.admin().await;
    holder.batch_execute(&format!("BEGIN; {FENCE}")).await.unwrap();
    let mut ledger = open(&database.settings()).await;
    let ours = prepare(&mut ledger, "one", 1);
    let theirs = async {
        until_waiting(&admin, 1).await;
        runtime.batch_execute("BEGIN").await.unwrap();
        let fence = runtime.batch_execute(FENCE);
        let release = async {
            until_waiting(&admin, 2).await;
            holder.batch_execute("COMMIT").await.unwrap();
        };
        tokio::join!(fence, release).0.unwrap();
        let prepared: i64 = runtime.query_one(IS_PREPARED, &[]).await.unwrap().get(0);
        runtime.batch_execute("ROLLBACK").await.unwrap();
        prepared
    };
    let (written, prepared) = tokio::join!(ours, theirs);
    assert!(matches!(written.unwrap(), Written::Created(_)));
    assert_eq!(prepared, 1, "the runtime refuses to seal");
}

#[tokio::test]
async fn an_artifact_committed_while_we_wait_for_the_fence_is_counted() {
    for isolation in ["READ COMMITTED", "SERIALIZABLE"] {
        let database = Database::installed().await;
        let (admin, runtime) = (database.admin().await, database.admin().await);
        parents(&admin, 1).await;
        runtime.batch_execute(&format!("BEGIN ISOLATION LEVEL {isolation}; {FENCE}")).await.unwrap();
        assert_eq!(runtime.query_one(IS_PREPARED, &[]).await.unwrap().get::<_, i64>(0), 0);
        let mut ledger = open(&database.settings()).await;
        let ours = prepare(&mut ledger, "one", 1);
        let theirs = async {
            // Our snapshot is taken by now: what is committed from here on it cannot see.
            until_waiting(&admin, 1).await;
            runtime.batch_execute(&artifact(1, "key-old", "a", 1)).await.unwrap();
            runtime.batch_execute("COMMIT").await.unwrap();
        };
        let refused = tokio::join!(ours, theirs).0.unwrap_err();
        assert!(matches!(refused, Error::Conflict(Conflict::LiveArtifacts(1))), "{isolation}: {refused}");
        let again = prepare(&mut ledger, "one", 2).await.unwrap_err();
        assert!(matches!(again, Error::Conflict(Conflict::LiveArtifacts(1))), "{isolation}: {again}");
    }
}

#[tokio::test]
async fn two_runs_of_one_order_write_one_row_and_agree() {
    let database = Database::installed().await;
    let (mut one, mut two) = (open(&database.settings()).await, open(&database.settings()).await);
    let (first, second) = tokio::join!(prepare(&mut one, "one", 1), prepare(&mut two, "one", 2));
    let row = |written: Written<_>| match written {
        Written::Created(row) => (row, 1),
        Written::Existing(row) => (row, 0),
    };
    let ((first, created), (second, created_too)) = (row(first.unwrap()), row(second.unwrap()));
    assert_eq!((first, created + created_too), (second, 1));
}

#[tokio::test]
async fn a_fence_held_for_five_seconds_is_a_busy_ledger() {
    let database = Database::installed().await;
    let holder = database.admin().await;
    holder.batch_execute(&format!("BEGIN; {FENCE}")).await.unwrap();
    let mut ledger = open(&database.settings()).await;
    let refused = prepare(&mut ledger, "one", 1).await.unwrap_err();
    assert!(matches!(refused, Error::Locked), "{refused}");
    assert_eq!(refused.code().exit, Exit::TryAgain);
    holder.batch_execute("COMMIT").await.unwrap();
    assert!(matches!(prepare(&mut ledger, "one", 1).await.unwrap(), Written::Created(_)));
}

/// A trigger that counts in a sequence (which no rollback takes back) and fails the first times.
async fn fail(database: &Database, state: &str, times: u32) {
    let table = "ql3_ai.model_invocation_prompt_output_key_retirement_preparations";
    let trigger = format!(
        "CREATE SEQUENCE public.attempts;
         GRANT USAGE, SELECT ON public.attempts TO PUBLIC;
         CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN
             IF nextval('public.attempts') <= {times} THEN
                 RAISE EXCEPTION 'made to fail' USING ERRCODE = '{state}';
             END IF;
             RETURN NEW;
         END $$;
         CREATE TRIGGER fail BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION public.fail()"
    );
    database.admin().await.batch_execute(&trigger).await.unwrap();
}

#[tokio::test]
async fn what_others_cause_is_tried_three_times_and_no_more() {
    for state in ["40001", "40P01"] {
        let database = Database::installed().await;
        let admin = database.admin().await;
        fail(&database, state, 2).await;
        let mut ledger = open(&database.settings()).await;
        assert!(matches!(prepare(&mut ledger, "one", 1).await.unwrap(), Written::Created(_)), "{state}");

        let database = Database::installed().await;
        fail(&database, state, 1000).await;
        let mut ledger = open(&database.settings()).await;
        let refused = prepare(&mut ledger, "one", 1).await.unwrap_err();
        assert!(matches!(refused, Error::Contended(found) if found.as_str() == state), "{refused}");
        let tried =
            database.admin().await.query_one("SELECT last_value FROM public.attempts", &[]).await.unwrap();
        assert_eq!(tried.get::<_, i64>(0), 3, "{state}");
        assert_eq!(rows(&database.admin().await).await, (0, 0));
        drop(admin);
    }
}

#[tokio::test]
async fn every_other_refusal_is_final_and_keeps_its_meaning() {
    type Check = fn(&Error) -> bool;
    let cases: [(&str, Check); 7] = [
        ("23503", |e| matches!(e, Error::Conflict(Conflict::Constraint(_)))),
        ("23514", |e| matches!(e, Error::Conflict(Conflict::Constraint(_)))),
        ("55P03", |e| matches!(e, Error::Locked)),
        ("57014", |e| matches!(e, Error::Refused(_))),
        ("42501", |e| matches!(e, Error::Denied(_))),
        ("42P01", |e| matches!(e, Error::Schema(_))),
        ("P0001", |e| matches!(e, Error::Refused(_))),
    ];
    let database = Database::installed().await;
    fail(&database, "00000", 0).await;
    let admin = database.admin().await;
    for (state, check) in cases {
        let function = format!(
            "CREATE OR REPLACE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS $$
             BEGIN
                 PERFORM nextval('public.attempts');
                 RAISE EXCEPTION 'made to fail' USING ERRCODE = '{state}';
             END $$;
             ALTER SEQUENCE public.attempts RESTART"
        );
        admin.batch_execute(&function).await.unwrap();
        let mut ledger = open(&database.settings()).await;
        let refused = prepare(&mut ledger, "one", 1).await.unwrap_err();
        assert!(check(&refused), "{state}: {refused}");
        let tried = admin.query_one("SELECT last_value FROM public.attempts", &[]).await.unwrap();
        assert_eq!(tried.get::<_, i64>(0), 1, "{state}");
    }
}

#[tokio::test]
async fn a_row_that_a_trigger_swallows_is_not_taken_for_written() {
    let database = Database::installed().await;
    let swallow = "CREATE FUNCTION public.swallow() RETURNS trigger LANGUAGE plpgsql AS
                   'BEGIN RETURN NULL; END';
                   CREATE TRIGGER swallow
                   BEFORE INSERT ON ql3_ai.model_invocation_prompt_output_key_retirement_preparations
                   FOR EACH ROW EXECUTE FUNCTION public.swallow()";
    database.admin().await.batch_execute(swallow).await.unwrap();
    let mut ledger = open(&database.settings()).await;
    let refused = prepare(&mut ledger, "one", 1).await.unwrap_err();
    assert!(matches!(refused, Error::Spoken), "{refused}");
}
