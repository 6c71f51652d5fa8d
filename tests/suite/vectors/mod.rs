//! The golden cases of `tests/vectors/retirement`, or of the directory that `QL3_VECTORS` names.
//!
//! A file that no runner knows, a member that its runner did not take (of the file or of a case) and a
//! runner without its file all fail: nothing is passed over in silence.

mod access_review;
mod artifact;
mod cas_convergence;
mod cli_output;
mod command_files;
mod database_rows;
mod http_transcript;
mod inspect;
mod key_id_collation;
mod keyring_canonical;
mod live_report;
mod material_proof;
mod network_barrier;
mod projected_keyring;
mod receipts;
mod rejected_manifests;
mod requests;
mod retire_transform;
mod secret_validation;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use serde_json::Map;
use serde_json::Value;
use sha2::Digest;
use sha2::Sha256;

/// Which runner reads which file.
const RUNNERS: &[(&str, Runner)] = &[
    ("access-review-matrix.json", access_review::run),
    ("artifact.json", artifact::run),
    ("cas-convergence.json", cas_convergence::run),
    ("cli-output.json", cli_output::run),
    ("command-files.json", command_files::run),
    ("database-rows.json", database_rows::run),
    ("http-transcript.json", http_transcript::run),
    ("inspect.json", inspect::run),
    ("key-id-collation.json", key_id_collation::run),
    ("keyring-canonical.json", keyring_canonical::run),
    ("live-report.json", live_report::run),
    ("material-proof.json", material_proof::run),
    ("network-barrier.json", network_barrier::run),
    ("projected-keyring.json", projected_keyring::run),
    ("receipts.json", receipts::run),
    ("rejected-manifests.json", rejected_manifests::run),
    ("requests.json", requests::run),
    ("retire-transform.json", retire_transform::run),
    ("secret-validation.json", secret_validation::run),
];

type Runner = fn(&mut Sheet);

/// One vector file: members are taken once, cases are counted.
pub(crate) struct Sheet {
    members: Map<String, Value>,
    cases: usize,
}

impl Sheet {
    /// A member that must be there.
    pub(crate) fn take(&mut self, name: &str) -> Value {
        self.members.remove(name).unwrap_or_else(|| panic!("no member {name}"))
    }

    /// A member that is a text.
    pub(crate) fn text(&mut self, name: &str) -> String {
        text(self.take(name))
    }

    /// A member that is an array of cases; each is counted.
    pub(crate) fn cases(&mut self, name: &str) -> Vec<Value> {
        let Value::Array(cases) = self.take(name) else { panic!("{name} is not an array") };
        assert!(!cases.is_empty(), "{name} holds no case");
        self.cases += cases.len();
        cases
    }

    /// Runs each case of a member that is an array of objects, and fails where one has a member left.
    pub(crate) fn each(&mut self, name: &str, mut run: impl FnMut(&mut Case)) {
        for (index, value) in self.cases(name).into_iter().enumerate() {
            let mut case = Case::new(&format!("{name}[{index}]"), value);
            run(&mut case);
            case.finish();
        }
    }

    /// Counts cases that stand elsewhere than in an array of the top level.
    pub(crate) fn count(&mut self, cases: usize) {
        self.cases += cases;
    }
}

/// An object of a vector file: members are taken once, and none may be left.
pub(crate) struct Case {
    name: String,
    members: Map<String, Value>,
}

impl Case {
    pub(crate) fn new(place: &str, value: Value) -> Self {
        let Value::Object(members) = value else { panic!("{place} is not an object") };
        let name =
            members.get("name").and_then(Value::as_str).map_or(place.to_owned(), |n| format!("{place} {n}"));
        Self { name, members }
    }

    /// A member that must be there.
    pub(crate) fn take(&mut self, name: &str) -> Value {
        self.maybe(name).unwrap_or_else(|| panic!("{}: no member {name}", self.name))
    }

    /// A member that may be there.
    pub(crate) fn maybe(&mut self, name: &str) -> Option<Value> {
        self.members.remove(name)
    }

    /// A member that is a text.
    pub(crate) fn text(&mut self, name: &str) -> String {
        text(self.take(name))
    }

    /// A member that is an integer.
    pub(crate) fn number(&mut self, name: &str) -> u64 {
        self.take(name).as_u64().expect("an integer")
    }

    /// A member that is an object itself; it must be finished too.
    pub(crate) fn object(&mut self, name: &str) -> Self {
        Self::new(&format!("{}.{name}", self.name), self.take(name))
    }

    /// A member that is an array of objects, empty where it is missing.
    pub(crate) fn objects(&mut self, name: &str) -> Vec<Self> {
        let Some(value) = self.maybe(name) else {
            return Vec::new();
        };
        let Value::Array(items) = value else { panic!("{}.{name} is not an array", self.name) };
        let place = |index| format!("{}.{name}[{index}]", self.name);
        items.into_iter().enumerate().map(|(index, item)| Self::new(&place(index), item)).collect()
    }

    /// Leaves the words that are for the reader only.
    pub(crate) fn finish(mut self) {
        self.members.retain(|name, _| !["name", "note"].contains(&name.as_str()));
        assert!(self.members.is_empty(), "{}: not looked at: {:?}", self.name, self.members.keys());
    }
}

impl Drop for Case {
    /// Says which case a failed assertion was about.
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _written = writeln!(std::io::stderr(), "in {}", self.name);
        }
    }
}

pub(crate) fn text(value: Value) -> String {
    let Value::String(text) = value else { panic!("{value} is not a text") };
    text
}

pub(crate) fn sha256(bytes: impl AsRef<[u8]>) -> String {
    hex(&Sha256::digest(bytes))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { panic!("{text}: an odd number of digits") };
    let byte =
        |pair| u8::from_str_radix(std::str::from_utf8(pair).expect("ASCII"), 16).expect("hexadecimal digits");
    pairs.iter().map(|pair| byte(pair)).collect()
}

/// Where the files stand.
pub(crate) fn directory() -> PathBuf {
    std::env::var_os("QL3_VECTORS").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/retirement")),
        PathBuf::from,
    )
}

#[test]
fn every_vector_passes() {
    let mut sheets: BTreeMap<String, Sheet> = BTreeMap::new();
    for entry in std::fs::read_dir(directory()).expect("the directory of vectors") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_str().expect("UTF-8").to_owned();
        if path.extension().is_some_and(|extension| extension == "json") {
            let text = std::fs::read(&path).expect("a readable file");
            let Ok(Value::Object(mut members)) = serde_json::from_slice(&text) else {
                panic!("{name}: an object")
            };
            members.remove("description");
            sheets.insert(name, Sheet { members, cases: 0 });
        }
    }
    let mut lines = Vec::new();
    for (name, run) in RUNNERS {
        let mut sheet = sheets.remove(*name).unwrap_or_else(|| panic!("{name} is missing"));
        run(&mut sheet);
        assert!(sheet.members.is_empty(), "{name}: not run: {:?}", sheet.members.keys().collect::<Vec<_>>());
        writeln!(lines, "vectors {name}: {} cases", sheet.cases).expect("memory");
    }
    assert!(sheets.is_empty(), "no runner for {:?}", sheets.keys().collect::<Vec<_>>());
    // Past the test runner's capture, so that the numbers stand in every log.
    std::io::stdout().write_all(&lines).expect("stdout");
}
