//! Nothing secret is said anywhere: every verb at the loudest level, searched for key bytes, password and token.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ql3_ops::keyring::KeyId;

use super::Stage;
use crate::support::lab;
use crate::support::program;
use crate::support::program::Ended;
use crate::support::scene;

/// What must not be seen, in every form in which it could be.
struct Canaries(Vec<(String, String)>);

impl Canaries {
    fn of(secrets: &[(&str, &[u8])]) -> Self {
        let mut forms = Vec::new();
        for (name, bytes) in secrets {
            let hex = bytes.iter().fold(String::new(), |mut text, byte| {
                write!(text, "{byte:02x}").unwrap();
                text
            });
            let mut add = |form: &str, text: String| forms.push((format!("{name} as {form}"), text));
            add("upper-case hex", hex.to_uppercase());
            add("hex", hex);
            add("base64", STANDARD.encode(bytes).trim_end_matches('=').to_owned());
            add("base64url", URL_SAFE_NO_PAD.encode(bytes));
            add("a list of numbers", format!("{bytes:?}").trim_matches(['[', ']']).to_owned());
            if let Ok(text) = std::str::from_utf8(bytes) {
                add("text", text.to_owned());
            }
        }
        Self(forms)
    }

    fn assert_absent(&self, place: &str, text: &str) {
        for (what, form) in &self.0 {
            assert!(!text.contains(form), "{place} shows {what}");
        }
    }
}

#[tokio::test]
async fn no_verb_shows_a_key_a_password_or_a_token() {
    let stage = Stage::new().await;
    let manifest = scene::keyring(&stage.object);
    let material = |id| manifest.material(&KeyId::parse(id).unwrap()).unwrap().expose();
    let token = stage.lab.token();
    let canaries = Canaries::of(&[
        ("the active key", material("new")),
        ("the old key", material("old")),
        ("the password", stage.database.password.as_bytes()),
        ("the token", token.trim_end().as_bytes()),
        ("the keyring", manifest.canonical().expose()),
    ]);
    let file = stage.path("keyring.json");
    std::fs::write(&file, manifest.canonical().expose()).unwrap();
    let printed = stage.lab.secret(lab::SECRET).to_string();
    let (old, active) = (stage.command("old", "1"), stage.command("new", "1"));
    let (old, active, file) = (old.to_str().unwrap(), active.to_str().unwrap(), file.to_str().unwrap());
    let namespace = ["--namespace", stage.lab.namespace.as_str()];
    let live = [&["keyring", "inspect"], &namespace[..]].concat();
    let draft = [&["retire", "command", "--key", "old"], &namespace[..]].concat();
    for (arguments, exit) in [
        (live, 0),
        (vec!["keyring", "inspect", "--file", file], 0),
        (vec!["keyring", "inspect", "--stdin"], 0),
        (draft, 0),
        (vec!["retire", "plan", "--command-file", old], 0),
        (vec!["retire", "plan", "--command-file", active], 65),
        (vec!["retire", "run", "--command-file", active], 65),
        (vec!["retire", "run", "--command-file", old], 0),
        (vec!["retire", "run", "--command-file", old], 0),
    ] {
        let words = stage.path("words");
        let mut command = stage.program(&arguments);
        command.args(["--log-level", "debug", "--termination-message"]).arg(&words);
        let ended = program::with_stdin(&mut command, printed.as_bytes());
        check(&canaries, &arguments.join(" "), &ended, exit, &words);
    }
    for (arguments, exit) in [
        (vec!["ledger", "check"], 0),
        (vec!["keyring", "verify", "--root", "/nowhere"], 78),
        (vec!["ledger", "install"], 78),
    ] {
        let words = stage.path("words");
        let mut command = program::program();
        command.args(&arguments).args(["--log-level", "debug", "--termination-message"]).arg(&words);
        let ended = program::run(command.envs(stage.database.environment(&[])));
        check(&canaries, &arguments.join(" "), &ended, exit, &words);
    }
    canaries.assert_absent("the ledger", &everything(&stage).await);
    match std::env::var_os("QL3_LAB_AUDIT_LOG") {
        Some(log) => canaries.assert_absent("the audit log", &std::fs::read_to_string(log).unwrap()),
        None => assert!(std::env::var_os("CI").is_none(), "CI has the lab's audit log"),
    }
}

fn check(canaries: &Canaries, verb: &str, ended: &Ended, exit: i32, words: &std::path::Path) {
    assert_eq!(ended.exit, Some(exit), "{verb}: {ended:?}");
    canaries.assert_absent(&format!("stdout of {verb}"), &ended.stdout);
    canaries.assert_absent(&format!("stderr of {verb}"), &ended.stderr);
    let last = std::fs::read_to_string(words).unwrap();
    canaries.assert_absent(&format!("the last words of {verb}"), &last);
    assert!(!last.is_empty(), "{verb} leaves last words");
    std::fs::remove_file(words).unwrap();
}

/// Every row of every table of the ledger, as text.
async fn everything(stage: &Stage) -> String {
    let admin = stage.database.admin().await;
    let tables =
        admin.query("SELECT tablename::text FROM pg_tables WHERE schemaname = 'ql3_ai'", &[]).await.unwrap();
    let mut text = String::new();
    for table in tables {
        let rows = format!("SELECT row_to_json(t)::text FROM ql3_ai.{} t", table.get::<_, String>(0));
        for row in admin.query(&rows, &[]).await.unwrap() {
            writeln!(text, "{}", row.get::<_, String>(0)).unwrap();
        }
    }
    assert!(text.contains("preparationDigest"), "the rows were read");
    text
}

#[test]
fn a_search_finds_what_it_looks_for() {
    let canaries = Canaries::of(&[("a key", &[0xab; 32])]);
    for text in
        ["ab".repeat(32), "AB".repeat(32), STANDARD.encode([0xab; 32]), URL_SAFE_NO_PAD.encode([0xab; 32])]
    {
        let found = std::panic::catch_unwind(|| canaries.assert_absent("a text", &format!("x{text}y")));
        assert!(found.is_err(), "{text} was not found");
    }
}
