//! Whether a report of a live gate is complete and says what it must, judged without a cluster.

mod error;
mod instant;
pub mod key_retirement;
pub mod live;
mod plain;

use std::path::PathBuf;

pub use error::CODES;
pub use error::Error;
pub use plain::Plain;
use serde::Serialize;
use serde_json::Value;

use crate::file;
use crate::file::Links;
use crate::json;
use crate::report::Failure;
use crate::report::LastWords;
use crate::report::Report;
use crate::report::Speaker;

/// What the operator asked for: an audit.
#[derive(Debug)]
pub struct Order {
    /// Absolute path of the report.
    pub report: PathBuf,
}

/// Carries an order out and reports how it ended. Whatever was found is on stdout.
pub fn carry_out(order: &Order) -> Report {
    let audited = audit(order);
    let failed = |error: &Error| Report::failed(SPEAKER, &Failure::new(error.code(), "audit", error));
    match audited {
        Ok((line, 0)) => Report::done(line, LastWords::done("compatible", None)),
        Ok((line, findings)) => Report { stdout: line.into(), ..failed(&Error::Incompatible(findings)) },
        Err(error) => failed(&error),
    }
}

/// One line in the reference's members, and the number of findings.
fn audit(order: &Order) -> Result<(String, usize), Error> {
    let content = file::read(&order.report, LIMIT, Links::Follow).map_err(Error::File)?;
    let report = json::parse(content.bytes.expose()).map_err(Error::Syntax)?;
    let (line, findings) = if report.get("fixture").and_then(Value::as_str) == Some(live::FIXTURE) {
        let findings = match json::from_slice::<live::Report>(content.bytes.expose()) {
            Ok(report) => report.audit(),
            Err(_shape) => vec![live::Finding::Shape],
        };
        let audit = Audit {
            schema_version: 1,
            fixture: live::FIXTURE,
            compatible: findings.is_empty(),
            findings: &findings,
        };
        (serde_json::to_string(&audit), findings.len())
    } else {
        let audit = key_retirement::audit(&report);
        (serde_json::to_string(&audit), audit.findings.len())
    };
    Ok((line.unwrap_or_default() + "\n", findings))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Audit<'a> {
    schema_version: u32,
    fixture: &'static str,
    findings: &'a [live::Finding],
    compatible: bool,
}

const SPEAKER: Speaker = Speaker::own("evidence_failed");

/// Bytes of a report: both schemas have about two thousand.
const LIMIT: usize = 256 * 1024;
