//! What an operator's private overlay needs and nobody should write by hand: which addresses the API server has, and what
//! the control said.

mod control;
mod endpoint;
mod error;

use std::time::Duration;

pub use error::CODES;
pub use error::Error;

use crate::cluster::Authority;
use crate::report::Failure;
use crate::report::Report;
use crate::report::Speaker;
use crate::time::Deadline;

/// What the operator asked for.
#[derive(Debug)]
pub struct Order {
    /// Which of the two.
    pub task: Task,
    /// How long it may take.
    pub budget: Duration,
}

/// Which of the two.
#[derive(Debug)]
pub enum Task {
    /// Print the ConfigMap around a control's statement, which comes on stdin.
    Control {
        /// Where the Job runs.
        namespace: String,
    },
    /// Print the egress rules to the API server.
    Endpoint {
        /// How to reach it.
        authority: Authority,
    },
}

/// Carries an order out and reports how it ended.
pub async fn carry_out(order: &Order) -> Report {
    let (step, result) = match &order.task {
        Task::Control { namespace } => ("control", control::wrap(namespace)),
        Task::Endpoint { authority } => {
            ("endpoint", endpoint::patch(authority, Deadline::after(order.budget)).await)
        }
    };
    result.unwrap_or_else(|error| Report::failed(SPEAKER, &Failure::new(error.code(), step, &error)))
}

const SPEAKER: Speaker = Speaker::own("bundle_failed");
