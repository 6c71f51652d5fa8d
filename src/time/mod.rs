//! Wall time from one origin, and the budget that every wait is a slice of.

mod clock;
mod deadline;
mod utc;

use std::time::Duration;

pub use clock::Clock;
pub use deadline::Deadline;
pub use deadline::Elapsed;
pub use utc::utc;

/// Whole milliseconds of a span; the largest number stands for what is longer.
pub fn milliseconds(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
