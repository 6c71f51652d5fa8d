//! The one budget of a run.

use std::future::Future;
use std::time::Duration;

use tokio::time::Instant;

/// The moment at which a run must have ended. Passed on by value, so that inner waits never add up to more.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

/// The slice was used up before the work ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("no answer in time")]
pub struct Elapsed;

impl Deadline {
    /// From now on.
    pub fn after(budget: Duration) -> Self {
        Self(Instant::now() + budget)
    }

    /// What is left, zero when it has passed.
    pub fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// A part of what is left: at most `span` from now, and never later than this one.
    #[must_use]
    pub fn slice(self, span: Duration) -> Self {
        Self(self.0.min(Instant::now() + span))
    }

    /// Runs the work until it ends or the deadline passes; the work is then dropped.
    pub async fn bound<F: Future>(self, work: F) -> Result<F::Output, Elapsed> {
        tokio::time::timeout_at(self.0, work).await.map_err(|_elapsed| Elapsed)
    }

    /// Sleeps until it passes.
    pub async fn passed(self) {
        tokio::time::sleep_until(self.0).await;
    }
}
