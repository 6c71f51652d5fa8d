//! The seven conditions by name, and what to grant or revoke where one does not hold.

use std::ffi::OsString;
use std::fmt::Write;

use serde_json::json;

use super::error::Error;
use crate::exit::Exit;
use crate::ledger::Ledger;
use crate::ledger::Question;
use crate::ledger::Readiness;
use crate::ledger::Settings;
use crate::ledger::settings::Role;
use crate::report::COMPONENT;
use crate::report::Form;
use crate::report::LastWords;
use crate::report::Report;
use crate::time::Deadline;

/// Asks the database as the maintenance user. The answer is the result also where it is no.
pub(super) async fn check(
    lookup: fn(&str) -> Option<OsString>,
    form: Form,
    deadline: Deadline,
) -> Result<Report, Error> {
    let settings = Settings::from_lookup(Role::Maintenance, lookup).map_err(Error::Settings)?;
    let mut ledger = Ledger::open(&settings, deadline).await.map_err(Error::Store)?;
    let readiness = ledger.ready(deadline).await.map_err(Error::Store)?;
    ledger.close(deadline).await.map_err(Error::Store)?;
    let stdout = match form {
        Form::Json => line(&readiness),
        Form::Text => text(&readiness),
    };
    let Err(refusal) = readiness.verdict() else {
        return Ok(Report::done(stdout, LastWords::done("ready", None)));
    };
    let exit: Exit = refusal.code().exit;
    let hint = Some(refusal.code().remedy);
    let last_words =
        LastWords { exit: exit.name(), code: Some(refusal.code().code), hint, ..LastWords::default() };
    Ok(Report { exit, ..Report::done(stdout, last_words) })
}

fn line(readiness: &Readiness) -> String {
    let answers: serde_json::Map<String, serde_json::Value> = Question::ALL
        .iter()
        .map(|question| (question.name().to_owned(), readiness.holds(*question).into()))
        .collect();
    let faults: Vec<String> = readiness.faults.iter().map(ToString::to_string).collect();
    let line = json!({
        "schemaVersion": 1,
        "component": COMPONENT,
        "event": "ledger_checked",
        "currentUser": readiness.current_user,
        "ready": faults.is_empty(),
        "conditions": answers,
        "remedies": faults,
    });
    format!("{line}\n")
}

fn text(readiness: &Readiness) -> String {
    let mut text = format!("{:<28}{}\n", "user", readiness.current_user);
    for question in Question::ALL {
        let answer = if readiness.holds(question) { "yes" } else { "NO" };
        writeln!(text, "{:<28}{answer}", question.name()).unwrap_or_default();
        for fault in readiness.faults.iter().filter(|fault| fault.question == question) {
            writeln!(text, "  {fault}").unwrap_or_default();
        }
    }
    text
}
