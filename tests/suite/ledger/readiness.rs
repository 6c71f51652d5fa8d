//! The seven questions, each privilege flipped on the real server.

use ql3_ops::exit::Exit;
use ql3_ops::ledger::Error;
use ql3_ops::ledger::Ledger;
use ql3_ops::ledger::Question;
use tokio_postgres::Client;

use super::open;
use crate::support::postgres::Database;
use crate::support::postgres::deadline;

async fn broken(ledger: &mut Ledger) -> (Vec<Question>, Vec<String>) {
    let readiness = ledger.ready(deadline()).await.unwrap();
    let broken = Question::ALL.into_iter().filter(|question| !readiness.holds(*question)).collect();
    (broken, readiness.faults.iter().map(ToString::to_string).collect())
}

async fn run(admin: &Client, sql: &str) {
    admin.batch_execute(sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
}

#[tokio::test]
async fn an_installed_ledger_is_ready() {
    let database = Database::installed().await;
    let mut ledger = open(&database.settings()).await;
    let readiness = ledger.ready(deadline()).await.unwrap();
    assert_eq!((readiness.current_user.as_str(), &readiness.faults[..]), (database.name.as_str(), &[][..]));
    readiness.verdict().unwrap();
    ledger.close(deadline()).await.unwrap();
}

#[tokio::test]
async fn each_privilege_flipped_breaks_its_question_and_its_own_advice_mends_it() {
    let database = Database::installed().await;
    let (admin, mut ledger) = (database.admin().await, open(&database.settings()).await);
    let table = |name: &str| format!("ql3_ai.model_invocation_prompt_output_{name}");
    let us = "ql3_ai_maintenance";
    let mut flips = Vec::new();
    let mut flip = |question, object: &str, role: &str, wanted: &str| {
        for privilege in ["SELECT", "INSERT", "UPDATE", "DELETE"] {
            let statement = if wanted.contains(privilege) {
                format!("REVOKE {privilege} ON {object} FROM {role}")
            } else {
                format!("GRANT {privilege} ON {object} TO {role}")
            };
            flips.push((question, statement));
        }
    };
    let append = "SELECT INSERT";
    flip(Question::ArtifactDeleteOnly, &table("artifacts"), us, "SELECT DELETE");
    flip(Question::TombstoneAppendOnly, &table("artifact_tombstones"), us, append);
    flip(Question::KeyRetirementAppendOnly, &table("key_retirement_preparations"), us, append);
    flip(Question::KeyRetirementAppendOnly, &table("key_retirement_completions"), us, append);
    flip(Question::KeyRetirementAppendOnly, &table("key_retirement_preparations"), "ql3_runtime", "SELECT");
    flip(Question::KeyRetirementAppendOnly, &table("key_retirement_completions"), "ql3_runtime", "");
    for rotation in [table("key_rotation_preparations"), table("key_rotation_completions")] {
        flip(Question::KeyRotationAppendOnly, &rotation, us, append);
        for stranger in ["ql3_runtime", "ql3_admin", "ql3_ai_credential_manager", "ql3_ai_credential_tester"]
        {
            flip(Question::KeyRotationAppendOnly, &rotation, stranger, "");
        }
    }
    for evidence in [
        "ql3_ai.ai_schema_migrations",
        "ql3_ai.model_invocation_completions",
        "ql3_ai.model_invocation_prompt_admissions",
        "ql3_ai.model_invocation_prompt_finalizations",
        "ql3.runs",
        "ql3.step_runs",
    ] {
        flip(Question::TerminalEvidenceReadOnly, evidence, us, "SELECT");
    }
    for schema in ["ql3", "ql3_ai"] {
        flips.push((Question::SchemaAuthority, format!("REVOKE USAGE ON SCHEMA {schema} FROM {us}")));
        flips.push((Question::SchemaAuthority, format!("GRANT CREATE ON SCHEMA {schema} TO {us}")));
    }
    assert_eq!(flips.len(), 92);
    for (question, statement) in flips {
        run(&admin, &statement).await;
        let (found, advice) = broken(&mut ledger).await;
        assert_eq!(found, [question], "{statement}");
        for line in &advice {
            run(&admin, line).await;
        }
        assert_eq!(broken(&mut ledger).await.0, [], "{statement}: {advice:?}");
    }
}

#[tokio::test]
async fn membership_decides_who_we_are() {
    let database = Database::installed().await;
    let (admin, mut ledger) = (database.admin().await, open(&database.settings()).await);
    for (flip, back) in [
        ("REVOKE ql3_ai_maintenance FROM", "GRANT ql3_ai_maintenance TO"),
        ("GRANT ql3_admin TO", "REVOKE ql3_admin FROM"),
        ("GRANT ql3_runtime TO", "REVOKE ql3_runtime FROM"),
    ] {
        run(&admin, &format!("{flip} {}", database.name)).await;
        let (found, advice) = broken(&mut ledger).await;
        assert!(found.contains(&Question::MaintenanceAuthority), "{flip}");
        assert!(advice[0].starts_with(&format!("{back} {}", database.name)), "{advice:?}");
        run(&admin, &format!("{back} {}", database.name)).await;
    }
    run(&admin, &format!("ALTER ROLE {} SUPERUSER", database.name)).await;
    assert!(broken(&mut ledger).await.0.contains(&Question::MaintenanceAuthority));
    run(&admin, &format!("ALTER ROLE {} NOSUPERUSER", database.name)).await;
}

#[tokio::test]
async fn a_privilege_of_everyone_is_traced_to_everyone() {
    let database = Database::installed().await;
    let (admin, mut ledger) = (database.admin().await, open(&database.settings()).await);
    run(&admin, "GRANT UPDATE ON ql3.runs TO PUBLIC").await;
    let (found, advice) = broken(&mut ledger).await;
    assert_eq!(found, [Question::TerminalEvidenceReadOnly]);
    assert_eq!(advice, ["REVOKE UPDATE ON ql3.runs FROM PUBLIC"]);
}

#[tokio::test]
async fn what_is_not_there_is_named_and_is_not_a_matter_of_grants() {
    let database = Database::empty().await;
    let readiness = open(&database.settings()).await.ready(deadline()).await.unwrap();
    let verdict = readiness.verdict().unwrap_err();
    assert!(matches!(verdict, Error::NotInstalled(_)), "{verdict}");
    assert_eq!(verdict.code().exit, Exit::Config);
    assert_eq!(verdict.code().printed(), "PLUGIN_PACKAGE_PROMPT_OUTPUT_ARTIFACT_UNAVAILABLE");

    let database = Database::installed().await;
    let mut ledger = open(&database.settings()).await;
    run(&database.admin().await, "DROP TABLE ql3_ai.model_invocation_prompt_output_key_rotation_completions")
        .await;
    let (found, advice) = broken(&mut ledger).await;
    assert_eq!(found, [Question::KeyRotationAppendOnly]);
    assert!(advice[0].contains("key_rotation_completions is not there"), "{advice:?}");
    run(
        &database.admin().await,
        "DROP TABLE ql3_ai.model_invocation_prompt_output_key_retirement_completions",
    )
    .await;
    let missing = open(&database.settings()).await.find(&super::key(), deadline()).await.unwrap_err();
    assert!(matches!(missing, Error::Schema(_)), "{missing}");
    assert_eq!(missing.code().exit, Exit::Config);
}
