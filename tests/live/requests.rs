//! What the API server's audit log says that a Pod's token was used for.

use std::fs;

use ql3_ops::evidence::live::Count;
use serde_json::Value;

use crate::Result;
use crate::command::text;
use crate::command::variable;

/// The requests of one Pod's token, by kind, and the span from the first to the last, in milliseconds.
pub(crate) fn of_pod(pod: &Value) -> Result<(Count, f64)> {
    let uid = text(pod, "/metadata/uid");
    let mut count = Count { reviews: 0, gets: 0, puts: 0, others: 0 };
    let mut span: Option<(f64, f64)> = None;
    for line in fs::read_to_string(variable("QL3_LAB_AUDIT_LOG")?)?.lines() {
        if !line.contains(uid) {
            continue;
        }
        let event: Value = serde_json::from_str(line)?;
        let users =
            event.pointer("/user/extra/authentication.kubernetes.io~1pod-uid/0").and_then(Value::as_str);
        if users != Some(uid) || text(&event, "/stage") != "ResponseComplete" {
            continue;
        }
        let (verb, resource) = (text(&event, "/verb"), text(&event, "/objectRef/resource"));
        let keyring = text(&event, "/objectRef/name") == "ql3-prompt-output-keyring";
        match (verb, resource) {
            ("create", "selfsubjectaccessreviews") => count.reviews += 1,
            ("get", "secrets") if keyring => count.gets += 1,
            ("update", "secrets") if keyring => count.puts += 1,
            _ => count.others += 1,
        }
        let from = milliseconds(text(&event, "/requestReceivedTimestamp"))?;
        let to = milliseconds(text(&event, "/stageTimestamp"))?;
        span = Some(span.map_or((from, to), |(first, last)| (first.min(from), last.max(to))));
    }
    Ok((count, span.map_or(0.0, |(first, last)| last - first)))
}

/// Within its day: `2026-11-29T20:34:22.123456Z`.
fn milliseconds(instant: &str) -> Result<f64> {
    let time = instant.split_once('T').map_or("", |(_day, time)| time).trim_end_matches('Z');
    let mut sum = 0.0;
    for field in time.split(':') {
        sum = sum * 60.0 + field.parse::<f64>()?;
    }
    Ok(sum * 1000.0)
}
