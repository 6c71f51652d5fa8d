//! Wall time that cannot jump within a run.

use std::time::Duration;
use std::time::SystemTime;
use std::time::UNIX_EPOCH;

use tokio::time::Instant;

use super::milliseconds;

/// Remembers the wall clock once and adds what has passed since, so that a step of the system's clock
/// during a run is not seen and a test with paused time is deterministic.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: Duration,
    started: Instant,
}

impl Clock {
    /// Starts from the system's wall clock.
    #[expect(clippy::disallowed_methods, reason = "the one place where wall time enters")]
    pub fn start() -> Self {
        let origin = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { origin, started: Instant::now() }
    }

    /// Milliseconds since 1970-01-01 UTC.
    pub fn now_ms(&self) -> u64 {
        milliseconds(self.origin + self.started.elapsed())
    }
}
