//! COMMIT whose answer does not come: what was written is found out, not guessed.

use std::time::Duration;

use ql3_ops::exit::Exit;
use ql3_ops::ledger::Error;
use ql3_ops::ledger::Ledger;
use ql3_ops::ledger::Written;
use ql3_ops::time::Deadline;

use super::absent;
use super::digest;
use super::open;
use super::order;
use super::prepare;
use super::prepared;
use super::rows;
use crate::support::postgres::Database;
use crate::support::postgres::deadline;
use crate::support::wire::Act;
use crate::support::wire::Rule;
use crate::support::wire::Side;
use crate::support::wire::Wire;

fn answer(act: Act) -> Rule {
    Rule { side: Side::Server, kind: b'C', text: "COMMIT", act }
}

fn request(act: Act) -> Rule {
    Rule { side: Side::Client, kind: b'Q', text: "COMMIT", act }
}

/// A notice (`N`) or an error (`E`), as a server or a pooler words it.
fn said(kind: u8, severity: &str, state: &str) -> Vec<u8> {
    let mut body = Vec::new();
    for (field, value) in [(b'S', severity), (b'V', severity), (b'C', state), (b'M', "words")] {
        body.push(field);
        body.extend(value.bytes().chain([0]));
    }
    body.push(0);
    let length = u32::try_from(body.len() + 4).unwrap();
    [&[kind][..], &length.to_be_bytes(), &body].concat()
}

async fn through(database: &Database, rules: Vec<Rule>) -> (Wire, Ledger) {
    let wire = Wire::start(&database.server, rules).await;
    let ledger = open(&database.settings_through(wire.port)).await;
    (wire, ledger)
}

#[tokio::test]
async fn a_lost_answer_is_found_to_have_been_a_yes() {
    let database = Database::installed().await;
    let (wire, mut ledger) = through(&database, vec![answer(Act::Cut)]).await;
    let written = prepare(&mut ledger, "one", 1).await.unwrap();
    wire.fired().await;
    assert!(matches!(written, Written::Created(ref row) if row.prepared_at_ms() == 1), "{written:?}");
    assert_eq!(rows(&database.admin().await).await, (1, 0));
}

#[tokio::test]
async fn a_lost_request_is_found_to_have_written_nothing_and_written_then() {
    let database = Database::installed().await;
    let (wire, mut ledger) = through(&database, vec![request(Act::Cut)]).await;
    let written = prepare(&mut ledger, "one", 1).await.unwrap();
    wire.fired().await;
    assert!(matches!(written, Written::Created(_)), "{written:?}");
    assert_eq!(rows(&database.admin().await).await, (1, 0));
}

/// Some poolers report a server that died under them as an error like any other.
#[tokio::test]
async fn an_error_to_a_commit_that_took_effect_is_found_to_have_been_a_yes() {
    for state in ["XX000", "58000"] {
        let database = Database::installed().await;
        let (wire, mut ledger) =
            through(&database, vec![answer(Act::Precede(said(b'E', "ERROR", state)))]).await;
        let written = prepare(&mut ledger, "one", 1).await.unwrap();
        wire.fired().await;
        assert!(matches!(written, Written::Created(_)), "{state}: {written:?}");
        assert_eq!(rows(&database.admin().await).await, (1, 0));
    }
}

#[tokio::test]
async fn an_error_to_a_commit_that_took_no_effect_is_written_then() {
    let database = Database::installed().await;
    let rolled_back = Rule {
        side: Side::Server,
        kind: b'C',
        text: "ROLLBACK",
        act: Act::Precede(said(b'E', "ERROR", "XX000")),
    };
    let rules = vec![request(Act::Replace("COMMIT", "ABORT ")), rolled_back];
    let (wire, mut ledger) = through(&database, rules).await;
    let written = prepare(&mut ledger, "one", 1).await.unwrap();
    wire.fired_times(2).await;
    assert!(matches!(written, Written::Created(_)), "{written:?}");
    assert_eq!(rows(&database.admin().await).await, (1, 0));
}

#[tokio::test]
async fn a_completion_is_settled_in_the_same_way() {
    for lost in [answer(Act::Cut), request(Act::Cut)] {
        let database = Database::installed().await;
        let preparation = prepared(&mut open(&database.settings()).await).await;
        let (wire, mut ledger) = through(&database, vec![lost]).await;
        let written = ledger.complete(&preparation, &absent(&preparation, "c"), 3, deadline()).await.unwrap();
        wire.fired().await;
        assert!(matches!(written, Written::Created(_)), "{written:?}");
        assert_eq!(rows(&database.admin().await).await, (1, 1));
    }
}

#[tokio::test]
async fn an_answer_that_is_lost_three_times_is_settled_at_the_fourth() {
    let database = Database::installed().await;
    let rules = vec![request(Act::Cut), request(Act::Cut), answer(Act::Cut)];
    let (_wire, mut ledger) = through(&database, rules).await;
    assert!(matches!(prepare(&mut ledger, "one", 1).await.unwrap(), Written::Created(_)));
    assert_eq!(rows(&database.admin().await).await, (1, 0));
}

#[tokio::test]
async fn what_another_run_wrote_meanwhile_is_existing() {
    let database = Database::installed().await;
    let (wire, mut ledger) = through(&database, vec![request(Act::Stall)]).await;
    let stalled = prepare(&mut ledger, "one", 1);
    let meanwhile = async {
        wire.fired().await;
        // The stalled session holds the fence; the server ends it, as a fail-over would.
        let admin = database.admin().await;
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND application_name LIKE 'qinglong3-%'";
        admin.query(end, &[]).await.unwrap();
        let mut other = open(&database.settings()).await;
        prepare(&mut other, "one", 2).await.unwrap()
    };
    // The stall alone would last the 16 s that one answer may take.
    let (stalled, other) = tokio::join!(stalled, meanwhile);
    // Whoever was second found what the first had written.
    let (Written::Created(row), Written::Existing(found)) = ordered(stalled.unwrap(), other) else {
        panic!("one wrote and one found it")
    };
    assert_eq!(row, found);
    assert_eq!(rows(&database.admin().await).await, (1, 0));
}

fn ordered<T>(one: Written<T>, two: Written<T>) -> (Written<T>, Written<T>) {
    if matches!(one, Written::Created(_)) { (one, two) } else { (two, one) }
}

#[tokio::test]
async fn what_cannot_be_settled_before_the_deadline_is_said_to_be_unsettled() {
    let database = Database::installed().await;
    let (wire, mut ledger) = through(&database, vec![answer(Act::Stall)]).await;
    let soon = Deadline::after(Duration::from_secs(2));
    let outcome = ledger.prepare(&order("one"), digest("a"), digest("b"), 1, soon).await.unwrap_err();
    wire.fired().await;
    assert!(matches!(outcome, Error::Unsettled(_)), "{outcome}");
    assert_eq!((outcome.code().exit, outcome.code().code), (Exit::Unsettled, "QL3_LEDGER_COMMIT_UNSETTLED"));
    // And the next run finds it.
    let mut ledger = open(&database.settings()).await;
    assert!(matches!(prepare(&mut ledger, "one", 2).await.unwrap(), Written::Existing(_)));
}

#[tokio::test]
async fn a_first_transaction_that_is_still_undecided_is_waited_for() {
    let database = Database::installed().await;
    let (wire, mut ledger) = through(&database, vec![request(Act::Stall)]).await;
    let soon = Deadline::after(Duration::from_secs(4));
    let outcome = ledger.prepare(&order("one"), digest("a"), digest("b"), 1, soon).await.unwrap_err();
    wire.fired().await;
    assert!(matches!(outcome, Error::Unsettled(_)), "{outcome}");
    assert_eq!(rows(&database.admin().await).await, (0, 0), "nothing was written beside the undecided one");
}

#[tokio::test]
async fn a_commit_whose_replication_was_cancelled_is_not_called_done() {
    let message = said(b'N', "WARNING", "01000");
    let database = Database::installed().await;
    let (_wire, mut ledger) = through(&database, vec![answer(Act::Precede(message))]).await;
    let outcome = prepare(&mut ledger, "one", 1).await.unwrap_err();
    assert!(matches!(outcome, Error::NotReplicated), "{outcome}");
    assert_eq!(outcome.code().exit, Exit::Unsettled);
    assert_eq!(rows(&database.admin().await).await, (1, 0));
}

/// The server's own warning: it is sent only to a session that wants warnings.
#[tokio::test]
async fn a_warning_reaches_us_although_the_role_is_set_to_hear_none() {
    let database = Database::installed().await;
    let admin = database.admin().await;
    let warn = format!(
        "ALTER ROLE {} SET client_min_messages = error;
         CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN RAISE WARNING 'canceling wait'; RETURN NULL; END $$;
         CREATE CONSTRAINT TRIGGER warn
          AFTER INSERT ON ql3_ai.model_invocation_prompt_output_key_retirement_preparations
                DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION warn()",
        database.name
    );
    admin.batch_execute(&warn).await.unwrap();
    let outcome = prepare(&mut open(&database.settings()).await, "one", 1).await;
    assert!(matches!(outcome, Err(Error::NotReplicated)), "{outcome:?}");
    assert_eq!(rows(&admin).await, (1, 0));
}

#[tokio::test]
async fn a_session_lost_before_commit_wrote_nothing_and_says_why() {
    let database = Database::installed().await;
    let mut ledger = open(&database.settings()).await;
    let admin = database.admin().await;
    let end = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                WHERE datname = current_database() AND application_name LIKE 'qinglong3-%'";
    admin.query(end, &[]).await.unwrap();
    let lost = prepare(&mut ledger, "one", 1).await.unwrap_err();
    assert!(matches!(lost, Error::Lost(Some(state)) if state.as_str() == "57P01"), "{lost}");
    assert_eq!((lost.code().exit, rows(&admin).await), (Exit::Unavailable, (0, 0)));
    // The lost session is not used again; a new one is opened.
    assert!(matches!(prepare(&mut ledger, "one", 1).await.unwrap(), Written::Created(_)));
}
