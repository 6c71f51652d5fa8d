//! The owner makes the tables.

use std::ffi::OsString;

use serde_json::json;

use super::error::Error;
use crate::ledger::Settings;
use crate::ledger::schema;
use crate::ledger::schema::Installed;
use crate::ledger::settings::Role;
use crate::report::COMPONENT;
use crate::report::Form;
use crate::report::LastWords;
use crate::report::Report;
use crate::time::Deadline;

/// Makes what is missing and renews the grants; says which steps it ran.
pub(super) async fn install(
    lookup: fn(&str) -> Option<OsString>,
    form: Form,
    deadline: Deadline,
) -> Result<Report, Error> {
    let settings = Settings::from_lookup(Role::Migration, lookup).map_err(Error::Settings)?;
    let (status, applied) = match schema::install(&settings, deadline).await.map_err(Error::Store)? {
        Installed::LeftAlone { absent } if absent.is_empty() => ("left-alone", Vec::new()),
        Installed::LeftAlone { absent } => return Err(Error::Foreign(absent.join(", "))),
        Installed::Complete { applied, missing } if missing.is_empty() => ("complete", applied),
        Installed::Complete { missing, .. } => {
            let statements: Vec<&str> = missing.iter().map(|role| role.create).collect();
            return Err(Error::RolesMissing(statements.join("; ")));
        }
    };
    let stdout = match form {
        Form::Json => {
            let line = json!({
                "schemaVersion": 1,
                "component": COMPONENT,
                "event": "ledger_installed",
                "status": status,
                "applied": applied,
            });
            format!("{line}\n")
        }
        Form::Text if status == "left-alone" => {
            "the tables are there already, made by other migrations; nothing was changed\n".to_owned()
        }
        Form::Text if applied.is_empty() => "everything is there; the grants were renewed\n".to_owned(),
        Form::Text => format!("made: {}\n", applied.join(", ")),
    };
    Ok(Report::done(stdout, LastWords::done(status, None)))
}
