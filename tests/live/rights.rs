//! What the Job's identity may do and may not, as the API server decides it.

use crate::Result;
use crate::command::NAMESPACE;
use crate::command::word;
use crate::say;

/// Whether its rights are exactly those that are needed. Each that is not as it must be is said.
pub(crate) fn are_exact() -> Result<bool> {
    let identity = format!("--as=system:serviceaccount:{NAMESPACE}:ql3-prompt-output-key-retirement");
    let mut exact = true;
    for (wanted, verb, object) in MATRIX {
        let (answer, success) = word(&["auth", "can-i", verb, object, &identity])?;
        if answer != *wanted || success != (*wanted == "yes") {
            say(&format!("may {verb} {object}: {answer} instead of {wanted}"));
            exact = false;
        }
    }
    Ok(exact)
}

const MATRIX: &[(&str, &str, &str)] = &[
    ("yes", "get", "secrets/ql3-prompt-output-keyring"),
    ("yes", "update", "secrets/ql3-prompt-output-keyring"),
    ("no", "delete", "secrets/ql3-prompt-output-keyring"),
    ("no", "patch", "secrets/ql3-prompt-output-keyring"),
    ("no", "get", "secrets/ql3-prompt-output-keyring-other"),
    ("no", "update", "secrets/ql3-prompt-output-keyring-other"),
    ("no", "get", "secrets"),
    ("no", "list", "secrets"),
    ("no", "watch", "secrets"),
    ("no", "create", "secrets"),
    ("no", "get", "configmaps"),
    ("no", "get", "pods"),
    ("no", "create", "pods"),
    ("no", "create", "serviceaccounts/token"),
];
