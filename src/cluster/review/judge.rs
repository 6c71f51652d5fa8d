//! Pure: the ten rows of the access matrix (ADR-0262), and what an answer to one of them proves.

use std::fmt;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::cluster::address::SecretRef;
use crate::cluster::review::Error;

/// One question about our own rights, and the only answer that passes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Row {
    verb: &'static str,
    resource: &'static str,
    object: Object,
    allowed: bool,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Object {
    Any,
    Other,
    Secret,
}

/// The matrix, in the order in which it is judged.
pub const ROWS: [Row; 10] = [
    row("get", "secrets", Object::Secret, true),
    row("update", "secrets", Object::Secret, true),
    row("list", "secrets", Object::Any, false),
    row("watch", "secrets", Object::Any, false),
    row("create", "secrets", Object::Any, false),
    row("delete", "secrets", Object::Secret, false),
    row("patch", "secrets", Object::Secret, false),
    row("get", "secrets", Object::Other, false),
    row("get", "configmaps", Object::Any, false),
    row("get", "pods", Object::Any, false),
];

const fn row(verb: &'static str, resource: &'static str, object: Object, allowed: bool) -> Row {
    Row { verb, resource, object, allowed }
}

impl Row {
    /// What is asked: no group, version or subresource, and a name only where one is meant.
    pub fn attributes(&self, secret: &SecretRef) -> Value {
        let mut attributes =
            json!({ "namespace": secret.namespace, "verb": self.verb, "resource": self.resource });
        let name = match self.object {
            Object::Any => return attributes,
            Object::Other => format!("{}-other", secret.name),
            Object::Secret => secret.name.clone(),
        };
        if let Value::Object(members) = &mut attributes {
            members.insert("name".to_owned(), name.into());
        }
        attributes
    }

    /// The answer that passes.
    pub fn allowed(&self) -> bool {
        self.allowed
    }

    /// Judges the members of an answered review.
    ///
    /// An answer that an authorizer could not fully work out proves nothing, whatever it says.
    pub fn judge(&self, answer: &Map<String, Value>) -> Result<(), Error> {
        let row = *self;
        let status = answer.get("status").and_then(Value::as_object).ok_or(Error::Unproven { row })?;
        if status.contains_key("evaluationError") {
            return Err(Error::Unproven { row });
        }
        let denied = status.get("denied").is_some_and(|denied| *denied != Value::Bool(false));
        match (status.get("allowed").and_then(Value::as_bool), self.allowed) {
            (None, _) => Err(Error::Unproven { row }),
            (Some(true), false) => Err(Error::TooWide { row }),
            (Some(false), true) => Err(Error::TooNarrow { row }),
            (Some(true), true) if denied => Err(Error::TooNarrow { row }),
            (Some(true), true) | (Some(false), false) => Ok(()),
        }
    }
}

/// Verb, resource and which object is meant; no name of anything.
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let object = match self.object {
            Object::Any => "",
            Object::Other => " (another one)",
            Object::Secret => " (this one)",
        };
        write!(f, "{} {}{object}", self.verb, self.resource)
    }
}
