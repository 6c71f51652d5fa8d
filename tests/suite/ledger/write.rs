//! What is written, what is found, and what is refused.

use ql3_ops::exit::Exit;
use ql3_ops::ledger::Conflict;
use ql3_ops::ledger::Error;
use ql3_ops::ledger::LiveArtifacts;
use ql3_ops::ledger::Record;
use ql3_ops::ledger::Row;
use ql3_ops::ledger::Written;

use super::absent;
use super::digest;
use super::key;
use super::open;
use super::order;
use super::prepare;
use super::prepared;
use super::rows;
use crate::support::artifact::artifact;
use crate::support::artifact::parents;
use crate::support::postgres::Database;
use crate::support::postgres::deadline;

#[tokio::test]
async fn both_receipts_are_written_once_and_found_again_with_their_first_times() {
    let database = Database::installed().await;
    let mut ledger = open(&database.settings()).await;
    assert_eq!(ledger.find(&key(), deadline()).await.unwrap(), None);
    let preparation = prepared(&mut ledger).await;
    assert_eq!(prepare(&mut ledger, "one", 2).await.unwrap(), Written::Existing(preparation.clone()));

    let gone = absent(&preparation, "c");
    let Written::Created(completion) = ledger.complete(&preparation, &gone, 3, deadline()).await.unwrap()
    else {
        panic!("it was there");
    };
    let again = ledger.complete(&preparation, &gone, 4, deadline()).await.unwrap();
    assert_eq!(again, Written::Existing(completion.clone()));
    let record = Record { preparation, completion: Some(completion) };
    assert_eq!(ledger.find(&key(), deadline()).await.unwrap(), Some(record));
    assert_eq!(rows(&database.admin().await).await, (1, 1));
    ledger.close(deadline()).await.unwrap();
}

#[tokio::test]
async fn another_order_for_the_key_or_about_another_keyring_is_a_conflict() {
    let database = Database::installed().await;
    let mut ledger = open(&database.settings()).await;
    let preparation = prepared(&mut ledger).await;
    let refused = prepare(&mut ledger, "two", 1).await.unwrap_err();
    assert!(matches!(refused, Error::Conflict(Conflict::Another)), "{refused}");
    assert_eq!(refused.code().exit, Exit::Data);
    for (catalog, proof) in [("f", "b"), ("a", "f")] {
        let refused =
            ledger.prepare(&order("one"), digest(catalog), digest(proof), 1, deadline()).await.unwrap_err();
        assert!(matches!(refused, Error::Conflict(Conflict::Another)), "{refused}");
    }
    ledger.complete(&preparation, &absent(&preparation, "c"), 3, deadline()).await.unwrap();
    let refused = ledger.complete(&preparation, &absent(&preparation, "d"), 3, deadline()).await.unwrap_err();
    assert!(matches!(refused, Error::Conflict(Conflict::Another)), "{refused}");
    assert_eq!(rows(&database.admin().await).await, (1, 1));
}

#[tokio::test]
async fn a_completion_without_its_preparation_is_a_conflict() {
    let database = Database::installed().await;
    let mut ledger = open(&database.settings()).await;
    let other = Database::installed().await;
    let preparation = prepared(&mut open(&other.settings()).await).await;
    let refused = ledger.complete(&preparation, &absent(&preparation, "c"), 3, deadline()).await.unwrap_err();
    assert!(matches!(refused, Error::Conflict(Conflict::Unprepared)), "{refused}");
}

#[tokio::test]
async fn an_identity_that_was_used_for_another_key_is_a_conflict() {
    let database = Database::installed().await;
    let mut ledger = open(&database.settings()).await;
    prepared(&mut ledger).await;
    let mut other = order("two");
    other.key_id = ql3_ops::keyring::KeyId::parse("key-other").unwrap();
    other.request_id = order("one").request_id;
    let refused = ledger.prepare(&other, digest("a"), digest("b"), 1, deadline()).await.unwrap_err();
    let Error::Conflict(Conflict::Constraint(state)) = refused else { panic!("{refused}") };
    assert_eq!(state.as_str(), "23505");
    // The session is as good as new: the failed transaction was ended.
    assert!(matches!(prepare(&mut ledger, "one", 9).await, Ok(Written::Existing(_))));
}

#[tokio::test]
async fn a_key_with_live_ciphertexts_is_not_prepared_and_they_are_counted_by_project() {
    let database = Database::installed().await;
    let admin = database.admin().await;
    for (number, project) in [(1, "a"), (2, "b"), (3, "b")] {
        parents(&admin, number).await;
        admin.batch_execute(&artifact(number, "key-old", project, u64::from(number))).await.unwrap();
    }
    let mut ledger = open(&database.settings()).await;
    let refused = prepare(&mut ledger, "one", 1).await.unwrap_err();
    assert!(matches!(refused, Error::Conflict(Conflict::LiveArtifacts(3))), "{refused}");
    let live = |project: &str, count, sealed: u64| LiveArtifacts {
        project_id: project.to_owned(),
        count,
        last_eligible_at_ms: sealed + 3_600_000,
    };
    let found = ledger.live_artifacts(&key(), deadline()).await.unwrap();
    assert_eq!(found, [live("b", 2, 3), live("a", 1, 1)]);
    assert_eq!(rows(&admin).await, (0, 0));
}

#[tokio::test]
async fn a_completion_is_refused_while_ciphertexts_live() {
    let database = Database::installed().await;
    let admin = database.admin().await;
    let mut ledger = open(&database.settings()).await;
    let preparation = prepared(&mut ledger).await;
    parents(&admin, 1).await;
    admin.batch_execute(&artifact(1, "key-old", "a", 1)).await.unwrap();
    let refused = ledger.complete(&preparation, &absent(&preparation, "c"), 3, deadline()).await.unwrap_err();
    assert!(matches!(refused, Error::Conflict(Conflict::LiveArtifacts(1))), "{refused}");
    assert_eq!(rows(&admin).await, (1, 0));
}

/// Without it a policy would hide ciphertexts, or a row of the ledger, and nobody would say so.
#[tokio::test]
async fn what_row_level_security_would_hide_is_refused_and_not_counted_as_nothing() {
    for table in ["artifacts", "key_retirement_preparations", "key_retirement_completions"] {
        let database = Database::installed().await;
        database.live_artifact("key-old").await;
        let mut ledger = open(&database.settings()).await;
        let secure =
            format!("ALTER TABLE ql3_ai.model_invocation_prompt_output_{table} ENABLE ROW LEVEL SECURITY");
        database.admin().await.batch_execute(&secure).await.unwrap();
        let refused = prepare(&mut ledger, "one", 1).await.unwrap_err();
        assert!(matches!(refused, Error::Denied(state) if state.as_str() == "42501"), "{table}: {refused}");
        assert_eq!((refused.code().code, refused.code().exit), ("QL3_LEDGER_DENIED", Exit::Denied));
        let shown = match table {
            "artifacts" => ledger.live_artifacts(&key(), deadline()).await.map(|_| ()),
            _ => ledger.find(&key(), deadline()).await.map(|_| ()),
        };
        assert!(matches!(shown, Err(Error::Denied(_))), "{table}: {shown:?}");
        assert_eq!(rows(&database.admin().await).await, (0, 0));
    }
}

#[tokio::test]
async fn a_row_that_somebody_changed_by_hand_is_noticed() {
    let database = Database::installed().await;
    let admin = database.admin().await;
    let mut ledger = open(&database.settings()).await;
    let preparation = prepared(&mut ledger).await;
    ledger.complete(&preparation, &absent(&preparation, "c"), 3, deadline()).await.unwrap();
    let table = |name: &str| format!("ql3_ai.model_invocation_prompt_output_key_retirement_{name}");
    let (first, second) = (table("preparations"), table("completions"));
    let drop_checks = format!(
        "ALTER TABLE {first} DROP CONSTRAINT ql3_ai_prompt_output_key_retirement_preparation_json_check;
         ALTER TABLE {second} DROP CONSTRAINT ql3_ai_prompt_output_key_retirement_completion_json_check,
                              DROP CONSTRAINT ql3_ai_prompt_output_key_retirement_completion_preparation_fk"
    );
    admin.batch_execute(&drop_checks).await.unwrap();
    let digit = "f".repeat(64);
    let faults = [
        (&first, "retirement_id = 'x'".to_owned(), Row::Column("retirement_id")),
        (&first, format!("catalog_digest = '{digit}'"), Row::Column("catalog_digest")),
        (&first, "prepared_at_ms = 2".to_owned(), Row::Column("prepared_at_ms")),
        (&first, "preparation_json = preparation_json - 'keyId'".to_owned(), Row::Receipt),
        (&first, "preparation_json = preparation_json || '{\"preparedAtMs\": 2}'".to_owned(), Row::Receipt),
        (&second, "completed_at_ms = 4".to_owned(), Row::Column("completed_at_ms")),
        (&second, format!("absence_proof = '{digit}'"), Row::Column("absence_proof")),
        (&second, "completion_json = completion_json || '{\"more\": 1}'".to_owned(), Row::Receipt),
    ];
    for (table, change, expected) in faults {
        admin.batch_execute("BEGIN").await.unwrap();
        let restore =
            format!("CREATE TEMP TABLE kept ON COMMIT PRESERVE ROWS AS SELECT * FROM {table}; COMMIT");
        admin.batch_execute(&restore).await.unwrap();
        admin.batch_execute(&format!("UPDATE {table} SET {change}")).await.unwrap();
        let found = ledger.find(&key(), deadline()).await.unwrap_err();
        let Error::Row(row) = found else { panic!("{change}: {found}") };
        assert_eq!((row, found.code().exit), (expected, Exit::Data), "{change}");
        let refused = prepare(&mut ledger, "one", 1).await.unwrap_err();
        assert!(matches!(refused, Error::Row(_)), "{change}: {refused}");
        let back = format!("DELETE FROM {table}; INSERT INTO {table} SELECT * FROM kept; DROP TABLE kept");
        admin.batch_execute(&back).await.unwrap();
    }
    admin.batch_execute(&format!("DELETE FROM {first}")).await.unwrap();
    let found = ledger.find(&key(), deadline()).await.unwrap_err();
    assert!(matches!(found, Error::Row(Row::Orphan)), "{found}");
}
