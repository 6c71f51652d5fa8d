//! The command file: which key of which Secret, under which four identities (ADR-0262).

use std::path::Path;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use super::error::Error;
use crate::cluster::SecretRef;
use crate::file;
use crate::file::Links;
use crate::json;
use crate::keyring::Request;

/// A command file of the right shape. Its values are checked in the reference's order: the Secret's names
/// after the access reviews, the identities after the database settings.
#[derive(Debug)]
pub struct Command {
    kubernetes: Kubernetes<Value>,
    request: Identities<Value>,
}

impl Command {
    /// Reads a file of 1 to 16384 bytes that is not a symbolic link.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let content = file::read(path, LIMIT, Links::Refuse).map_err(Error::CommandFile)?;
        Self::parse(content.bytes.expose())
    }

    /// Parses the text; unknown and doubled members are refused at every level.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        let value = json::parse(text).map_err(|error| match error.fault {
            json::Fault::Shape => Error::CommandShape(error),
            json::Fault::Syntax | json::Fault::Truncated => Error::CommandSyntax(error),
        })?;
        let Ok(Wire::<Value, Value> { schema_version, operation, kubernetes, request }) =
            Wire::deserialize(value)
        else {
            return Err(Error::CommandShape(WHOLE));
        };
        // 1.0 is the same number, so the reference accepts it.
        if schema_version.as_f64() != Some(1.0) || operation != OPERATION {
            return Err(Error::CommandShape(WHOLE));
        }
        let command = Self { kubernetes, request };
        match command.placeholder() {
            Some(member) => Err(Error::CommandPlaceholder(member)),
            None => Ok(command),
        }
    }

    /// The first member that still holds what the bundle's example does.
    fn placeholder(&self) -> Option<&'static str> {
        let Self { kubernetes, request } = self;
        let members = [
            ("namespace", &kubernetes.namespace),
            ("secretName", &kubernetes.secret_name),
            ("expectedSecretUid", &kubernetes.expected_secret_uid),
            ("dataKey", &kubernetes.data_key),
            ("keyId", &request.key_id),
            ("retirementId", &request.retirement_id),
            ("requestId", &request.request_id),
            ("mutationId", &request.mutation_id),
        ];
        let left = |value: &Value| value.as_str().is_some_and(|text| text.starts_with(PLACEHOLDER));
        members.into_iter().find(|(_, value)| left(value)).map(|(member, _)| member)
    }

    /// The text of a command file: indented, in the documented order, with a newline.
    pub fn text(secret: &SecretRef, request: &Request) -> String {
        let wire = Wire {
            schema_version: 1,
            operation: OPERATION.to_owned(),
            kubernetes: Kubernetes {
                namespace: secret.namespace.clone(),
                secret_name: secret.name.clone(),
                expected_secret_uid: secret.uid.clone(),
                data_key: secret.data_key.clone(),
            },
            request: Identities {
                key_id: request.key_id.to_string(),
                retirement_id: request.retirement_id.to_string(),
                request_id: request.request_id.to_string(),
                mutation_id: request.mutation_id.to_string(),
            },
        };
        serde_json::to_string_pretty(&wire).unwrap_or_default() + "\n"
    }

    /// Which Secret; its names are strings, but their patterns are still to be checked.
    pub fn secret(&self) -> Result<SecretRef, Error> {
        let text = |value: &Value| value.as_str().map(str::to_owned).ok_or(Error::CommandShape(WHOLE));
        Ok(SecretRef {
            namespace: text(&self.kubernetes.namespace)?,
            name: text(&self.kubernetes.secret_name)?,
            uid: text(&self.kubernetes.expected_secret_uid)?,
            data_key: text(&self.kubernetes.data_key)?,
        })
    }

    /// The four identities, checked.
    pub fn request(&self) -> Result<Request, Error> {
        let value = serde_json::to_value(&self.request).unwrap_or_default();
        Request::from_value(&value).map_err(Error::Identities)
    }
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Wire<V, T> {
    schema_version: V,
    operation: String,
    kubernetes: Kubernetes<T>,
    request: Identities<T>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Kubernetes<T> {
    namespace: T,
    secret_name: T,
    expected_secret_uid: T,
    data_key: T,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the names of the wire")]
struct Identities<T> {
    key_id: T,
    retirement_id: T,
    request_id: T,
    mutation_id: T,
}

const LIMIT: usize = 16_384;
/// How every placeholder of the bundle begins.
const PLACEHOLDER: &str = "replace-with-";

const OPERATION: &str = "cluster.prompt-output-key.retire";

/// The position of a fault that concerns the text as a whole.
const WHOLE: json::Error = json::Error { line: 0, column: 0, fault: json::Fault::Shape };
