//! The golden cases of `tests/vectors/retirement`, or of the directory that `QL3_VECTORS` names.
//!
//! A file that no runner knows, a member that its runner did not take and a runner without its file all
//! fail: nothing is passed over in silence.

mod access_review;
mod cas_convergence;
mod http_transcript;
mod secret_validation;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use serde_json::Map;
use serde_json::Value;

/// Which runner reads which file.
const RUNNERS: &[(&str, fn(&mut Sheet))] = &[
    ("access-review-matrix.json", access_review::run),
    ("cas-convergence.json", cas_convergence::run),
    ("http-transcript.json", http_transcript::run),
    ("secret-validation.json", secret_validation::run),
];

/// One vector file: members are taken once, cases are counted.
pub(crate) struct Sheet {
    members: Map<String, Value>,
    cases: usize,
}

impl Sheet {
    /// A member that must be there.
    pub(crate) fn take(&mut self, name: &str) -> Value {
        self.members
            .remove(name)
            .unwrap_or_else(|| panic!("no member {name}"))
    }

    /// A member that is an array of cases; each is counted.
    pub(crate) fn cases(&mut self, name: &str) -> Vec<Value> {
        let Value::Array(cases) = self.take(name) else {
            panic!("{name} is not an array")
        };
        self.cases += cases.len();
        cases
    }

    /// Counts cases that stand elsewhere than in an array of the top level.
    pub(crate) fn count(&mut self, cases: usize) {
        self.cases += cases;
    }
}

#[test]
fn every_vector_passes() {
    let directory = std::env::var_os("QL3_VECTORS").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/retirement")),
        PathBuf::from,
    );
    let mut sheets: BTreeMap<String, Sheet> = BTreeMap::new();
    for entry in std::fs::read_dir(&directory).expect("the directory of vectors") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_str()
            .expect("UTF-8")
            .to_owned();
        if name.ends_with(".json") {
            let text = std::fs::read(&path).expect("a readable file");
            let Ok(Value::Object(mut members)) = serde_json::from_slice(&text) else {
                panic!("{name}: an object")
            };
            members.remove("description");
            sheets.insert(name, Sheet { members, cases: 0 });
        }
    }
    let mut lines = String::new();
    for (name, run) in RUNNERS {
        let mut sheet = sheets
            .remove(*name)
            .unwrap_or_else(|| panic!("{name} is missing"));
        run(&mut sheet);
        assert!(
            sheet.members.is_empty(),
            "{name}: not run: {:?}",
            sheet.members.keys().collect::<Vec<_>>()
        );
        lines += &format!("vectors {name}: {} cases\n", sheet.cases);
    }
    assert!(
        sheets.is_empty(),
        "no runner for {:?}",
        sheets.keys().collect::<Vec<_>>()
    );
    // Past the test runner's capture, so that the numbers stand in every log.
    std::io::stdout().write_all(lines.as_bytes()).expect("stdout");
}
