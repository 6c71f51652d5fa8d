//! docs/operations.md: its commands are the program's, and its files are there.

use std::ffi::OsString;

use ql3_ops::cli;

use crate::support::kustomize::path;

/// The commands of its shell blocks, one a line.
fn lines() -> Vec<String> {
    let text = std::fs::read_to_string(path("docs/operations.md")).unwrap();
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned());
    let lines: Vec<_> =
        blocks.flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    assert!(lines.len() > 25, "the blocks were found");
    lines
}

#[test]
fn every_command_of_ours_parses() {
    let mut parsed = 0;
    for line in lines() {
        let commands =
            line.split(['|', '>']).map(str::trim).filter(|command| command.starts_with("ql3-ops "));
        for command in commands {
            let words: Vec<_> =
                command.split(' ').map(|word| OsString::from(word.trim_matches('"'))).collect();
            cli::parse(&words).unwrap_or_else(|report| panic!("{command}: {}", report.stderr));
            parsed += 1;
        }
    }
    assert_eq!(parsed, 6);
}

#[test]
fn every_folder_is_there_once_its_example_is_copied() {
    let mut found = 0;
    for line in lines() {
        let named =
            line.split([' ', '>']).filter(|word| word.starts_with("kustomize/") && !word.contains('*'));
        for word in named {
            let example = word.replace("overlays/private", "overlays/example-private");
            assert!(path(&example).exists(), "{word}");
            found += 1;
        }
    }
    assert!(found >= 12, "{found}");
}

#[test]
fn the_names_are_those_of_the_bundle() {
    let text = std::fs::read_to_string(path("docs/operations.md")).unwrap();
    for (name, file) in [
        ("ql3-retirement-deny-canary", "kustomize/canary/base/deployment.yaml"),
        ("ql3-retirement-canary-control", "kustomize/canary/control/job.yaml"),
        ("ql3-prompt-output-key-retirement", "kustomize/key-retirement/base/job.yaml"),
        ("ql3-prompt-output-key-retirement-command", "kustomize/key-retirement/base/job.yaml"),
        ("ql3-network-policy-control-proof", "kustomize/key-retirement/base/job.yaml"),
        ("ql3-cluster-ai-maintenance", "kustomize/key-retirement/base/job.yaml"),
        (
            "ql3-postgres-ai-maintenance-auth",
            "kustomize/key-retirement/overlays/cloudnative-pg/job-patch.yaml",
        ),
        (concat!("newTag: ", env!("CARGO_PKG_VERSION")), "docs/operations.md"),
    ] {
        assert!(text.contains(name), "{name}");
        assert!(std::fs::read_to_string(path(file)).unwrap().contains(name), "{name} in {file}");
    }
}
