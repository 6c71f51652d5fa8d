//! Take the key out of service, once: observe, decide, act, until settled (ADR-0262).
//!
//! The order of a run is the reference's: command file, cluster authority, ten access reviews, names of the
//! Secret, database settings, identities, database, readiness, and only then the two stores. The proof that
//! the protocol holds is in [`decide`], which is pure; everything else here carries its answer out.

mod act;
mod command;
pub mod decide;
mod error;
mod observe;
mod outcome;
mod plan;
mod progress;
mod write;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

pub use command::Command;
pub use error::CODES;
pub use error::Error;
pub use outcome::Outcome;
pub use outcome::Status;
pub use plan::Plan;
pub use write::Draft;
pub use write::Wrapping;

use act::Next;
use act::Stores;
use observe::Count;
use progress::Progress;

use crate::barrier::Recheck;
use crate::cluster::Authority;
use crate::cluster::Cluster;
use crate::ledger;
use crate::ledger::Ledger;
use crate::ledger::settings::Role;
use crate::report::Failure;
use crate::report::Form;
use crate::report::Report;
use crate::report::Speaker;
use crate::signals::Signals;
use crate::time::Clock;
use crate::time::Deadline;

/// What the operator asked for.
#[derive(Debug)]
pub struct Order {
    /// Which of the three.
    pub task: Task,
    /// How to reach the API server.
    pub authority: Authority,
    /// Reads one variable of the environment.
    pub lookup: fn(&str) -> Option<OsString>,
    /// How long everything together may take.
    pub budget: Duration,
}

/// Which of the three.
#[derive(Debug)]
pub enum Task {
    /// Write a command file for a live Secret.
    Command(Draft),
    /// Say what a run would do.
    Plan {
        /// Absolute path of the command file.
        command_file: PathBuf,
        /// Whether a person reads it.
        form: Form,
    },
    /// Do it.
    Run {
        /// Absolute path of the command file.
        command_file: PathBuf,
        /// Whether the network policy is looked at again.
        guard: Guard,
    },
}

/// Whether a run asks again what the barrier asked before it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Guard {
    /// The network policy must still be in force before the token is opened, and again before the PUT.
    Recheck,
    /// It is not looked at.
    Trust,
}

/// Carries an order out and reports how it ended.
pub async fn carry_out(order: &Order) -> Report {
    let progress = Progress::new();
    let deadline = Deadline::after(order.budget);
    let mut signals = match Signals::listen() {
        Ok(signals) => signals,
        Err(error) => return failed(&Error::NoSignals(error), &progress),
    };
    // On the heap: the whole run is one future of 20 KiB.
    let work = Box::pin(work(order, &progress, deadline));
    match progress::race(work, &progress, deadline, &mut signals).await {
        Ok(report) => report,
        Err(error) => failed(&error, &progress),
    }
}

fn failed(error: &Error, progress: &Progress) -> Report {
    Report::failed(SPEAKER, &Failure::new(error.code(), progress.stage(), error).printed_as(error.line()))
}

async fn work(order: &Order, progress: &Progress, deadline: Deadline) -> Result<Report, Error> {
    let clock = Clock::start();
    let (command_file, planning, guard) = match &order.task {
        Task::Command(draft) => return draft.write(&order.authority, progress, deadline).await,
        Task::Plan { command_file, form } => (command_file, Some(*form), Guard::Trust),
        Task::Run { command_file, guard } => (command_file, None, *guard),
    };
    progress.enter("command");
    let command = Command::read(command_file)?;
    let barrier = match guard {
        Guard::Recheck => Some(recheck(order.lookup, progress, deadline).await?),
        Guard::Trust => None,
    };
    progress.enter("authority");
    let cluster = Cluster::connect(&order.authority).map_err(Error::Cluster)?;
    let secret = command.secret()?;
    progress.enter("review");
    cluster.review(&secret, deadline).await.map_err(Error::Cluster)?;
    progress.enter("settings");
    let settings = ledger::Settings::from_lookup(Role::Maintenance, order.lookup).map_err(Error::Settings)?;
    let request = command.request()?;
    progress.enter("connect");
    let mut ledger = Ledger::open(&settings, deadline).await.map_err(Error::Ledger)?;
    let mut stores = Stores {
        cluster: &cluster,
        secret: &secret,
        ledger: &mut ledger,
        request: &request,
        barrier: barrier.as_ref(),
        clock,
        deadline,
        progress,
    };
    let result = match planning {
        Some(form) => plan(&mut stores).await.map(|plan| plan.report(form)),
        None => run(&mut stores).await.map(|outcome| outcome.report()),
    };
    // A little time of its own: a deadline that ended the work must not make the goodbye fail too.
    match (result, ledger.close(Deadline::after(GOODBYE)).await) {
        (result, Ok(())) => result,
        (Ok(_), Err(close)) => Err(Error::Close(close)),
        (Err(work), Err(close)) => Err(Error::Aggregate { work: Box::new(work), close }),
    }
}

/// Before the token's file is opened.
async fn recheck(
    lookup: fn(&str) -> Option<OsString>,
    progress: &Progress,
    deadline: Deadline,
) -> Result<Recheck, Error> {
    progress.enter("barrier");
    let barrier = Recheck::prepare(&lookup, deadline).await.map_err(Error::Barrier)?;
    barrier.hold(deadline).await.map_err(Error::Barrier)?;
    Ok(barrier)
}

async fn run(stores: &mut Stores<'_>) -> Result<Outcome, Error> {
    let mut scene = observe::observe(stores, Count::WhenResuming).await?.scene;
    loop {
        let step = decide::decide(stores.request, &scene).map_err(Error::Refused)?;
        match act::act(stores, step).await? {
            Next::Done(outcome) => return Ok(*outcome),
            Next::Scene(next) => scene = *next,
        }
    }
}

async fn plan(stores: &mut Stores<'_>) -> Result<Plan, Error> {
    let observation = observe::observe(stores, Count::Always).await?;
    Ok(Plan::new(stores.request, &observation.scene, observation.live))
}

const GOODBYE: Duration = Duration::from_secs(1);

/// The component of every line about a retirement.
pub const COMPONENT: &str = "qinglong3-prompt-output-key-retirement";

const SPEAKER: Speaker = Speaker { component: COMPONENT, event: "key_retirement_failed" };
