//! Rows counted.

/// How many rows there were, and how many were as they must be.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) right: usize,
    pub(crate) all: usize,
}

impl Tally {
    /// Counts a row; gives the word for its last column.
    pub(crate) fn count(&mut self, right: bool) -> &'static str {
        self.all += 1;
        if right {
            self.right += 1;
        }
        if right { "ok" } else { "WRONG" }
    }

    pub(crate) fn is_clean(self) -> bool {
        self.right == self.all
    }
}
