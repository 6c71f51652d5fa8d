//! `barrier`, `barrier control` and `barrier canary` as processes, on loopback. Real rules are `make fence`'s business.

use std::ffi::OsString;
use std::io::BufRead;
use std::io::BufReader;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use ql3_ops::barrier::Task;
use ql3_ops::cli;
use ql3_ops::exit::Exit;
use ql3_ops::report::Report;
use ql3_ops::report::Words;
use rustix::process::Pid;
use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::canary::Canary;
use crate::support::program;
use crate::support::program::Ended;

/// `barrier` with the API server where the canary's control port is, and some changes.
fn barrier(canary: &Canary, arguments: &[&str], changes: &[(&str, &str)]) -> (Ended, String) {
    let directory = TempDir::new().unwrap();
    let words = directory.path().join("words");
    let mut command = command(canary, "2", arguments, changes);
    let ended = program::run(command.arg("--termination-message").arg(&words));
    (ended, std::fs::read_to_string(words).unwrap_or_default())
}

fn command(canary: &Canary, seconds: &str, arguments: &[&str], changes: &[(&str, &str)]) -> Command {
    let api = canary.control();
    let mut command = program::program();
    command.args(["barrier", "--deadline-seconds", seconds]).args(arguments).envs(canary.environment());
    command.env("KUBERNETES_SERVICE_HOST", api.ip().to_string());
    command.env("KUBERNETES_SERVICE_PORT_HTTPS", api.port().to_string());
    command.envs(changes.iter().copied());
    command
}

fn code(ended: &Ended) -> String {
    let line: Value = serde_json::from_str(&ended.stderr).unwrap_or_default();
    line["code"].as_str().unwrap_or_default().to_owned()
}

fn evidence(ended: &Ended) -> Value {
    assert!(ended.stdout.ends_with('\n') && ended.stdout.matches('\n').count() == 1, "{ended:?}");
    serde_json::from_str(&ended.stdout).unwrap()
}

const NOT_READY: &str = r#"{"schemaVersion":1,"ready":false,"code":"POLICY_NOT_READY"}"#;

#[test]
fn a_closed_port_that_the_control_once_reached_is_in_force() {
    let (ended, words) = barrier(&Canary::closed(), &["--evidence", "full"], &[]);
    assert_eq!(ended.exit, Some(0), "{ended:?}");
    assert_eq!(words, r#"{"schemaVersion":1,"ready":true,"code":"POLICY_READY"}"#);
    let evidence = evidence(&ended);
    assert_eq!(evidence["verdict"], "in-force");
    assert_eq!(evidence["unproven"], serde_json::json!([6]));
    assert_eq!(evidence["grounds"], serde_json::json!(["twin", "control-proof"]));
    assert!(evidence["heldMs"].as_u64().unwrap() >= 400 && evidence["rounds"].as_u64().unwrap() >= 20);
    assert_eq!(ended.stderr, "");
}

#[test]
fn an_open_port_is_open_and_a_closed_one_alone_proves_nothing() {
    let (ended, words) = barrier(&Canary::open(), &[], &[]);
    assert_eq!((ended.exit, words.as_str()), (Some(80), NOT_READY), "{ended:?}");
    assert_eq!(
        (code(&ended), evidence(&ended)["verdict"].as_str()),
        ("QL3_BARRIER_OPEN".to_owned(), Some("open"))
    );

    // A reset is what every closed port sends.
    let unproven = [("QL3_NETWORK_POLICY_CONTROL_PROOF", "")];
    let canary = Canary::closed();
    let (ended, words) = barrier(&canary, &[], &unproven);
    assert_eq!((ended.exit, words.as_str()), (Some(81), NOT_READY), "{ended:?}");
    // The canary serves another address than the one that is dialled, and says so.
    assert_eq!(code(&ended), "QL3_BARRIER_UNTESTIFIED");
    assert!(canary.testimony().unwrap().starts_with("ql3-canary/1 127.0.0.3:"));
}

#[test]
fn the_references_rule_is_there_by_name() {
    let changes = [("QL3_NETWORK_POLICY_CONTROL_PROOF", ""), ("QL3_NETWORK_POLICY_CONTROL_PORT", "")];
    let canary = Canary::closed();
    let (ended, words) = barrier(&canary, &["--canary-alone"], &changes);
    assert_eq!(ended.exit, Some(0), "{ended:?}");
    assert!(words.contains("POLICY_READY"));
    assert_eq!(evidence(&ended)["grounds"], serde_json::json!(["canary-alone"]));
    let (ended, words) = barrier(&canary, &[], &changes);
    assert_eq!((ended.exit, code(&ended).as_str()), (Some(78), "QL3_BARRIER_GROUNDLESS"), "{ended:?}");
    assert_eq!(words, r#"{"schemaVersion":1,"ready":false,"code":"CONFIG_INVALID"}"#);
}

#[test]
fn low_evidence_names_nobody() {
    let canary = Canary::closed();
    for (detail, is_named) in [("low", false), ("full", true)] {
        let (ended, _words) = barrier(&canary, &["--evidence", detail], &[]);
        assert_eq!(ended.stdout.contains("127.0.0."), is_named, "{}", ended.stdout);
        assert!(!ended.stderr.contains("127.0.0."));
    }
}

/// What is wrong, and how it ends: 78 before anything is dialled, 81 where it is for something else.
#[test]
fn a_bad_setting_or_proof_ends_it_before_anything_is_dialled() {
    let mut canary = Canary::closed();
    let environment = canary.environment();
    let proof = &environment.iter().find(|(name, _)| *name == "QL3_NETWORK_POLICY_CONTROL_PROOF").unwrap().1;
    let with = |from: &str, to: &str| {
        assert!(proof.contains(from), "{from} in {proof}");
        proof.replacen(from, to, 1)
    };
    let read: Value = serde_json::from_str(proof).unwrap();
    let [begin, end] = ["notBeforeMs", "notAfterMs"].map(|name| read[name].as_u64().unwrap());
    let hour = 3_600_000;
    let moved = |by: i64| {
        let moved = |ms: u64| ms.checked_add_signed(by).unwrap().to_string();
        with(&begin.to_string(), &moved(begin)).replacen(&end.to_string(), &moved(end), 1)
    };
    // Nobody answers any more: whoever dialled would find the canary dead, and take its time.
    canary.kill();
    let host = "QL3_NETWORK_POLICY_DENY_CANARY_HOST";
    let port = "QL3_NETWORK_POLICY_DENY_CANARY_PORT";
    let statement = "QL3_NETWORK_POLICY_CONTROL_PROOF";
    for (name, value, exit, code_) in [
        (host, "", 78, "QL3_BARRIER_TARGET_INVALID"),
        (host, "replace-with-reachable-deny-canary", 78, "QL3_BARRIER_TARGET_INVALID"),
        (port, "", 78, "QL3_BARRIER_TARGET_INVALID"),
        (port, "0", 78, "QL3_BARRIER_TARGET_INVALID"),
        (port, "65536", 78, "QL3_BARRIER_TARGET_INVALID"),
        (port, "https", 78, "QL3_BARRIER_TARGET_INVALID"),
        ("KUBERNETES_SERVICE_HOST", "", 78, "QL3_BARRIER_TARGET_INVALID"),
        ("KUBERNETES_SERVICE_PORT_HTTPS", "443x", 78, "QL3_BARRIER_TARGET_INVALID"),
        ("QL3_NETWORK_POLICY_CONTROL_PORT", "0", 78, "QL3_BARRIER_TARGET_INVALID"),
        ("QL3_NETWORK_POLICY_DECOYS", "decoy", 78, "QL3_BARRIER_TARGET_INVALID"),
        ("QL3_NETWORK_POLICY_NONCE", "", 78, "QL3_BARRIER_PROOF_UNBOUND"),
        ("QL3_NETWORK_POLICY_NONCE", "short", 78, "QL3_BARRIER_NONCE_INVALID"),
        ("QL3_NETWORK_POLICY_COMMAND", "", 78, "QL3_BARRIER_PROOF_UNBOUND"),
        (statement, "connected", 78, "QL3_BARRIER_PROOF_MALFORMED"),
        (statement, &with("{", "{\"nonce\":\"a-second-nonce-000\","), 78, "QL3_BARRIER_PROOF_MALFORMED"),
        (statement, &format!("{proof}{}", " ".repeat(4096)), 78, "QL3_BARRIER_PROOF_MALFORMED"),
        (statement, &with("\"connected\"", "\"refused\""), 78, "QL3_BARRIER_PROOF_MALFORMED"),
        ("QL3_NETWORK_POLICY_NONCE", "another-operation-1", 81, "QL3_BARRIER_PROOF_OTHER_OPERATION"),
        ("QL3_NETWORK_POLICY_COMMAND", "{} ", 81, "QL3_BARRIER_PROOF_OTHER_COMMAND"),
        (statement, &moved(-hour), 81, "QL3_BARRIER_PROOF_OUTSIDE_WINDOW"),
        (statement, &moved(hour), 81, "QL3_BARRIER_PROOF_OUTSIDE_WINDOW"),
        (host, "127.0.0.3", 81, "QL3_BARRIER_PROOF_OTHER_ADDRESS"),
        (port, "1", 81, "QL3_BARRIER_PROOF_OTHER_ADDRESS"),
    ] {
        let (ended, words) = barrier(&canary, &[], &[(name, value)]);
        assert_eq!((ended.exit, code(&ended).as_str()), (Some(exit), code_), "{name}={value}: {ended:?}");
        let word = if exit == 78 { "CONFIG_INVALID" } else { "POLICY_NOT_READY" };
        assert_eq!(words, NOT_READY.replace("POLICY_NOT_READY", word), "{name}={value}");
        assert_eq!(ended.stdout, "", "nothing was dialled, so there is no evidence: {name}={value}");
    }
}

#[test]
fn a_control_states_only_what_it_reached() {
    let canary = Canary::open();
    let control = |changes: &[(&str, &str)]| {
        let mut command = program::program();
        command.args(["barrier", "control", "--deadline-seconds", "1"]).envs(canary.environment());
        program::run(command.envs(changes.iter().copied()))
    };
    let ended = control(&[]);
    let statement: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(statement["canary"], serde_json::json!([canary.deny().to_string()]));
    assert_eq!(statement["outcome"], "connected");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let ended = control(&[("QL3_NETWORK_POLICY_DENY_CANARY_PORT", &closed)]);
    assert_eq!((ended.exit, code(&ended).as_str()), (Some(81), "QL3_BARRIER_CONTROL_FAILED"), "{ended:?}");
    assert_eq!(ended.stdout, "");
    for (name, exit) in [("QL3_NETWORK_POLICY_NONCE", 78), ("QL3_NETWORK_POLICY_COMMAND", 78)] {
        assert_eq!(control(&[(name, "")]).exit, Some(exit), "{name}");
    }
}

#[test]
fn told_to_stop_a_barrier_ends_with_75_and_a_canary_with_0() {
    let canary = Canary::open();
    let mut watching = command(&canary, "60", &["--log-level", "info"], &[]);
    assert_eq!(stopped_after("still watching", &mut watching), Some(75));
    let mut listening = program::program();
    listening.args(["barrier", "canary", "--deny", "127.0.0.1:0", "--control", "127.0.0.1:0"]);
    assert_eq!(stopped_after("listening", listening.args(["--log-level", "info"])), Some(0));
}

/// Sends SIGTERM once the program has logged this.
fn stopped_after(event: &str, command: &mut Command) -> Option<i32> {
    let mut child = command.spawn().unwrap();
    let log = BufReader::new(child.stderr.take().unwrap());
    assert!(log.lines().any(|line| line.unwrap().contains(event)), "{event}");
    let pid = Pid::from_raw(child.id().try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, Signal::TERM).unwrap();
    program::wait(child).exit
}

/// Without the kubelet's volume there is none: so the order is taken from the real command line, and its path exchanged.
#[tokio::test]
async fn a_mounted_token_ends_it_before_anything_else_is_looked_at() {
    let order = |token: &Path| {
        let Ok(invocation) = cli::parse(&["ql3-ops", "barrier"].map(OsString::from)) else {
            panic!("a barrier")
        };
        let cli::Order::Barrier(mut order) = invocation.order else { panic!("a barrier") };
        let Task::Check { token: place, .. } = &mut order.task else { panic!("a check") };
        assert_eq!(place.to_str(), Some("/var/run/secrets/kubernetes.io/serviceaccount/token"));
        token.clone_into(place);
        // Nothing is set, which would end it too.
        order.lookup = |_name| None;
        order
    };
    let mount = TempDir::new().unwrap();
    let token = mount.path().join("token");
    let code = |report: &Report| {
        let line: Value = serde_json::from_str(&report.stderr).unwrap();
        line["code"].as_str().unwrap().to_owned()
    };
    let report = ql3_ops::barrier::carry_out(&order(&token)).await;
    assert_eq!(code(&report), "QL3_BARRIER_TARGET_INVALID");
    // Never opened: it need not even be readable.
    std::os::unix::fs::symlink("..data/token", &token).unwrap();
    let report = ql3_ops::barrier::carry_out(&order(&token)).await;
    assert_eq!((report.exit, code(&report).as_str()), (Exit::Config, "QL3_BARRIER_CREDENTIAL_MOUNTED"));
    let Words::Verbatim(words) = report.last_words else { panic!("{report:?}") };
    assert_eq!(words, r#"{"schemaVersion":1,"ready":false,"code":"CONFIG_INVALID"}"#);
}
