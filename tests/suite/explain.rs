//! `explain`, as an operator types it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use ql3_ops::cli;
use ql3_ops::code::Code;
use ql3_ops::exit::Exit;
use ql3_ops::keyring::Kind;
use serde_json::Value;
use serde_json::json;

use crate::support::program;

fn explain(argument: &str) -> Value {
    let ended = program::with_arguments(&["explain", argument]);
    assert_eq!((ended.exit, ended.stderr.as_str()), (Some(0), ""), "{argument}: {ended:?}");
    assert_eq!(ended.stdout.lines().count(), 1, "{argument}");
    serde_json::from_str(&ended.stdout).unwrap()
}

fn row(code: &Code) -> Value {
    let mut row = json!({
        "code": code.code,
        "exit": code.exit.name(),
        "exitCode": code.exit.number(),
        "meaning": code.meaning,
        "remedy": code.remedy,
    });
    if let Some(reference) = code.reference {
        row["reference"] = reference.into();
    }
    row
}

fn line(code: &Code) -> Value {
    let mut line = row(code);
    line["schemaVersion"] = 1.into();
    line
}

fn rows(is_wanted: impl Fn(&Code) -> bool) -> Value {
    let mut codes: Vec<_> = cli::codes().filter(|code| is_wanted(code)).collect();
    codes.sort_by_key(|code| code.code);
    codes.into_iter().map(row).collect()
}

#[test]
fn every_code_is_explained_alone_and_in_the_list() {
    for code in cli::codes() {
        assert_eq!(explain(code.code), line(code));
    }
    assert_eq!(explain("ql3_Retirement_out_of_time")["code"], "QL3_RETIREMENT_OUT_OF_TIME");

    let all = program::with_arguments(&["explain", "--all"]);
    assert_eq!((all.exit, all.stderr.as_str()), (Some(0), ""));
    let said: Vec<Value> = all.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut ours: Vec<_> = cli::codes().map(line).collect();
    ours.sort_by_key(|line| line["code"].as_str().unwrap().to_owned());
    assert_eq!(said, ours);
}

#[test]
fn an_exit_is_explained_by_number_and_by_name_with_the_codes_that_end_with_it() {
    for &exit in Exit::ALL {
        let expected = json!({
            "schemaVersion": 1,
            "exit": exit.name(),
            "exitCode": exit.number(),
            "meaning": exit.conclusion(),
            "codes": rows(|code| code.exit == exit),
        });
        for form in [exit.number().to_string(), exit.name().to_owned(), exit.name().to_lowercase()] {
            assert_eq!(explain(&form), expected);
        }
    }
}

#[test]
fn what_failure_lines_print_leads_to_the_finer_codes() {
    for reference in [Kind::Conflict.reference(), "ENOENT"] {
        let explained = explain(&reference.to_lowercase());
        assert_eq!(explained["reference"], reference);
        assert!(explained["meaning"].as_str().unwrap().contains("the termination message"));
        assert_eq!(explained["codes"], rows(|code| code.reference == Some(reference)));
        assert_ne!(explained["codes"], json!([]));
    }
}

#[test]
fn what_is_not_known_is_said_so_and_never_echoed() {
    let long = "A".repeat(100_000);
    let hostile: [&[u8]; 11] = [
        b"",
        b" ",
        b"QL3_NO_SUCH_CODE",
        b"1",
        b"082",
        b"+82",
        b"\x1b[31mred\x07",
        b"Done\n",
        b"\xff\xfe",
        "\u{202e}82".as_bytes(),
        long.as_bytes(),
    ];
    for argument in hostile {
        let ended = program::run(program::program().arg("explain").arg(OsStr::from_bytes(argument)));
        assert_eq!((ended.exit, ended.stdout.as_str()), (Some(66), ""), "{argument:?}");
        let expected = json!({
            "schemaVersion": 1,
            "component": "ql3-ops",
            "event": "explain_failed",
            "name": "Error",
            "code": "QL3_CODE_UNKNOWN",
        });
        assert_eq!(serde_json::from_str::<Value>(&ended.stderr).unwrap(), expected);
    }
}

#[test]
fn a_question_is_one_code_or_all_of_them() {
    for arguments in [&["explain"][..], &["explain", "--all", "82"], &["explain", "82", "82"]] {
        let ended = program::with_arguments(arguments);
        assert_eq!((ended.exit, ended.stdout.as_str()), (Some(64), ""), "{arguments:?}");
    }
}

#[test]
fn a_refused_command_line_is_quoted_without_its_control_characters() {
    for arguments in [["explain", "--\u{1b}[31m"], ["\u{1b}[31m", "\u{9b}m"], ["keyring", "\u{1b}]0;x\u{7}"]]
    {
        let ended = program::with_arguments(&arguments);
        assert_eq!((ended.exit, ended.stdout.as_str()), (Some(64), ""), "{arguments:?}");
        assert!(ended.stderr.contains("\\u{1b}"), "{ended:?}");
        assert!(ended.stderr.chars().all(|c| c == '\n' || !c.is_control()), "{ended:?}");
    }
}
