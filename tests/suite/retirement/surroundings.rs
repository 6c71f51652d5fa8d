//! What surrounds the process: its environment, its standard streams, the place of its last words.

use std::process::Stdio;

use rustix::fs::CWD;
use rustix::fs::Mode;

use super::Stage;
use super::line;
use crate::support::program;

#[tokio::test]
async fn the_environment_of_others_has_no_effect() {
    let stage = Stage::new().await;
    let mut run = stage.retire("run", &stage.command("old", "1"));
    for name in ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"] {
        run.env(name, "http://127.0.0.1:1");
    }
    for (name, value) in [
        ("NO_PROXY", ""),
        ("KUBECONFIG", "/nowhere"),
        ("HOME", "/nowhere"),
        ("LOCALDOMAIN", "nowhere.invalid"),
        ("OPENSSL_CONF", "/nowhere"),
        ("PGCHANNELBINDING", "disable"),
        ("PGHOST", "nowhere.invalid"),
        ("PGHOSTADDR", "203.0.113.1"),
        ("PGOPTIONS", "-c default_transaction_read_only=on"),
        ("PGPASSFILE", "/nowhere"),
        ("PGPORT", "1"),
        ("PGSERVICE", "nowhere"),
        ("PGSSLMODE", "disable"),
        ("PGSSLROOTCERT", "/nowhere"),
        ("PGUSER", "nobody"),
        ("RES_OPTIONS", "timeout:1 attempts:1"),
        ("RUST_LOG", "trace"),
        ("RUST_BACKTRACE", "full"),
        ("SSLKEYLOGFILE", "/nowhere/keys"),
        ("SSL_CERT_DIR", "/nowhere"),
        ("SSL_CERT_FILE", "/nowhere"),
    ] {
        run.env(name, value);
    }
    let ended = program::run(&mut run);
    assert_eq!((ended.exit, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
}

#[tokio::test]
async fn last_words_that_cannot_be_left_turn_0_into_74_and_never_block() {
    let stage = Stage::new().await;
    let command = stage.command("old", "1");
    let fifo = stage.path("fifo");
    rustix::fs::mkfifoat(CWD, &fifo, Mode::RWXU).unwrap();
    let link = stage.path("link");
    std::os::unix::fs::symlink(stage.path("target"), &link).unwrap();
    let missing = stage.path("no/such/folder/words");
    for place in [fifo, link, missing, "/dev/full".into(), stage.path(".")] {
        let ended = program::run(stage.retire("run", &command).arg("--termination-message").arg(&place));
        assert_eq!(ended.exit, Some(74), "{}: {ended:?}", place.display());
        // The work is done all the same, and the result says so.
        assert_eq!(line(&ended.stdout)["event"], "key_retirement_completed");
        assert!(!stage.path("target").exists(), "a link is not followed");
    }
    // A failure stays what it is.
    let refused = program::run(
        stage.retire("run", &stage.command("new", "1")).args(["--termination-message", "/dev/full"]),
    );
    assert_eq!(refused.exit, Some(65), "{refused:?}");
}

#[tokio::test]
async fn a_result_that_cannot_be_said_turns_0_into_74() {
    let stage = Stage::new().await;
    let command = stage.command("old", "1");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ended = program::run(stage.retire("run", &command).stdout(Stdio::from(full)));
    assert_eq!(ended.exit, Some(74), "{ended:?}");
    assert_eq!(stage.rows().await, (1, 1), "the work is done");
    assert_eq!(line(&stage.run(&command).stdout)["status"], "existing");
}

#[test]
fn a_command_file_that_is_not_one_is_refused_before_anything_is_asked() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("good"), "{}").unwrap();
    std::fs::write(at("empty"), "").unwrap();
    std::fs::write(at("big"), vec![b' '; 16_385]).unwrap();
    std::fs::write(at("deep"), "[".repeat(16_384)).unwrap();
    std::fs::write(at("doubled"), r#"{"schemaVersion":1,"schemaVersion":1}"#).unwrap();
    std::fs::write(at("number"), r#"{"schemaVersion":NaN}"#).unwrap();
    std::os::unix::fs::symlink(at("good"), at("link")).unwrap();
    rustix::fs::mkfifoat(CWD, at("fifo"), Mode::RWXU).unwrap();
    for (name, exit, error, code) in [
        ("good", 65, "TypeError", "QL3_RETIREMENT_COMMAND_SHAPE_INVALID"),
        ("empty", 65, "TypeError", "QL3_FILE_SIZE_INVALID"),
        ("big", 65, "TypeError", "QL3_FILE_SIZE_INVALID"),
        ("deep", 65, "SyntaxError", "QL3_RETIREMENT_COMMAND_SYNTAX_INVALID"),
        ("doubled", 65, "TypeError", "QL3_RETIREMENT_COMMAND_SHAPE_INVALID"),
        ("number", 65, "SyntaxError", "QL3_RETIREMENT_COMMAND_SYNTAX_INVALID"),
        ("link", 65, "Error", "ELOOP"),
        ("fifo", 65, "TypeError", "QL3_FILE_NOT_REGULAR"),
        (".", 65, "TypeError", "QL3_FILE_NOT_REGULAR"),
        ("none", 66, "Error", "ENOENT"),
    ] {
        let path = at(name);
        let ended = program::with_arguments(&["retire", "run", "--command-file", path.to_str().unwrap()]);
        let failure = line(&ended.stderr);
        let found = (ended.exit, failure["name"].as_str().unwrap(), failure["code"].as_str().unwrap());
        assert_eq!(found, (Some(exit), error, code), "{name}");
        assert_eq!(ended.stdout, "", "{name}");
    }
}
