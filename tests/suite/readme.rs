//! The README's commands, run as they are written.

use std::fmt::Write;
use std::path::Path;

use serde_json::Value;
use serde_json::json;

use crate::support::lab::Lab;
use crate::support::postgres::Database;
use crate::support::program;
use crate::support::scene;

/// The shell blocks of the README, in order.
fn blocks() -> Vec<String> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned());
    blocks.collect()
}

#[test]
fn the_two_commands_of_the_first_screen_are_targets_of_the_makefile() {
    let makefile = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Makefile")).unwrap();
    let commands: Vec<_> =
        blocks()[0].lines().map(|line| line.split('#').next().unwrap().trim().to_owned()).collect();
    assert_eq!(commands, ["make demo", "make test"]);
    for command in commands {
        let target = command.strip_prefix("make ").unwrap();
        assert!(makefile.lines().any(|line| line.starts_with(&format!("{target}:"))), "{target}");
    }
}

#[tokio::test]
async fn the_job_on_a_cluster_and_a_database_of_ones_own_runs_as_written() {
    let directory = tempfile::tempdir().unwrap();
    // The README names no namespace, so the default one it is; this is the only test that uses it.
    let lab = Lab::named("qinglong3-system");
    arrange(directory.path(), &lab);
    let database = Database::installed().await;
    let (user, host, port) = (&database.name, database.server.host(), database.server.port);
    let password = database.password.bytes().fold(String::new(), |mut text, byte| {
        write!(text, "%{byte:02X}").unwrap();
        text
    });
    std::fs::write(
        directory.path().join("dsn"),
        format!("postgres://{user}:{password}@{host}:{port}/{user}\n"),
    )
    .unwrap();
    std::fs::copy(&database.server.ca, directory.path().join("postgres-ca.crt")).unwrap();

    // A shell that stops at the first failure, with the program on its path.
    let mut shell = program::named("/bin/sh".into());
    shell.arg("-euc").arg(&blocks()[1]).current_dir(directory.path());
    let ended = program::run(shell.env("PATH", program::path().parent().unwrap()));
    assert_eq!((ended.exit, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    let said: Vec<Value> = ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [check, inspect, plan, first, again] = said.as_slice() else { panic!("five results: {said:?}") };
    assert_eq!(check["ready"], true);
    assert_eq!(inspect["keyIds"], json!(["key-2025", "key-2026"]));
    assert_eq!(plan["would"], "prepare-swap-complete");
    assert_eq!((&first["status"], &again["status"]), (&json!("completed"), &json!("existing")));
}

fn arrange(directory: &Path, lab: &Lab) {
    lab.grant("retirement", crate::retirement::operation_rules());
    let mut object = scene::secret(&scene::keys("key-2026", "key-2025"));
    object["metadata"]["namespace"] = lab.namespace.as_str().into();
    for name in ["uid", "resourceVersion"] {
        object["metadata"].as_object_mut().unwrap().remove(name);
    }
    lab.create(&object);
    std::fs::write(directory.join("kubeconfig"), lab.kubeconfig_of_the_account()).unwrap();
}
