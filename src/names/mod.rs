//! Names to addresses: a stub resolver of our own (RFC 1035 and 1123).
//!
//! The C library's asks again only after 2.5 s. In a Pod that has just started the first query is lost for as
//! long as the network policy's enforcer has not admitted it, so ours asks again after 20 ms. It reads two files
//! and no variable, starts no thread and no task, and every wait is a slice of the caller's deadline.

mod ask;
mod error;
mod hosts;
mod message;
mod name;
mod peer;
mod settings;

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::net::SocketAddr;
use std::path::Path;

pub use self::error::CODES;
pub use self::error::Error;
pub use self::error::Refusal;
pub use self::hosts::Hosts;
use self::name::Name;
use self::settings::Settings;
use crate::time::Deadline;

/// Where names are looked up, and in which order.
#[derive(Clone, Debug)]
pub struct Resolver {
    hosts: Hosts,
    settings: Settings,
}

/// Resolves one name as the system is set up. An address is itself, and no file is read for it.
pub async fn resolve(host: &str, deadline: Deadline) -> Result<Vec<IpAddr>, Error> {
    match name::address(host) {
        Some(address) => Ok(vec![address]),
        None => Resolver::of_the_system()?.resolve(host, deadline).await,
    }
}

impl Resolver {
    /// Asks these servers. A name with fewer dots than `dots` is tried under each search domain first.
    pub fn new(nameservers: Vec<SocketAddr>, search: Vec<String>, dots: usize, hosts: Hosts) -> Self {
        Self { hosts, settings: Settings { nameservers, search, dots } }
    }

    /// Reads resolv.conf(5), at most 64 KiB, and hosts(5), at most 1 MiB. One that is not there or empty says
    /// nothing: then 127.0.0.1 is asked. Both paths are absolute and may be links.
    pub fn from_files(resolv_conf: &Path, hosts: &Path) -> Result<Self, Error> {
        Ok(Self { settings: Settings::read(resolv_conf)?, hosts: Hosts::read(hosts)? })
    }

    /// Reads `/etc/resolv.conf` and `/etc/hosts`, and nothing else.
    pub fn of_the_system() -> Result<Self, Error> {
        Self::from_files(Path::new("/etc/resolv.conf"), Path::new("/etc/hosts"))
    }

    /// Every address of the host, 1 to 64: IPv4 before IPv6, each ascending, none twice.
    ///
    /// An address, with or without brackets if it is IPv6, is itself. Then the hosts file decides, then DNS. The
    /// first candidate that has an address ends the search. Both families must have been answered: an address
    /// that is missing because an answer was lost would be a hole in a network policy that nobody looked at.
    pub async fn resolve(&self, host: &str, deadline: Deadline) -> Result<Vec<IpAddr>, Error> {
        if let Some(address) = name::address(host) {
            return Ok(vec![address]);
        }
        let name = Name::new(host)?;
        let listed = self.hosts.of(&name);
        if !listed.is_empty() {
            return bounded(listed);
        }
        for candidate in name.candidates(&self.settings.search, self.settings.dots) {
            let found = ask::addresses(&self.settings.nameservers, &candidate, deadline).await;
            tracing::debug!(candidate, found = ?found.as_ref().map(BTreeSet::len), "a name was looked up");
            let found = found?;
            if !found.is_empty() {
                return bounded(found);
            }
        }
        Err(Error::Absent)
    }
}

fn bounded(addresses: BTreeSet<IpAddr>) -> Result<Vec<IpAddr>, Error> {
    if addresses.len() > MAX_ADDRESSES { Err(Error::TooMany) } else { Ok(addresses.into_iter().collect()) }
}

/// Addresses of one name.
const MAX_ADDRESSES: usize = 64;
