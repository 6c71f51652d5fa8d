//! `evidence audit`: the reference's reports get the reference's line, and each fault its exit.

use serde_json::Value;
use tempfile::TempDir;

use crate::support::program;

const VECTORS: &str = include_str!("../vectors/retirement/live-report.json");

#[test]
fn every_report_of_the_vectors_gets_its_findings_and_its_exit() {
    let vectors: Value = serde_json::from_str(VECTORS).unwrap();
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("report.json");
    for case in vectors["cases"].as_array().unwrap() {
        std::fs::write(&path, case["report"].to_string()).unwrap();
        let ended = program::run(program::program().args(["evidence", "audit"]).arg(&path));
        let line: Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(line["findings"], case["findings"], "{}", case["name"]);
        let exit = if case["compatible"] == true { 0 } else { 65 };
        assert_eq!(ended.exit, Some(exit), "{}", case["name"]);
        if exit == 0 {
            assert_eq!(ended.stdout.trim_end(), vectors["auditOutputForValid"].as_str().unwrap());
        } else {
            assert!(ended.stderr.contains("QL3_EVIDENCE_INCOMPATIBLE"), "{}", ended.stderr);
        }
    }
}

#[test]
fn what_is_no_report_is_refused_for_its_own_reason() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("report.json");
    let audit = || program::run(program::program().args(["evidence", "audit"]).arg(&path));
    assert_eq!(audit().exit, Some(66));
    for (text, exit, code) in [
        ("", 65, "QL3_FILE_SIZE_INVALID"),
        ("{\"a\":1,\"a\":2}", 65, "QL3_EVIDENCE_NOT_JSON"),
        ("{}", 65, "QL3_EVIDENCE_INCOMPATIBLE"),
        ("{\"fixture\":\"ql3-ops/prompt-output-key-retirement-live@v1\"}", 65, "QL3_EVIDENCE_INCOMPATIBLE"),
    ] {
        std::fs::write(&path, text).unwrap();
        let ended = audit();
        assert_eq!(ended.exit, Some(exit), "{text}");
        assert!(ended.stderr.contains(code), "{text}: {}", ended.stderr);
    }
    std::fs::write(&path, "1".repeat(256 * 1024 + 1)).unwrap();
    assert_ne!(audit().exit, Some(0));
    assert_eq!(program::with_arguments(&["evidence", "audit"]).exit, Some(64));
}
