//! Files from outside: read with bounds, made only where nothing is.

mod create;
mod read;
mod stdin;

use crate::code::Code;

pub use create::Access;
pub use create::CreateError;
pub use create::create;
pub use read::Content;
pub use read::Error;
pub use read::Links;
pub use read::MAX_PATH;
pub use read::read;
pub use stdin::stdin;

/// The codes of this module.
pub static CODES: &[&Code] = &[
    &create::TAKEN,
    &create::UNWRITABLE,
    &read::ABSENT,
    &read::CHANGED,
    &read::INVALID_PATH,
    &read::LINK,
    &read::NOT_REGULAR,
    &read::SIZE,
    &read::UNREADABLE,
];
