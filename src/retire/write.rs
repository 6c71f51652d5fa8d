//! A valid command file for a live Secret, with fresh identities.

use std::path::PathBuf;

use super::Command;
use super::decide::Refusal;
use super::error::Error;
use super::progress::Progress;
use crate::cluster;
use crate::cluster::Authority;
use crate::cluster::Cluster;
use crate::cluster::SecretRef;
use crate::file;
use crate::keyring::Identity;
use crate::keyring::KeyId;
use crate::keyring::Request;
use crate::keyring::State;
use crate::report::LastWords;
use crate::report::Report;
use crate::time::Deadline;

/// What the operator names; everything else is read or made.
#[derive(Debug)]
pub struct Draft {
    /// The namespace of the Secret.
    pub namespace: String,
    /// The name of the Secret.
    pub secret: String,
    /// The data key of the keyring.
    pub data_key: String,
    /// The key that is to go.
    pub key: String,
    /// What the command comes in.
    pub wrapping: Wrapping,
    /// A file to make, or stdout.
    pub out: Option<PathBuf>,
}

/// What a command comes in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Wrapping {
    /// The ConfigMap that the bundle's Job mounts, with a nonce beside it.
    ConfigMap,
    /// Nothing: it is the file itself.
    Nothing,
}

impl Draft {
    /// Reads the Secret's UID, checks that the key could be retired, and writes the command.
    pub(super) async fn write(
        &self,
        authority: &Authority,
        progress: &Progress,
        deadline: Deadline,
    ) -> Result<Report, Error> {
        progress.enter("draft");
        let key_id = KeyId::parse(&self.key).map_err(Error::Identities)?;
        let request = Request {
            key_id,
            retirement_id: fresh("retirement")?,
            request_id: fresh("request")?,
            mutation_id: fresh("mutation")?,
        };
        progress.enter("authority");
        let cluster = Cluster::connect(authority).map_err(Error::Cluster)?;
        progress.enter("inspect");
        let found = cluster.find(&self.namespace, &self.secret, &self.data_key, deadline).await;
        let observed = found.map_err(Error::Cluster)?;
        match observed.manifest().state(&request.key_id) {
            Ok(State::Inactive(_)) => {}
            Ok(State::Active(_)) => return Err(Error::Refused(Refusal::Active)),
            Ok(State::Absent(_)) => return Err(Error::Refused(Refusal::AlreadyRetired)),
            Err(_unknown) => return Err(Error::Refused(Refusal::Unknown)),
        }
        progress.enter("write");
        let secret = SecretRef {
            namespace: self.namespace.clone(),
            name: self.secret.clone(),
            uid: observed.uid().to_owned(),
            data_key: self.data_key.clone(),
        };
        let command = Command::text(&secret, &request);
        let text = match self.wrapping {
            Wrapping::ConfigMap => {
                let nonce = fresh("operation")?;
                let entries = [("command.json", command.as_str()), ("nonce", nonce.as_str())];
                cluster::config_map(&self.namespace, cluster::COMMAND, &entries)
            }
            Wrapping::Nothing => command,
        };
        let words = LastWords::done("written", None);
        match &self.out {
            None => Ok(Report::done(text, words)),
            Some(path) => {
                file::create(path, text.as_bytes(), file::Access::World).map_err(Error::CommandNotMade)?;
                Ok(Report::done("", words))
            }
        }
    }
}

/// An identity that nobody has used: its kind and 128 random bits.
fn fresh(kind: &str) -> Result<Identity, Error> {
    Identity::generate(kind).map_err(Error::Identities)
}
