//! Wall time from one origin, and the budget that every wait is a slice of.

mod clock;
mod deadline;
mod utc;

pub use clock::Clock;
pub use deadline::Deadline;
pub use deadline::Elapsed;
pub use utc::utc;
