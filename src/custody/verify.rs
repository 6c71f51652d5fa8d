//! Whether a projected volume holds a keyring that its reader would accept.

use std::path::Path;

use super::error::Error;
use crate::keyring::projected::Projected;
use crate::report::COMPONENT;
use crate::report::LastWords;
use crate::report::Report;

/// Reads the volume as the runtime does and says which keyring stands there.
pub(super) fn verify(root: &Path, file_name: &str) -> Result<Report, Error> {
    let projected = Projected::open(root, file_name).map_err(Error::Projected)?;
    let summary = projected.verify().map_err(Error::Projected)?;
    let line = serde_json::json!({
        "schemaVersion": 1,
        "component": COMPONENT,
        "event": "keyring_verified",
        "generation": summary.generation,
        "activeKeyId": summary.active_key_id,
        "catalogDigest": summary.catalog_digest,
    });
    Ok(Report::done(
        format!("{line}\n"),
        LastWords::done("verified", Some(summary.catalog_digest.to_string())),
    ))
}
