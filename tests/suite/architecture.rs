//! The house: imports go down, libraries stay where they belong, files stay short.

use std::fs;
use std::path::Path;
use std::path::PathBuf;

/// Which rank each top-level module has. A file may import a lower rank, or its own folder.
const RANKS: &[(&str, u8)] = &[
    ("main", 8),
    ("lib", 8),
    ("cli", 8),
    ("bundle", 7),
    ("custody", 7),
    ("evidence", 7),
    ("retire", 7),
    ("setup", 7),
    ("barrier", 6),
    ("cluster", 5),
    ("ledger", 5),
    ("report", 5),
    ("names", 4),
    ("tls", 4),
    ("keyring", 3),
    ("file", 2),
    ("code", 1),
    ("exit", 0),
    ("hidden", 0),
    ("json", 0),
    ("signals", 0),
    ("time", 0),
];

/// Which libraries may be named where, by the start of a path below `src/`.
const CONFINED: &[(&str, &[&str])] = &[
    ("clap", &["cli/"]),
    ("kube", &["cluster/"]),
    ("k8s_openapi", &["cluster/"]),
    ("hyper_util", &["cluster/"]),
    ("resolv_conf", &["names/"]),
    ("nix", &["barrier/dial.rs"]),
    ("rustls", &["cluster/", "tls/"]),
    ("simple_dns", &["names/"]),
    ("tokio::net", &["barrier/canary.rs", "barrier/dial.rs", "cluster/", "ledger/", "names/", "tls/"]),
    ("tokio_postgres", &["ledger/", "tls/"]),
    ("std::env", &["cli/", "main.rs"]),
];

/// Names of pure rooms: no `async` in them.
const PURE: &[&str] = &["decide.rs", "verdict.rs", "plan.rs"];

struct Source {
    path: String,
    module: String,
    text: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path: PathBuf = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let relative = path.strip_prefix(&root).expect("below src").to_str().expect("UTF-8").to_owned();
            if Path::new(&relative).extension().is_some_and(|extension| extension == "rs") {
                let module = relative.split('/').next().expect("a name").trim_end_matches(".rs").to_owned();
                sources.push(Source {
                    text: fs::read_to_string(&path).expect("text"),
                    path: relative,
                    module,
                });
            }
        }
    }
    assert!(sources.len() > 30, "the sources were found");
    sources
}

fn rank(module: &str) -> u8 {
    let found = RANKS.iter().find(|(name, _)| *name == module);
    found.unwrap_or_else(|| panic!("{module} has no rank: add it to the table")).1
}

/// Code without comments and without the tests at a file's foot.
fn code(source: &Source) -> Vec<(usize, &str)> {
    let lines = source.text.lines().enumerate();
    lines
        .take_while(|(_, line)| *line != "#[cfg(test)]")
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .map(|(number, line)| (number + 1, line))
        .collect()
}

#[test]
fn imports_only_go_down() {
    let mut faults = Vec::new();
    for source in &sources() {
        for (number, line) in code(source) {
            for rest in line.split("crate::").skip(1) {
                let name: String = rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
                let known = RANKS.iter().any(|(module, _)| *module == name);
                let (own, other) = (rank(&source.module), if known { rank(&name) } else { continue });
                if name != source.module && other >= own {
                    let path = &source.path;
                    faults.push(format!(
                        "{path}:{number} imports {name}: rank {own} may not look to rank {other}"
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn libraries_stay_where_they_belong() {
    let mut faults = Vec::new();
    for source in &sources() {
        for (number, line) in code(source) {
            for (library, places) in CONFINED {
                let named = line.match_indices(&format!("{library}::")).any(|(at, _)| {
                    !line.split_at(at).0.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
                });
                if named && !places.iter().any(|place| source.path.starts_with(place)) {
                    faults.push(format!("{}:{number} names {library}", source.path));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn pure_rooms_have_no_async() {
    for source in &sources() {
        if PURE.iter().any(|name| source.path.ends_with(&format!("/{name}"))) {
            let line =
                code(source).into_iter().find(|(_, line)| line.contains("async") || line.contains(".await"));
            assert!(line.is_none(), "{}: {line:?}", source.path);
        }
    }
}

#[test]
fn files_stay_short() {
    for source in &sources() {
        let lines = source.text.lines().count();
        let limit = if source.path == "main.rs" { 40 } else { 500 };
        assert!(lines <= limit, "{} has {lines} lines, {limit} are allowed", source.path);
    }
}
