//! What somebody piped in.

use std::io::Read;

use zeroize::Zeroizing;

use crate::hidden::Hidden;

/// Reads stdin to its end, and at most one byte more than the limit, so that the caller can tell that there was too much.
/// `None` where it is empty or unreadable.
pub fn stdin(limit: usize) -> Option<Hidden> {
    // Allocated once, so that no copy of a Secret is left behind by growth.
    let mut buffer = Zeroizing::new(Vec::with_capacity(limit + 1));
    let most = u64::try_from(limit + 1).unwrap_or(u64::MAX);
    match std::io::stdin().lock().take(most).read_to_end(&mut buffer) {
        Ok(1..) => Some(Hidden::new(std::mem::take(&mut *buffer))),
        Ok(_) | Err(_) => None,
    }
}
