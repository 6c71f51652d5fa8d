//! The enum, the documents and the codes agree.

use std::collections::BTreeSet;

use ql3_ops::cli;
use ql3_ops::code::Code;
use ql3_ops::exit::Exit;

fn document(name: &str) -> String {
    std::fs::read_to_string(format!("{}/docs/{name}", env!("CARGO_MANIFEST_DIR"))).expect("the document")
}

/// The cells of the rows that begin with a number or a code.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let rows = text.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let cells = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    cells.filter(|cells| cells[0].starts_with(|c: char| c.is_ascii_digit() || c == '`')).collect()
}

#[test]
fn the_document_lists_exactly_the_exits_of_the_program() {
    let text = document("exit-codes.md");
    let numbers: Vec<String> = Exit::ALL.iter().map(|exit| exit.number().to_string()).collect();
    let ours: Vec<Vec<&str>> = Exit::ALL
        .iter()
        .zip(&numbers)
        .map(|(exit, number)| {
            let fate = if exit.may_pass() { "counts" } else { "fails" };
            let job = if *exit == Exit::Done { "completes" } else { fate };
            vec![number.as_str(), exit.name(), exit.conclusion(), job]
        })
        .collect();
    assert_eq!(rows(&text), ours);
}

#[test]
fn the_runbook_has_a_section_for_each_code() {
    let text = document("runbook.md");
    for exit in Exit::ALL {
        let heading = format!("## {} {}", exit.number(), exit.name());
        assert!(text.lines().any(|line| line == heading), "no section \"{heading}\"");
    }
}

#[test]
fn the_runbook_lists_exactly_the_codes_of_the_program() {
    let text = document("runbook.md");
    let mut codes: Vec<_> = cli::codes().collect();
    codes.sort_by_key(|code| code.code);
    let cells = |code: &Code| {
        let name = format!("`{}`", code.code);
        [name, code.exit.number().to_string(), code.meaning.to_owned(), code.remedy.to_owned()]
    };
    let ours: Vec<_> = codes.into_iter().map(cells).collect();
    let written = rows(&text);
    for (written, ours) in written.iter().zip(&ours) {
        assert_eq!(written, ours, "hack/render-codes writes the table");
    }
    assert_eq!(written.len(), ours.len(), "hack/render-codes writes the table");
}

#[test]
fn every_code_is_unique_well_formed_and_has_a_remedy() {
    let mut seen = BTreeSet::new();
    for code in cli::codes() {
        let form = |text: &str| {
            (1..=128).contains(&text.len())
                && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        };
        assert!(form(code.code) && form(code.printed()), "{}", code.code);
        assert!(seen.insert(code.code), "{} stands twice", code.code);
        for line in [code.meaning, code.remedy] {
            let is_plain = line.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic() && byte != b'|');
            assert!(is_plain && line.len() > 5 && line.trim() == line && !line.ends_with('.'), "{line}");
        }
        assert_ne!(code.exit, Exit::Done, "{}", code.code);
    }
    assert!(seen.len() > 40, "the codes were gathered: {}", seen.len());
}

#[test]
fn every_code_that_is_defined_is_in_the_table() {
    let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    let mut defined = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("text");
                defined +=
                    text.lines().filter(|line| line.contains("static ") && line.contains(": Code =")).count();
            }
        }
    }
    assert_eq!(cli::codes().count(), defined);
}
