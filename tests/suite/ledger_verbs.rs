//! `ledger install` and `ledger check`, as an operator types them.

use serde_json::Value;
use serde_json::json;

use crate::support::postgres::Database;
use crate::support::program;
use crate::support::program::Ended;

fn ledger(arguments: &[&str], environment: impl IntoIterator<Item = (String, std::ffi::OsString)>) -> Ended {
    program::run(program::program().arg("ledger").args(arguments).envs(environment))
}

fn json(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"))
}

/// The owner's twins of the maintenance role's variables.
fn as_owner(database: &Database) -> Vec<(String, std::ffi::OsString)> {
    let own = |name: String| name.replace("AI_MAINTENANCE", "MIGRATION");
    database.environment(&[]).into_iter().map(|(name, value)| (own(name), value)).collect()
}

#[tokio::test]
async fn an_empty_database_is_installed_once_and_printing_touches_nothing() {
    let database = Database::empty().await;
    let printed = ledger(&["install", "--print"], []);
    assert_eq!((printed.exit, printed.stderr.as_str()), (Some(0), ""));
    for word in
        ["CREATE TABLE ql3_ai.model_invocation_prompt_output_key_retirement_preparations", "GRANT", "REVOKE"]
    {
        assert!(printed.stdout.contains(word), "{word}");
    }
    let installed = json(&ledger(&["install"], as_owner(&database)));
    assert_eq!(installed["status"], "complete");
    assert!(installed["applied"].as_array().unwrap().len() >= 5, "{installed}");
    let again = json(&ledger(&["install"], as_owner(&database)));
    assert_eq!((&again["status"], &again["applied"]), (&json!("complete"), &json!([])));
}

#[tokio::test]
async fn a_missing_and_an_excessive_privilege_are_named_with_their_remedy() {
    let database = Database::installed().await;
    let environment = database.environment(&[]);
    let ready = ledger(&["check"], environment.clone());
    assert_eq!(ready.exit, Some(0), "{ready:?}");
    assert_eq!(json(&ready)["ready"], true);

    let table = "ql3_ai.model_invocation_prompt_output_key_retirement_completions";
    let change = format!(
        "REVOKE INSERT ON {table} FROM ql3_ai_maintenance; GRANT UPDATE ON {table} TO ql3_ai_maintenance"
    );
    database.admin().await.batch_execute(&change).await.unwrap();
    let ended = ledger(&["check"], environment);
    assert_eq!((ended.exit, ended.stderr.as_str()), (Some(77), ""), "{ended:?}");
    let answer = json(&ended);
    assert_eq!(answer["conditions"]["keyRetirementAppendOnly"], false);
    assert_eq!(answer["conditions"]["tombstoneAppendOnly"], true);
    let remedies = answer["remedies"].to_string();
    assert!(remedies.contains("GRANT INSERT") && remedies.contains("REVOKE UPDATE"), "{remedies}");
}

#[tokio::test]
async fn tables_of_others_are_left_alone_and_accepted_only_where_nothing_is_missing() {
    let database = Database::empty().await;
    database.client().await.batch_execute("CREATE SCHEMA ql3; CREATE TABLE ql3.anything ()").await.unwrap();
    let ended = ledger(&["install"], as_owner(&database));
    assert_eq!((ended.exit, ended.stdout.as_str()), (Some(78), ""), "{ended:?}");
    assert!(ended.stderr.contains("QL3_LEDGER_FOREIGN_TABLES"), "{ended:?}");

    let database = Database::empty().await;
    assert_eq!(ledger(&["install"], as_owner(&database)).exit, Some(0));
    let theirs = "UPDATE ql3_ai.ai_schema_migrations SET migration_id = 'pg-' || migration_id";
    database.client().await.batch_execute(theirs).await.unwrap();
    assert_eq!(json(&ledger(&["install"], as_owner(&database)))["status"], "left-alone");
}
