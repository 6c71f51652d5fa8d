//! The bundle as `kubectl kustomize` renders it, offline.

use std::path::Path;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// A file or folder of this repository.
pub(crate) fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// What `kubectl apply -k` would send, in its order.
pub(crate) fn render(folder: &Path) -> String {
    let output = Command::new("kubectl")
        .arg("kustomize")
        .arg(folder)
        .output()
        .expect("kubectl on the PATH: eval \"$(hack/lab env)\"");
    assert!(output.status.success(), "{}: {}", folder.display(), String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The documents of a YAML text.
pub(crate) fn documents(text: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(text).unwrap()
}

/// The objects that a folder of this repository renders to.
pub(crate) fn objects(folder: &str) -> Vec<Value> {
    documents(&render(&path(folder)))
}

/// The one object of a kind.
pub(crate) fn one(objects: &[Value], kind: &str) -> Value {
    let found: Vec<_> = objects.iter().filter(|object| object["kind"] == kind).collect();
    assert_eq!(found.len(), 1, "{kind}");
    found[0].clone()
}
