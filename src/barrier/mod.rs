//! Whether the network policy is in force for this Pod, before any credential is mounted.
//!
//! The order of reading: [`fence`] is what is dialled, [`sight`] what one dial sees, [`round`] and [`verdict`]
//! what that amounts to (pure), [`dial`] and [`watch`] how it comes about. [`proof`] and [`testimony`] are how
//! somebody else vouches for the canary.

mod canary;
mod code;
mod control;
mod credential;
mod dial;
mod error;
mod evidence;
pub mod fence;
pub mod proof;
mod resolve;
pub mod round;
pub mod settings;
pub mod sight;
pub mod testimony;
pub mod verdict;
mod watch;
pub mod word;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

pub use canary::Ports;
pub use code::CODES;
pub use error::Error;
pub use error::Foreign;
pub use evidence::Detail;
use fence::Fence;
use settings::Alone;
use settings::Settings;
use watch::OnOpen;
use word::Word;

use crate::report::Failure;
use crate::report::LastWords;
use crate::report::Report;
use crate::report::Speaker;
use crate::report::Words;
use crate::time::Clock;
use crate::time::Deadline;

/// What the operator asked for.
#[derive(Debug)]
pub struct Order {
    /// Which of the three.
    pub task: Task,
    /// Reads one variable of the environment.
    pub lookup: fn(&str) -> Option<OsString>,
    /// How long everything together may take; a canary listens until it is told to stop.
    pub budget: Duration,
}

/// Which of the three.
#[derive(Debug)]
pub enum Task {
    /// Listen on two ports.
    Canary(Ports),
    /// Prove that the policy is in force.
    Check {
        /// Whether the reference's rule is enough.
        alone: Alone,
        /// What the evidence tells.
        detail: Detail,
        /// Where a token would be mounted; none may be.
        token: PathBuf,
    },
    /// State that the canary can be reached.
    Control {
        /// How long the statement is worth something.
        valid: Duration,
    },
}

/// Carries an order out and reports how it ended.
pub async fn carry_out(order: &Order) -> Report {
    let deadline = Deadline::after(order.budget);
    match &order.task {
        Task::Canary(ports) => match canary::listen(*ports).await {
            Ok(()) => stopped(order),
            Err(error) => failed("listen", &error),
        },
        Task::Check { alone, detail, token } => {
            if let Err(error) = credential::none_at(token) {
                return refused("credential", &error);
            }
            let settings = Settings::read(&order.lookup, *alone);
            check(settings, *detail, deadline).await
        }
        Task::Control { valid } => match control::state(&order.lookup, *valid, deadline).await {
            Ok(proof) => Report::done(proof.text() + "\n", Words::Verbatim(proof.text())),
            Err(error) => failed("control", &error),
        },
    }
}

/// SIGTERM or SIGINT: for a canary the end as wished.
pub fn stopped(order: &Order) -> Report {
    match order.task {
        Task::Canary(_) => Report::done("", LastWords::done("stopped", None)),
        Task::Check { .. } => refused("watch", &Error::Stopped),
        Task::Control { .. } => failed("control", &Error::Stopped),
    }
}

/// The report of something that went wrong before an order was carried out, in the words of its last words.
pub fn unasked(order: &Order, report: Report) -> Report {
    match order.task {
        Task::Check { .. } => Report { last_words: Words::Verbatim(Word::ProbeFailed.message()), ..report },
        Task::Canary(_) | Task::Control { .. } => report,
    }
}

async fn check(settings: Result<Settings, Error>, detail: Detail, deadline: Deadline) -> Report {
    let fence = match settings {
        Ok(settings) => resolve::fence(&settings, Clock::start(), deadline).await,
        Err(error) => return refused("settings", &error),
    };
    let fence = match fence {
        Ok(fence) => fence,
        Err(error) => return refused("resolve", &error),
    };
    let watched = watch::watch(&fence, OnOpen::Wait, deadline).await;
    let result = watched.verdict.result();
    let line = evidence::line(&fence, &watched, &result, detail);
    match result {
        Ok(()) => Report::done(line, Words::Verbatim(Word::PolicyReady.message())),
        Err(error) => Report { stdout: line.into(), ..refused("watch", &error) },
    }
}

/// The fence of a Pod, for who has passed the barrier once and asks again.
#[derive(Debug)]
pub struct Recheck(Fence);

impl Recheck {
    /// Reads the same environment as the barrier did, and resolves its names.
    pub async fn prepare(lookup: settings::Lookup<'_>, deadline: Deadline) -> Result<Self, Error> {
        let settings = Settings::read(lookup, Alone::Refused)?;
        resolve::fence(&settings, Clock::start(), deadline.slice(RECHECK)).await.map(Self)
    }

    /// Proves once more that the policy is in force. One open target ends it at once; whatever else is not
    /// settled within five seconds is a failure too.
    pub async fn hold(&self, deadline: Deadline) -> Result<(), Error> {
        watch::watch(&self.0, OnOpen::Stop, deadline.slice(RECHECK)).await.verdict.result()
    }
}

/// A barrier that is not passed: the reference's last words, which its tools read.
fn refused(step: &'static str, error: &Error) -> Report {
    Report { last_words: Words::Verbatim(error.word().message()), ..failed(step, error) }
}

fn failed(step: &'static str, error: &Error) -> Report {
    Report::failed(SPEAKER, &Failure::new(error.code(), step, error))
}

const SPEAKER: Speaker =
    Speaker { component: "qinglong3-network-policy-barrier", event: "network_policy_not_ready" };

/// For one re-check, and for its names.
const RECHECK: Duration = Duration::from_secs(5);
