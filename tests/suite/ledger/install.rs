//! Installing the tables, again and again, and beside somebody else's.

use ql3_ops::ledger::Error;
use ql3_ops::ledger::schema;
use ql3_ops::ledger::schema::Installed;

use super::open;
use crate::support::postgres::Database;
use crate::support::postgres::deadline;

const HISTORY: &str = "SELECT migration_id::text, checksum::text FROM ql3_ai.ai_schema_migrations ORDER BY 1";

#[tokio::test]
async fn the_owner_installs_once_and_finds_it_done_from_then_on() {
    let database = Database::empty().await;
    let ids: Vec<_> = schema::STEPS.iter().map(|step| step.id).collect();
    for expected in [ids.clone(), vec![], vec![]] {
        let installed = schema::install(&database.settings(), deadline()).await.unwrap();
        assert_eq!(installed, Installed::Complete { applied: expected, missing: vec![] });
    }
    let rows = database.admin().await.query(HISTORY, &[]).await.unwrap();
    let recorded: Vec<(String, String)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let expected: Vec<_> = schema::STEPS.iter().map(|step| (step.id.to_owned(), step.checksum())).collect();
    assert_eq!(recorded, expected);
}

#[tokio::test]
async fn two_installers_do_not_run_a_step_twice() {
    let database = Database::empty().await;
    let (one, two) = (database.settings(), database.settings());
    let (one, two) = tokio::join!(schema::install(&one, deadline()), schema::install(&two, deadline()));
    let applied = |installed| match installed {
        Ok(Installed::Complete { applied, .. }) => applied.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!(applied(one) + applied(two), schema::STEPS.len());
}

#[tokio::test]
async fn grants_that_drifted_are_renewed() {
    let database = Database::empty().await;
    schema::install(&database.settings(), deadline()).await.unwrap();
    let admin = database.admin().await;
    let drift = "GRANT UPDATE, DELETE ON ql3_ai.model_invocation_prompt_output_key_retirement_preparations
                    TO ql3_ai_maintenance;
                 REVOKE ALL ON ql3.runs FROM ql3_ai_maintenance;
                 GRANT SELECT ON ql3_ai.model_invocation_prompt_output_key_rotation_completions TO ql3_admin";
    admin.batch_execute(drift).await.unwrap();
    schema::install(&database.settings(), deadline()).await.unwrap();
    let us = format!(
        "GRANT ql3_ai_maintenance TO {0}; ALTER DATABASE {0} OWNER TO ql3_migration;
                      REASSIGN OWNED BY {0} TO ql3_migration",
        database.name
    );
    admin.batch_execute(&us).await.unwrap();
    let readiness = open(&database.settings()).await.ready(deadline()).await.unwrap();
    assert_eq!(readiness.faults, []);
}

#[tokio::test]
async fn a_database_of_the_platform_is_left_alone() {
    let theirs = "CREATE SCHEMA ql3_ai;
                  CREATE TABLE ql3_ai.ai_schema_migrations (migration_id varchar(128), checksum char(64));
                  INSERT INTO ql3_ai.ai_schema_migrations
                  VALUES ('pg-9011-ai-plugin-package-prompt-output-key-retirements', repeat('0', 64))";
    let somebodys = "CREATE SCHEMA ql3; CREATE TABLE ql3.anything ()";
    for found in [theirs, somebodys] {
        let database = Database::empty().await;
        let admin = database.client().await;
        admin.batch_execute(found).await.unwrap();
        let count = "SELECT count(*) FROM pg_class";
        let before: i64 = admin.query_one(count, &[]).await.unwrap().get(0);
        let installed = schema::install(&database.settings(), deadline()).await.unwrap();
        let Installed::LeftAlone { absent } = installed else { panic!("{installed:?}") };
        assert!(
            absent.contains(&"ql3_ai.model_invocation_prompt_output_key_retirement_completions"),
            "{absent:?}"
        );
        assert_eq!(admin.query_one(count, &[]).await.unwrap().get::<_, i64>(0), before);
    }
}

#[tokio::test]
async fn an_edited_history_stops_the_installation() {
    let database = Database::empty().await;
    schema::install(&database.settings(), deadline()).await.unwrap();
    let edit = "UPDATE ql3_ai.ai_schema_migrations SET checksum = repeat('0', 64)
                 WHERE migration_id = 'ql3-ops-0005_retirements'";
    database.admin().await.batch_execute(edit).await.unwrap();
    let refused = schema::install(&database.settings(), deadline()).await.unwrap_err();
    assert!(matches!(refused, Error::Drifted("ql3-ops-0005_retirements")), "{refused}");
}

#[tokio::test]
async fn a_step_that_fails_leaves_no_trace_and_is_run_again() {
    let database = Database::empty().await;
    let admin = database.admin().await;
    // The owner of another table of this name in the way of the third step's index.
    let obstacle = "CREATE FUNCTION public.obstacle() RETURNS event_trigger LANGUAGE plpgsql AS $$
                    BEGIN
                        IF EXISTS (SELECT FROM pg_class WHERE relname = 'ql3_ai_prompt_output_artifact_retention_idx')
                        THEN RAISE EXCEPTION 'in the way'; END IF;
                    END $$;
                    CREATE EVENT TRIGGER obstacle ON ddl_command_end EXECUTE FUNCTION public.obstacle()";
    admin.batch_execute(obstacle).await.unwrap();
    let refused = schema::install(&database.settings(), deadline()).await.unwrap_err();
    assert!(matches!(refused, Error::Refused(_)), "{refused}");
    let left = "SELECT count(*) FROM pg_class WHERE relname LIKE 'model_invocation_prompt_output_artifacts%'";
    assert_eq!(admin.query_one(left, &[]).await.unwrap().get::<_, i64>(0), 0);
    admin.batch_execute("DROP EVENT TRIGGER obstacle").await.unwrap();
    let installed = schema::install(&database.settings(), deadline()).await.unwrap();
    assert!(matches!(installed, Installed::Complete { applied, .. } if applied.len() == 4));
}

#[tokio::test]
async fn the_printed_script_does_the_same() {
    let database = Database::empty().await;
    let script = schema::script();
    let (setting, sql) = script.split_once('\n').unwrap();
    assert_eq!(setting, "\\set ON_ERROR_STOP on");
    database.client().await.batch_execute(sql).await.unwrap();
    let installed = schema::install(&database.settings(), deadline()).await.unwrap();
    assert_eq!(installed, Installed::Complete { applied: vec![], missing: vec![] });
}

#[tokio::test]
async fn who_does_not_own_the_database_is_refused() {
    let database = Database::empty().await;
    let admin = database.admin().await;
    admin.batch_execute(&format!("ALTER DATABASE {} OWNER TO postgres", database.name)).await.unwrap();
    let refused = schema::install(&database.settings(), deadline()).await.unwrap_err();
    assert!(matches!(refused, Error::Denied(_)), "{refused}");
}
