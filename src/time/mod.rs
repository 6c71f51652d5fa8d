//! Wall time from one origin, and the budget that every wait is a slice of.

mod clock;
mod deadline;

pub use clock::Clock;
pub use deadline::Deadline;
pub use deadline::Elapsed;
