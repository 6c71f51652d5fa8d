//! One name, asked of every server at once for both families.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::net::SocketAddr;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use super::Error;
use super::message::Family;
use super::message::Query;
use super::peer::Heard;
use super::peer::Peer;
use crate::time::Deadline;

/// The addresses of both families; none if the name is not known or has none.
pub(super) async fn addresses(
    servers: &[SocketAddr],
    name: &str,
    deadline: Deadline,
) -> Result<BTreeSet<IpAddr>, Error> {
    let family = |family| of_family(servers, name, family, deadline);
    let (mut four, six) = tokio::try_join!(family(Family::Four), family(Family::Six))?;
    four.extend(six);
    Ok(four)
}

/// The first server that knows decides. One that refuses is asked on, until each has refused often enough.
async fn of_family(
    servers: &[SocketAddr],
    name: &str,
    family: Family,
    deadline: Deadline,
) -> Result<BTreeSet<IpAddr>, Error> {
    let mut hearing = FuturesUnordered::new();
    for server in servers {
        hearing.push(Peer::new(*server, Query::new(name, family)?, deadline).hear());
    }
    let (mut error, mut given_up) = (Error::Silent, 0);
    while let Ok(Some((peer, heard))) = deadline.bound(hearing.next()).await {
        match heard {
            Heard::Addresses(addresses) => return Ok(addresses),
            Heard::TooMany => return Err(Error::TooMany),
            Heard::Refused(refusal) => {
                error = Error::Refused(refusal);
                given_up += usize::from(peer.refusals() == ENOUGH);
                if given_up == servers.len() {
                    break;
                }
                hearing.push(peer.hear());
            }
        }
    }
    Err(error)
}

/// Refusals after which a server is not expected to come round.
const ENOUGH: usize = 5;
