//! The Kubernetes client against a stand-in that misbehaves, and against the real API server.

mod authority;
mod bad_answers;
mod connection;
mod one_put;
mod real;
mod real_reviews;

use ql3_ops::cluster::Cluster;
use ql3_ops::cluster::Error;
use ql3_ops::cluster::SecretRef;
use ql3_ops::cluster::Swap;
use ql3_ops::cluster::Swapped;
use ql3_ops::keyring::Preparation;
use ql3_ops::time::Deadline;

/// Both halves of a swap, with nothing between them.
pub(crate) async fn retire(
    cluster: &Cluster,
    secret: &SecretRef,
    preparation: &Preparation,
    deadline: Deadline,
) -> Result<Swapped, Error> {
    match cluster.prepare_swap(secret, preparation, deadline).await? {
        Swap::Pending(pending) => cluster.commit_swap(pending, deadline).await,
        Swap::Settled(swapped) => Ok(swapped),
    }
}
