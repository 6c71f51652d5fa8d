//! The lines of the command line program, byte by byte.

use ql3_ops::cli;
use ql3_ops::cluster::authority;
use ql3_ops::cluster::review;
use ql3_ops::cluster::session;
use ql3_ops::code::Code;
use ql3_ops::keyring::Completion;
use ql3_ops::keyring::Kind;
use ql3_ops::report;
use ql3_ops::report::Speaker;
use ql3_ops::retire::Outcome;
use ql3_ops::retire::Status;
use serde_json::Value;

use super::Sheet;
use crate::support::program;

pub(super) fn run(sheet: &mut Sheet) {
    help(&sheet.take("help"));
    usage(&sheet.take("usage"));
    let completion = completion();
    for (name, status) in [("completed", Status::Completed), ("existing", Status::Existing)] {
        let expected = sheet.take(name);
        let report = Outcome { status, completion: completion.clone() }.report();
        assert_eq!(
            report.stdout.expose_str(),
            Some(format!("{}\n", expected["stdout"].as_str().unwrap()).as_str())
        );
        assert_eq!(
            (report.stderr.as_str(), i64::from(report.exit.number())),
            ("", expected["exit"].as_i64().unwrap())
        );
    }
    sheet.count(4);
    for failure in sheet.cases("failures") {
        let when = failure["when"].as_str().unwrap();
        let codes = codes(when);
        assert!(!codes.is_empty(), "no code of ours for: {when}");
        for code in codes {
            let expected: Value = serde_json::from_str(failure["stderr"].as_str().unwrap()).unwrap();
            let line = report::failure_line(SPEAKER, code.name, code.printed());
            let mut ours: Value = serde_json::from_str(&line).unwrap();
            if expected.get("code").is_none() {
                // Ours always has a code; where the reference has none it is of our own making.
                assert!(ours.as_object_mut().unwrap().remove("code").is_some());
            } else {
                assert_eq!(line, failure["stderr"].as_str().unwrap().to_owned() + "\n");
            }
            assert_eq!(ours, expected, "{when}");
            // The reference ends with 1 for everything; our table has no such code.
            assert!(code.exit.number() >= 64, "{when}");
        }
    }
}

fn help(expected: &Value) {
    let mut forms = vec![expected["argv"].clone()];
    forms.extend(expected["alsoArgv"].as_array().unwrap().iter().cloned());
    for arguments in forms {
        let ended = as_reference(&arguments);
        assert_eq!(ended.stdout, format!("{}\n", expected["stdout"].as_str().unwrap()));
        assert_eq!(ended.stderr, expected["stderr"].as_str().unwrap());
        assert_eq!(ended.exit.map(i64::from), expected["exit"].as_i64());
    }
}

fn usage(expected: &Value) {
    for arguments in expected["argvExamples"].as_array().unwrap() {
        let verb = std::iter::once("retire").chain(strings(arguments)).collect::<Vec<_>>();
        let mut forms = vec![as_reference(arguments)];
        if arguments.as_array().is_none_or(|words| words.first().is_none_or(|word| word != "--help")) {
            forms.push(program::with_arguments(&verb));
        }
        for ended in forms {
            assert_eq!(ended.stdout, expected["stdout"].as_str().unwrap(), "{arguments}");
            assert_eq!(ended.stderr, format!("{}\n", expected["stderr"].as_str().unwrap()), "{arguments}");
            assert_eq!(ended.exit.map(i64::from), expected["exit"].as_i64(), "{arguments}");
        }
    }
}

/// The program under the reference's name.
fn as_reference(arguments: &Value) -> program::Ended {
    let directory = tempfile::tempdir().unwrap();
    let link = directory.path().join("ql3-prompt-output-key-retire");
    std::os::unix::fs::symlink(program::path(), &link).unwrap();
    program::run(program::named(link).args(strings(arguments)))
}

fn strings(arguments: &Value) -> Vec<&str> {
    arguments.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect()
}

fn completion() -> Completion {
    let rows = super::directory().join("database-rows.json");
    let rows: Value = serde_json::from_slice(&std::fs::read(rows).unwrap()).unwrap();
    Completion::from_value(&rows["completionRow"]["completion_json"]).unwrap()
}

/// Our codes for a cause that the reference describes.
fn codes(when: &str) -> Vec<&'static Code> {
    let named = |names: &[&str]| -> Vec<_> { names.iter().map(|name| find(name)).collect() };
    let printed = |text: &str| cli::codes().filter(|code| code.printed() == text).collect();
    match when {
        "command file shape or value, path not absolute, access matrix not exact, cluster authority invalid, TLS mode \
         or CA/servername missing" => {
            let own = named(&[
                "QL3_FILE_PATH_INVALID",
                "QL3_POSTGRES_TLS_SETTINGS_INVALID",
                "QL3_RETIREMENT_COMMAND_SHAPE_INVALID",
            ]);
            own.into_iter().chain([authority::CODES, review::CODES].concat()).collect()
        }
        "command file absent" => printed("ENOENT"),
        "command file is a symbolic link (final component)" => printed("ELOOP"),
        "command file not JSON" => named(&["QL3_RETIREMENT_COMMAND_SYNTAX_INVALID"]),
        "adapter options fail their pattern" => named(&["QL3_SECRET_ADDRESS_INVALID"]),
        "database environment invalid" => named(&["QL3_POSTGRES_CONNECTION_ENVIRONMENT_INVALID"]),
        "database CA file invalid (one of the CA codes)" => named(&["QL3_POSTGRES_CA_INVALID_PEM"]),
        "request identities invalid" => named(&["QL3_RETIREMENT_IDENTITIES_INVALID"]),
        "maintenance readiness refused" => named(&["QL3_LEDGER_NOT_GRANTED", "QL3_LEDGER_NOT_INSTALLED"]),
        "conflict" => printed(Kind::Conflict.reference()),
        "unavailable" => printed(Kind::Unavailable.reference()),
        "Kubernetes API error status during an access review" => session::CODES.to_vec(),
        "work failed and the database did not close" => named(&["QL3_RETIREMENT_CLOSE_FAILED_TOO"]),
        other => panic!("a cause that we do not know: {other}"),
    }
}

fn find(code: &str) -> &'static Code {
    cli::codes().find(|row| row.code == code).unwrap_or_else(|| panic!("no code {code}"))
}

const SPEAKER: Speaker =
    Speaker { component: "qinglong3-prompt-output-key-retirement", event: "key_retirement_failed" };
