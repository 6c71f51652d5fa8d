//! What a keyring holds, without its keys.

use std::fmt::Write;

use super::Source;
use super::error::Error;
use crate::cluster;
use crate::cluster::Cluster;
use crate::file;
use crate::file::Links;
use crate::hidden::Hidden;
use crate::keyring;
use crate::keyring::Manifest;
use crate::keyring::Summary;
use crate::report::Form;
use crate::report::LastWords;
use crate::report::Report;
use crate::time::Deadline;

/// Reads the keyring where it is and describes it.
pub(super) async fn inspect(source: &Source, form: Form, deadline: Deadline) -> Result<Report, Error> {
    let manifest = match source {
        Source::File(path) => {
            let content = file::read(path, keyring::MAX_BYTES, Links::Follow).map_err(Error::File)?;
            Manifest::parse(content.bytes.expose()).map_err(Error::Keyring)?
        }
        Source::Live { authority, namespace, secret, data_key } => {
            let cluster = Cluster::connect(authority).map_err(Error::Cluster)?;
            let found = cluster.find(namespace, secret, data_key, deadline).await;
            found.map_err(Error::Cluster)?.into_manifest()
        }
        Source::Stdin { data_key } => {
            cluster::secret::keyring_in(stdin()?.expose(), data_key).map_err(Error::Cluster)?
        }
    };
    let summary = manifest.summary();
    let stdout = match form {
        Form::Json => serde_json::to_string(&summary).unwrap_or_default() + "\n",
        Form::Text => text(&summary),
    };
    Ok(Report::done(stdout, LastWords::done("inspected", Some(summary.catalog_digest.to_string()))))
}

fn stdin() -> Result<Hidden, Error> {
    let text = file::stdin(STDIN_LIMIT).filter(|text| text.len() <= STDIN_LIMIT);
    text.ok_or(Error::Stdin { limit: STDIN_LIMIT })
}

fn text(summary: &Summary) -> String {
    let mut text = String::new();
    let mut row = |name: &str, value: &str| writeln!(text, "{name:<16}{value}").unwrap_or_default();
    row("generation", &summary.generation.to_string());
    row("catalog digest", &summary.catalog_digest.to_string());
    for id in &summary.key_ids {
        row("key", &format!("{id}  ({})", if *id == summary.active_key_id { "active" } else { "inactive" }));
    }
    for id in &summary.retired_key_ids {
        row("key", &format!("{id}  (retired)"));
    }
    text
}

/// A Secret of 1 MiB of data in base64, with room for its metadata.
const STDIN_LIMIT: usize = 2 << 20;
