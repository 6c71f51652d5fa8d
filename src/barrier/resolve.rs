//! From names to the addresses that are dialled: every address of a name counts.

use std::net::IpAddr;
use std::net::SocketAddr;

use super::error::Error;
use super::error::MAX_ADDRESSES;
use super::fence::Fence;
use super::settings::Endpoint;
use super::settings::Settings;
use crate::names;
use crate::time::Clock;
use crate::time::Deadline;

/// Checks the proof, resolves both names and sets up the targets.
pub(super) async fn fence(settings: &Settings, clock: Clock, deadline: Deadline) -> Result<Fence, Error> {
    let Settings { api, canary, control_port, proof, ground, decoys } = settings;
    if let Some((proof, binding)) = proof {
        proof.check(binding, clock.now_ms())?;
    }
    let addresses = self::canary(canary, deadline).await?;
    if let Some((proof, _binding)) = proof {
        proof.covers(&addresses, canary.port)?;
    }
    let servers = resolve(api, deadline).await.map_err(Error::ServerUnresolved)?;
    let servers: Vec<_> = servers.into_iter().map(|ip| SocketAddr::new(ip, api.port)).collect();
    Ok(Fence::new(&servers, &addresses, canary.port, *control_port, decoys, *ground))
}

/// Every address of the canary.
pub(super) async fn canary(canary: &Endpoint, deadline: Deadline) -> Result<Vec<IpAddr>, Error> {
    let addresses = resolve(canary, deadline).await.map_err(Error::CanaryUnresolved)?;
    if addresses.len() > MAX_ADDRESSES { Err(Error::CanaryCrowd) } else { Ok(addresses) }
}

async fn resolve(endpoint: &Endpoint, deadline: Deadline) -> Result<Vec<IpAddr>, names::Error> {
    names::resolve(&endpoint.host, deadline).await
}
