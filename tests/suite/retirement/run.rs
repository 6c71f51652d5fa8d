//! Runs, replays, plans and refusals.

use std::path::PathBuf;

use ql3_ops::exit::Exit;
use serde_json::Value;
use serde_json::json;

use super::Stage;
use super::line;
use crate::support::lab;
use crate::support::program;
use crate::support::scene;

#[tokio::test]
async fn a_first_run_retires_and_a_replay_writes_nothing() {
    let stage = Stage::new().await;
    let command = stage.command("old", "1");
    let words = stage.path("words");

    let first = program::run(stage.retire("run", &command).arg("--termination-message").arg(&words));
    assert_eq!((first.exit, first.stderr.as_str()), (Some(0), ""), "{first:?}");
    let result = line(&first.stdout);
    assert_eq!(result["status"], "completed");
    let last: Value = serde_json::from_slice(&std::fs::read(&words).unwrap()).unwrap();
    assert_eq!(last, json!({ "exit": "Done", "status": "completed", "receipt": result["completionDigest"] }));
    let keyring = scene::keyring(&stage.lab.secret(lab::SECRET));
    assert_eq!(serde_json::to_value(keyring.summary()).unwrap()["keyIds"], json!(["new"]));
    let after = stage.state().await;
    assert_eq!((after.1, after.2), (1, 1));

    let replay = stage.run(&command);
    assert_eq!(replay.exit, Some(0), "{replay:?}");
    let again = line(&replay.stdout);
    assert_eq!(again["status"], "existing");
    for member in ["preparationDigest", "completionDigest", "completedAtMs", "retirementId"] {
        assert_eq!(again[member], result[member], "{member}");
    }
    assert_eq!(stage.state().await, after, "the replay wrote nothing");

    // The audit log: the requests of the Job's service account, all of them and no other.
    let reviews = vec!["create selfsubjectaccessreviews"; 10];
    let (get, put) = ("get secrets", "update secrets");
    let expected = [reviews.clone(), vec![get, get, get, put], reviews, vec![get]].concat();
    match stage.lab.audited_after(expected.len()).await {
        Some(audited) => assert_eq!(audited, expected),
        None => assert!(std::env::var_os("CI").is_none(), "CI has the lab's audit log"),
    }
}

/// Each scene: what is done to it, the key that is to go, and how plan and run must both end.
#[tokio::test]
async fn plan_and_run_end_alike_and_a_plan_writes_nothing() {
    for (scene, key, exit) in [
        ("nothing special", "old", Exit::Done),
        ("the active key", "new", Exit::Data),
        ("a key that nobody knows", "other", Exit::NoInput),
        ("live ciphertexts", "old", Exit::TryAgain),
        ("a ciphertext beside a preparation", "old", Exit::TryAgain),
        ("a ciphertext past the fence", "old", Exit::Data),
        ("another UID", "old", Exit::Data),
        ("retired already", "old", Exit::Done),
        ("retired under other identities", "old", Exit::Data),
        ("a right too many", "old", Exit::Denied),
        ("no rights at all", "old", Exit::Denied),
        ("a ledger that was lost", "old", Exit::Data),
    ] {
        let stage = Stage::new().await;
        let command = arrange(&stage, scene, key).await;
        let before = stage.state().await;
        let plan = program::run(&mut stage.retire("plan", &command));
        assert_eq!(stage.state().await, before, "{scene}: the plan wrote something");
        let run = stage.run(&command);
        assert_eq!(plan.exit, Some(i32::from(exit.number())), "{scene}: {plan:?}");
        assert_eq!(run.exit, plan.exit, "{scene}: {run:?}");
        if exit == Exit::Done {
            assert_eq!(line(&plan.stdout)["refusals"], json!([]), "{scene}");
        } else {
            assert_eq!(stage.state().await, before, "{scene}: the refused run wrote something");
            assert_eq!(run.stdout, "", "{scene}");
            assert_eq!(line(&run.stderr)["event"], "key_retirement_failed", "{scene}");
        }
    }
}

async fn arrange(stage: &Stage, scene: &str, key: &str) -> PathBuf {
    let mut command = stage.command(key, "1");
    match scene {
        "live ciphertexts" => stage.database.live_artifact(key).await,
        "a ciphertext beside a preparation" => {
            stage.prepare("old", "1").await;
            stage.database.live_artifact(key).await;
        }
        "a ciphertext past the fence" => {
            assert_eq!(stage.run(&command).exit, Some(0));
            let forget = "TRUNCATE ql3_ai.model_invocation_prompt_output_key_retirement_completions";
            stage.database.admin().await.batch_execute(forget).await.unwrap();
            stage.database.live_artifact(key).await;
        }
        "another UID" => command = stage.command_for(key, "1", "0f6c3b7e-1b2a-4c3d-8e9f-001122334455"),
        "retired already" => assert_eq!(stage.run(&command).exit, Some(0)),
        "retired under other identities" => {
            assert_eq!(stage.run(&command).exit, Some(0));
            command = stage.command(key, "2");
        }
        "a right too many" => {
            stage.lab.grant("wide", json!([{ "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] }]));
        }
        "no rights at all" => drop(stage.lab.kubectl(&["delete", "rolebinding", "retirement"])),
        "a ledger that was lost" => {
            assert_eq!(stage.run(&command).exit, Some(0));
            let truncate =
                "TRUNCATE ql3_ai.model_invocation_prompt_output_key_retirement_preparations CASCADE";
            stage.database.admin().await.batch_execute(truncate).await.unwrap();
        }
        _ => {}
    }
    command
}

#[tokio::test]
async fn a_plan_shows_what_changes_and_who_still_needs_the_key() {
    let stage = Stage::new().await;
    let command = stage.command("old", "1");
    let plan = line(&program::run(&mut stage.retire("plan", &command)).stdout);
    assert_eq!((&plan["would"], &plan["exit"]), (&json!("prepare-swap-complete"), &json!("Done")));
    assert_eq!((&plan["generationBefore"], &plan["generationAfter"]), (&json!(1), &json!(2)));
    stage.run(&command);
    let after = scene::keyring(&stage.lab.secret(lab::SECRET));
    assert_eq!(plan["catalogDigestAfter"], after.catalog_digest().to_string(), "the plan's digest came true");

    let stage = Stage::new().await;
    stage.database.live_artifact("old").await;
    let plan = line(&program::run(&mut stage.retire("plan", &stage.command("old", "1"))).stdout);
    assert_eq!(plan["liveArtifacts"][0]["count"], 1);
    assert_eq!(plan["refusals"][0]["code"], "QL3_LEDGER_LIVE_CIPHERTEXTS");
    assert!(plan["liveArtifacts"][0]["lastEligibleAtMs"].as_u64().unwrap() > 0);

    // Under another command's preparation, the plan says whose and what else stands in the way.
    let stage = Stage::new().await;
    stage.prepare("old", "1").await;
    stage.database.live_artifact("old").await;
    let plan = line(&program::run(&mut stage.retire("plan", &stage.command("old", "2"))).stdout);
    assert_eq!(plan["recorded"]["retirementId"], "t-1");
    let codes: Vec<_> = plan["refusals"].as_array().unwrap().iter().map(|refusal| &refusal["code"]).collect();
    assert_eq!(codes, ["QL3_LEDGER_ANOTHER_ORDER", "QL3_LEDGER_LIVE_CIPHERTEXTS"]);
}

#[tokio::test]
async fn a_command_is_written_for_a_live_secret_and_runs() {
    let stage = Stage::new().await;
    let file = stage.path("written.json");
    let namespace = stage.lab.namespace.as_str();
    let out = file.to_str().unwrap();
    let mut write =
        stage.program(&["retire", "command", "--key", "old", "--namespace", namespace, "--out", out]);
    let ended = program::run(&mut write);
    assert_eq!((ended.exit, ended.stdout.as_str(), ended.stderr.as_str()), (Some(0), "", ""), "{ended:?}");
    let ended = program::run(&mut write);
    assert_eq!(ended.exit, Some(65), "a file that is there is left alone: {ended:?}");
    assert_eq!(line(&stage.run(&file).stdout)["status"], "completed");
}

#[tokio::test]
async fn a_secret_that_is_not_what_it_must_be_is_refused_with_nothing_written() {
    type Change = fn(&mut Value);
    let changes: [(&str, Change); 6] = [
        ("immutable", |object| object["immutable"] = true.into()),
        ("another entry", |object| object["data"]["other"] = "eA==".into()),
        ("last-applied", |object| {
            object["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = "".into();
        }),
        ("another generation in the annotation", |object| {
            object["metadata"]["annotations"]["qinglong.io/prompt-output-keyring-generation"] = "2".into();
        }),
        ("no label", |object| drop(object["metadata"].as_object_mut().unwrap().remove("labels"))),
        ("another type", |object| object["type"] = "example.org/keyring".into()),
    ];
    for (what, change) in changes {
        let stage = Stage::with(&scene::two_keys(), change).await;
        let before = stage.state().await;
        let ended = stage.run(&stage.command("old", "1"));
        assert_eq!(ended.exit, Some(65), "{what}: {ended:?}");
        let failure = line(&ended.stderr);
        assert_eq!(failure["code"], "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_UNAVAILABLE", "{what}");
        assert_eq!(stage.state().await, before, "{what}");
    }
}

#[tokio::test]
async fn an_operators_kubeconfig_does_the_same_job() {
    let stage = Stage::new().await;
    let command = stage.command("old", "1");
    let kubeconfig = stage.path("kubeconfig");
    std::fs::write(&kubeconfig, stage.lab.kubeconfig_of_the_account()).unwrap();
    let mut run = program::program();
    run.args(["retire", "run", "--command-file"]).arg(&command).arg("--kubeconfig").arg(&kubeconfig);
    let ended = program::run(run.envs(stage.database.environment(&[])));
    assert_eq!(ended.exit, Some(0), "{ended:?}");
}
