//! Carry out one step. Nothing is decided here.

use std::time::Duration;

use super::decide::Scene;
use super::decide::Step;
use super::decide::View;
use super::error::Error;
use super::outcome::Outcome;
use super::outcome::Status;
use super::progress::Progress;
use crate::barrier::Recheck;
use crate::cluster::Cluster;
use crate::cluster::SecretRef;
use crate::cluster::Swap;
use crate::keyring::Absent;
use crate::keyring::Completion;
use crate::keyring::Preparation;
use crate::keyring::Request;
use crate::ledger::Ledger;
use crate::ledger::Record;
use crate::ledger::Written;
use crate::time::Clock;
use crate::time::Deadline;

/// The two stores and the bounds of a run.
pub(super) struct Stores<'a> {
    /// Where the Secret is.
    pub(super) cluster: &'a Cluster,
    /// Which Secret.
    pub(super) secret: &'a SecretRef,
    /// Where the receipts are.
    pub(super) ledger: &'a mut Ledger,
    /// What is being done.
    pub(super) request: &'a Request,
    /// The network policy's barrier, where it is asked again before the PUT.
    pub(super) barrier: Option<&'a Recheck>,
    /// Wall time for receipts.
    pub(super) clock: Clock,
    /// The end of the run.
    pub(super) deadline: Deadline,
    /// The run's account of itself.
    pub(super) progress: &'a Progress,
}

/// What a step led to.
pub(super) enum Next {
    /// Another scene to decide on.
    Scene(Box<Scene>),
    /// The end.
    Done(Box<Outcome>),
}

impl Next {
    fn done(status: Status, completion: Completion) -> Self {
        Self::Done(Box::new(Outcome { status, completion }))
    }
}

/// Carries out one step.
pub(super) async fn act(stores: &mut Stores<'_>, step: Step) -> Result<Next, Error> {
    match step {
        Step::Acknowledge(completion) => Ok(Next::done(Status::Existing, completion)),
        Step::Complete(preparation, absent) => complete(stores, &preparation, &absent).await,
        Step::Prepare(present) => {
            stores.progress.enter("prepare");
            enough_time(stores.deadline)?;
            let now = stores.clock.now_ms();
            let (catalog, proof) = (present.catalog_digest, present.material_proof);
            let written = stores.ledger.prepare(stores.request, catalog, proof, now, stores.deadline).await;
            let (Written::Created(preparation) | Written::Existing(preparation)) =
                written.map_err(Error::Ledger)?;
            stores.progress.enter("inspect-again");
            let observed =
                stores.cluster.read(stores.secret, stores.deadline).await.map_err(Error::Cluster)?;
            Ok(Next::Scene(scene(preparation, View::Read(observed.into_manifest()))))
        }
        Step::Swap(preparation) => {
            let absent = Box::pin(swap(stores, &preparation)).await?;
            Ok(Next::Scene(scene(preparation, View::Swapped(absent))))
        }
    }
}

async fn swap(stores: &mut Stores<'_>, preparation: &Preparation) -> Result<Absent, Error> {
    let Stores { cluster, secret, ledger, barrier, deadline, progress, .. } = stores;
    progress.enter("swap");
    let prepared = cluster.prepare_swap(secret, preparation, *deadline).await.map_err(Error::Cluster)?;
    let pending = match prepared {
        Swap::Settled(swapped) => return Ok(swapped.into_absent()),
        Swap::Pending(pending) => pending,
    };
    if let Some(barrier) = barrier {
        progress.enter("barrier-again");
        barrier.hold(*deadline).await.map_err(Error::Barrier)?;
        // What was connected before the policy was seen again may be what the policy forbids: an enforcer lets it
        // live on (ADR 12).
        cluster.renew();
        ledger.renew(*deadline).await;
        progress.enter("write");
    }
    enough_time(*deadline)?;
    progress.commit();
    let swapped = cluster.commit_swap(pending, *deadline).await.map_err(Error::Cluster)?;
    Ok(swapped.into_absent())
}

async fn complete(
    stores: &mut Stores<'_>,
    preparation: &Preparation,
    absent: &Absent,
) -> Result<Next, Error> {
    stores.progress.enter("complete");
    let now = stores.clock.now_ms();
    let written = stores
        .ledger
        .complete(preparation, absent, now, stores.deadline)
        .await
        .map_err(Error::Unconfirmed)?;
    Ok(match written {
        Written::Created(completion) => Next::done(Status::Completed, completion),
        Written::Existing(completion) => Next::done(Status::Existing, completion),
    })
}

/// What cannot be settled in the time that is left is not begun, neither the fence nor the swap.
fn enough_time(deadline: Deadline) -> Result<(), Error> {
    if deadline.left() < SETTLING { Err(Error::OutOfTime) } else { Ok(()) }
}

fn scene(preparation: Preparation, view: View) -> Box<Scene> {
    let record = Some(Record { preparation, completion: None });
    Box::new(Scene { record, view, live: None })
}

/// One PUT, one GET and one transaction, with a factor for a busy API server.
const SETTLING: Duration = Duration::from_secs(5);
