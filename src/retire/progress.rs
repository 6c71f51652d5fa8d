//! Where a run is, and whether it can still turn back.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use super::error::Error;
use crate::signals::Signals;
use crate::time::Deadline;

/// The run's own account of itself, shared between the work and whoever may have to end it.
#[derive(Debug)]
pub(super) struct Progress {
    stage: Cell<&'static str>,
    committed: Cell<bool>,
}

impl Progress {
    /// Before anything.
    pub(super) fn new() -> Self {
        Self { stage: Cell::new("start"), committed: Cell::new(false) }
    }

    /// Enters a stage; it is named in the log and in the last words of a failure.
    pub(super) fn enter(&self, stage: &'static str) {
        self.stage.set(stage);
        tracing::info!(stage, "entered");
    }

    /// The stage that the run is in.
    pub(super) fn stage(&self) -> &'static str {
        self.stage.get()
    }

    /// The point of no return: from here on a request may have changed the Secret, and dropping the work
    /// would leave nobody who knows.
    pub(super) fn commit(&self) {
        self.committed.set(true);
    }
}

/// Races the work against the deadline and the signals.
///
/// Before the point of no return a signal drops the work: nothing is half done, for a transaction rolls back
/// and a recorded preparation is what the next run goes on from. After it the work may finish within a short
/// grace, since it is busy finding out what became of the one request; a second signal ends even that.
pub(super) async fn race<T>(
    mut work: Pin<Box<impl Future<Output = Result<T, Error>>>>,
    progress: &Progress,
    deadline: Deadline,
    signals: &mut Signals,
) -> Result<T, Error> {
    tokio::select! {
        biased;
        result = &mut work => return result,
        () = deadline.passed() => return Err(cut_off(progress, Error::OutOfTime)),
        () = signals.next() => {}
    }
    tracing::info!(stage = progress.stage(), committed = progress.committed.get(), "told to stop");
    if !progress.committed.get() {
        return Err(Error::Stopped);
    }
    let grace = deadline.slice(GRACE);
    tokio::select! {
        biased;
        result = &mut work => result,
        () = grace.passed() => Err(Error::Unsettled),
        () = signals.next() => Err(Error::Unsettled),
    }
}

fn cut_off(progress: &Progress, otherwise: Error) -> Error {
    if progress.committed.get() { Error::Unsettled } else { otherwise }
}

/// Well inside a Pod's default `terminationGracePeriodSeconds` of 30.
const GRACE: Duration = Duration::from_secs(20);
