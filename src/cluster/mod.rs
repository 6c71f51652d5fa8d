//! The Kubernetes API: who we are there, what we may do, and the one Secret that we read and write (ADR-0262).
//!
//! A retirement sends three requests: ten access reviews, a GET and a PUT of one Secret. Nothing is watched, cached or
//! sent twice. An operator's `bundle endpoint` sends two others, which read where the API server answers.

pub mod authority;
pub mod bearer;
pub mod code;
mod config_map;
pub mod endpoints;
pub mod review;
pub mod secret;
pub mod session;
pub mod swap;

mod address;
mod error;

use std::collections::BTreeSet;
use std::net::SocketAddr;

pub use self::address::Error as AddressError;
pub use self::address::SecretRef;
use self::address::Wanted;
pub use self::authority::Authority;
pub use self::authority::ServiceEnv;
pub use self::config_map::COMMAND;
pub use self::config_map::CONTROL_PROOF;
pub use self::config_map::config_map;
pub use self::error::Error;
pub use self::secret::Observed;
use self::session::Session;
pub use self::swap::How;
pub use self::swap::Pending;
pub use self::swap::Swap;
pub use self::swap::Swapped;
use crate::code::Code;
use crate::keyring::Preparation;
use crate::time::Deadline;

/// The codes of this module.
pub fn codes() -> impl Iterator<Item = &'static Code> {
    [authority::CODES, code::CODES, endpoints::CODES, review::CODES, session::CODES]
        .into_iter()
        .flatten()
        .copied()
}

/// One API server, as one user. Dropping it ends its tasks, and with them the connection.
pub struct Cluster {
    session: Session,
}

impl Cluster {
    /// Reads the authority's files and sends no packet yet. Must be called within a tokio runtime.
    pub fn connect(authority: &Authority) -> Result<Self, Error> {
        let session = Session::new(authority.target()?)?;
        Ok(Self { session })
    }

    /// Hangs up, so that the next request goes over a connection that is made for it.
    pub fn renew(&self) {
        self.session.hang_up();
    }

    /// Proves that our rights are exactly those that the work needs: ten reviews, judged in order.
    pub async fn review(&self, secret: &SecretRef, deadline: Deadline) -> Result<(), Error> {
        secret.check()?;
        Ok(review::run(&self.session, secret, deadline).await?)
    }

    /// Reads the Secret and checks all of it. One GET.
    pub async fn read(&self, secret: &SecretRef, deadline: Deadline) -> Result<Observed, Error> {
        secret.check()?;
        Ok(secret::read(&self.session, secret.wanted(), deadline).await?)
    }

    /// Reads a Secret whose UID is not known yet; everything else is checked. One GET.
    pub async fn find(
        &self,
        namespace: &str,
        name: &str,
        data_key: &str,
        deadline: Deadline,
    ) -> Result<Observed, Error> {
        let wanted = Wanted { namespace, name, uid: None, data_key };
        wanted.check()?;
        Ok(secret::read(&self.session, wanted, deadline).await?)
    }

    /// Reads where the API server answers: the Service's addresses and those behind it. Two GETs.
    pub async fn endpoints(&self, deadline: Deadline) -> Result<BTreeSet<SocketAddr>, Error> {
        Ok(endpoints::read(&self.session, deadline).await?)
    }

    /// Reads the Secret and works out the write. One GET; nothing is written.
    pub async fn prepare_swap(
        &self,
        secret: &SecretRef,
        preparation: &Preparation,
        deadline: Deadline,
    ) -> Result<Swap, Error> {
        secret.check()?;
        swap::prepare(&self.session, secret, preparation, deadline).await
    }

    /// Sends the write and settles its answer. One PUT, and at most one GET where the answer leaves doubt.
    ///
    /// Dropping the future before it ends leaves open whether the key is out: past this call only reading
    /// tells.
    pub async fn commit_swap(&self, pending: Pending, deadline: Deadline) -> Result<Swapped, Error> {
        Ok(swap::commit(&self.session, pending, deadline).await?)
    }
}
