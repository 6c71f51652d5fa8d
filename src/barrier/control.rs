//! The control: reaches the canary's deny port from where no policy stands in the way, and states that it did.

use std::net::SocketAddr;
use std::time::Duration;

use super::dial;
use super::dial::Hear;
use super::error::Error;
use super::proof::Proof;
use super::resolve;
use super::settings::Endpoint;
use super::settings::Lookup;
use super::settings::binding;
use super::sight::Sight;
use crate::time::Clock;
use crate::time::Deadline;

/// Dials every address of the canary until each has answered once, and states it for so long.
pub(super) async fn state(lookup: Lookup<'_>, valid: Duration, deadline: Deadline) -> Result<Proof, Error> {
    let canary = Endpoint::canary(lookup)?;
    let binding = binding(lookup)?;
    let clock = Clock::start();
    let addresses = resolve::canary(&canary, deadline).await?;
    let targets: Vec<_> = addresses.into_iter().map(|ip| SocketAddr::new(ip, canary.port)).collect();
    for target in &targets {
        reach(*target, deadline).await?;
    }
    Ok(Proof::state(binding, targets, clock.now_ms(), valid))
}

async fn reach(target: SocketAddr, deadline: Deadline) -> Result<(), Error> {
    loop {
        let sight = dial::dial(target, Hear::Nothing, deadline.left().min(TRY)).await.seen.dialled.sight;
        if sight == Sight::Connected {
            return Ok(());
        }
        tracing::debug!(seen = sight.word(), "the canary did not answer the control");
        if deadline.left().is_zero() {
            return Err(Error::ControlFailed(sight.word()));
        }
        deadline.slice(PAUSE).passed().await;
    }
}

/// For one dial.
const TRY: Duration = Duration::from_millis(500);

/// Between two.
const PAUSE: Duration = Duration::from_millis(50);
