//! A new keyring: generation 1, one active key.

use std::path::Path;

use super::error::Error;
use crate::cluster;
use crate::file;
use crate::file::Access;
use crate::keyring::KeyId;
use crate::keyring::Manifest;
use crate::report::LastWords;
use crate::report::Report;

/// The Secret to wrap a new keyring in.
#[derive(Debug)]
pub struct Wrap {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub secret: String,
    /// The data key of the keyring.
    pub data_key: String,
}

/// Makes a keyring and writes it to a new file of mode 0600, or to stdout.
pub(super) fn make(key: Option<&str>, wrap: Option<&Wrap>, out: Option<&Path>) -> Result<Report, Error> {
    let active = match key {
        Some(id) => KeyId::parse(id).map_err(Error::KeyId)?,
        None => KeyId::generate().map_err(Error::KeyId)?,
    };
    let manifest = Manifest::generate(active).map_err(Error::Keyring)?;
    let bytes = match wrap {
        None => manifest.canonical(),
        Some(Wrap { namespace, secret, data_key }) => {
            cluster::secret::manifest(namespace, secret, data_key, &manifest).map_err(Error::Cluster)?
        }
    };
    let words = LastWords::done("made", Some(manifest.catalog_digest().to_string()));
    match out {
        Some(path) => {
            file::create(path, bytes.expose(), Access::Owner).map_err(Error::NotMade)?;
            Ok(Report::done("", words))
        }
        None => Ok(Report::done(bytes, words)),
    }
}
