//! One row into an append-only table, exactly once, under the fence of its key.
//!
//! An answer that did not come is not guessed, and not looked up either: a SELECT can find nothing now and the row
//! later, while the first COMMIT waits for its replica. The question that cannot lie is to write the same row again
//! on a new session. The fence, and behind it the unique key, are granted when the first transaction is decided and
//! no earlier; then the row is there, or it is written now.

use std::time::Duration;

use super::Error;
use super::Ledger;
use super::Written;
use super::transaction::Attempt;
use super::transaction::Wish;
use super::transaction::transact;
use crate::time::Deadline;

impl Ledger {
    /// Writes the row, or finds it, or says why not; settles a lost answer within the deadline.
    pub(super) async fn write<T: Clone + PartialEq>(
        &mut self,
        wish: &Wish<'_, T>,
        deadline: Deadline,
    ) -> Result<Written<T>, Error> {
        match self.attempt(wish, deadline).await {
            Attempt::Done(written) => Ok(written),
            Attempt::Failed(error) => Err(error),
            Attempt::Passing(fault) | Attempt::Taken(fault) => Err(Error::from_fault(fault)),
            Attempt::InDoubt(fault) => {
                tracing::info!(fault = ?fault, "the outcome of a commit is not known; asking again");
                self.settle(wish, deadline).await
            }
        }
    }

    /// Up to three transactions; only what other transactions caused is tried again, and at once. A unique key that
    /// is taken is read once more.
    async fn attempt<T: Clone>(&mut self, wish: &Wish<'_, T>, deadline: Deadline) -> Attempt<T> {
        let mut number = 1;
        let mut is_taken = false;
        loop {
            let connection = match self.session(deadline).await {
                Ok(connection) => connection,
                Err(error) => return Attempt::Failed(error),
            };
            match transact(connection, wish, deadline).await {
                Attempt::Passing(fault) if number < ATTEMPTS => {
                    tracing::debug!(number, fault = ?fault, "another transaction was in the way");
                    number += 1;
                }
                ended @ (Attempt::Failed(Error::Lost(_) | Error::Silent | Error::Spoken)
                | Attempt::InDoubt(_)) => {
                    // What state such a session is in nobody knows: it is not used again.
                    self.connection = None;
                    return ended;
                }
                // It may be this very row, written by a twin while we waited for the fence with an older snapshot.
                Attempt::Taken(_) if !is_taken => is_taken = true,
                ended @ (Attempt::Done(_) | Attempt::Failed(_) | Attempt::Passing(_) | Attempt::Taken(_)) => {
                    return ended;
                }
            }
        }
    }

    async fn settle<T: Clone + PartialEq>(
        &mut self,
        wish: &Wish<'_, T>,
        deadline: Deadline,
    ) -> Result<Written<T>, Error> {
        loop {
            let error = match self.attempt(wish, deadline).await {
                // The row is ours and not somebody's of the same meaning: the lost answer was a yes.
                Attempt::Done(Written::Existing(row)) if row == wish.row => return Ok(Written::Created(row)),
                Attempt::Done(written) => return Ok(written),
                Attempt::Failed(error @ (Error::Conflict(_) | Error::NotReplicated | Error::Row(_))) => {
                    return Err(error);
                }
                Attempt::Failed(error) => error,
                Attempt::Taken(fault) => return Err(Error::from_fault(fault)),
                Attempt::Passing(fault) | Attempt::InDoubt(fault) => Error::from_fault(fault),
            };
            tracing::debug!(code = error.code().code, "not settled yet");
            if deadline.left() <= PAUSE {
                return Err(Error::Unsettled(Some(Box::new(error))));
            }
            deadline.slice(PAUSE).passed().await;
        }
    }
}

const ATTEMPTS: u32 = 3;
const PAUSE: Duration = Duration::from_millis(100);
