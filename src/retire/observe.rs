//! Read ledger and Secret into one scene.

use super::act::Stores;
use super::decide::Scene;
use super::decide::View;
use super::error::Error;
use crate::ledger::LiveArtifacts;

/// What a plan shows beside the scene.
#[derive(Debug)]
pub(super) struct Observation {
    /// What there is to decide on.
    pub(super) scene: Scene,
    /// The live ciphertexts under the key, by project, where they were counted.
    pub(super) live: Vec<LiveArtifacts>,
}

/// Whether live ciphertexts are counted. The column has no index, so a run counts them only where its own
/// transactions have not done so or will not do so before the swap.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Count {
    /// Always: a plan writes nothing and so counts nowhere else.
    Always,
    /// When a preparation of an earlier run is found.
    WhenResuming,
}

/// Reads the ledger first, which must be ready, then the Secret, as the reference does.
pub(super) async fn observe(stores: &mut Stores<'_>, count: Count) -> Result<Observation, Error> {
    stores.progress.enter("survey");
    let key = &stores.request.key_id;
    let record = stores.ledger.survey(key, stores.deadline).await.map_err(Error::Ledger)?;
    let resuming = record.as_ref().is_some_and(|record| record.completion.is_none());
    let (live, total) = if count == Count::Always || resuming {
        let live = stores.ledger.live_artifacts(key, stores.deadline).await.map_err(Error::Ledger)?;
        let total = live.iter().map(|project| project.count).sum();
        (live, Some(total))
    } else {
        (Vec::new(), None)
    };
    stores.progress.enter("inspect");
    let observed = stores.cluster.read(stores.secret, stores.deadline).await.map_err(Error::Cluster)?;
    Ok(Observation { scene: Scene { record, view: View::Read(observed.into_manifest()), live: total }, live })
}
