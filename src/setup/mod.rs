//! The ledger's tables and grants: made by their owner, checked by the role that uses them.

mod check;
mod error;
mod install;

use std::ffi::OsString;
use std::time::Duration;

pub use error::CODES;
pub use error::Error;

use crate::ledger::schema;
use crate::report::Failure;
use crate::report::Form;
use crate::report::LastWords;
use crate::report::Report;
use crate::report::Speaker;
use crate::time::Deadline;

/// What the operator asked for.
#[derive(Debug)]
pub struct Order {
    /// Which of the three.
    pub task: Task,
    /// Reads one variable of the environment.
    pub lookup: fn(&str) -> Option<OsString>,
    /// How long it may take.
    pub budget: Duration,
}

/// Which of the three.
#[derive(Clone, Copy, Debug)]
pub enum Task {
    /// Say whether the maintenance role has what it needs, and no more.
    Check(Form),
    /// Make what is missing.
    Install(Form),
    /// Print the SQL and connect to nothing.
    Print,
}

/// Carries an order out and reports how it ended.
pub async fn carry_out(order: &Order) -> Report {
    let deadline = Deadline::after(order.budget);
    let (step, result) = match order.task {
        Task::Check(form) => ("check", check::check(order.lookup, form, deadline).await),
        Task::Install(form) => ("install", install::install(order.lookup, form, deadline).await),
        Task::Print => ("print", Ok(Report::done(schema::script(), LastWords::done("printed", None)))),
    };
    result.unwrap_or_else(|error| Report::failed(SPEAKER, &Failure::new(error.code(), step, &error)))
}

const SPEAKER: Speaker = Speaker::own("ledger_failed");
