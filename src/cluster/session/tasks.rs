//! The tasks of one connection. They end with it: also those that the HTTP library starts for itself.

use std::future::Future;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::Weak;

use hyper::rt::Executor;
use tokio::task::JoinSet;

/// A share in a connection's tasks. With the last share they are aborted, and with them goes the socket.
#[derive(Clone, Default)]
pub(super) struct Tasks(Arc<Mutex<JoinSet<()>>>);

/// Starts tasks for as long as somebody has a share in them.
#[derive(Clone)]
pub(super) struct Starter(Weak<Mutex<JoinSet<()>>>);

impl Tasks {
    /// Holds no share itself: the library keeps it inside of the very tasks.
    pub(super) fn starter(&self) -> Starter {
        Starter(Arc::downgrade(&self.0))
    }
}

impl<F> Executor<F> for Starter
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, task: F) {
        let Some(tasks) = self.0.upgrade() else { return };
        let mut tasks = tasks.lock().unwrap_or_else(PoisonError::into_inner);
        // What has ended since then is let go of.
        while tasks.try_join_next().is_some() {}
        tasks.spawn(task);
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::sync::oneshot;
    use tokio::sync::oneshot::Receiver;

    use super::*;

    /// A task that never ends, and what hears of its being dropped.
    fn endless(starter: &Starter) -> Receiver<()> {
        let (held, dropped) = oneshot::channel();
        starter.execute(async move {
            let _held = held;
            pending::<()>().await;
        });
        dropped
    }

    #[tokio::test]
    async fn a_task_ends_with_the_last_share() {
        let tasks = Tasks::default();
        let starter = tasks.starter();
        let other = tasks.clone();
        let mut dropped = endless(&starter);
        drop(tasks);
        tokio::task::yield_now().await;
        assert!(dropped.try_recv() == Err(oneshot::error::TryRecvError::Empty), "somebody still has a share");
        drop(other);
        assert!(dropped.await.is_err());
    }

    #[tokio::test]
    async fn nothing_starts_without_a_share() {
        let tasks = Tasks::default();
        let starter = tasks.starter();
        drop(tasks);
        assert!(endless(&starter).await.is_err());
    }

    #[tokio::test]
    async fn what_has_ended_is_not_kept() {
        let tasks = Tasks::default();
        for _ in 0..3 {
            tasks.starter().execute(async {});
            tokio::task::yield_now().await;
        }
        assert_eq!(tasks.0.lock().unwrap().len(), 1);
    }
}
