//! What the program says to the database: recorded from the database's log, and told again for another key.

use ql3_ops::keyring::Completion;
use ql3_ops::keyring::Preparation;
use ql3_ops::keyring::Request;
use serde::Serialize;

use super::stage;
use super::turn::Receipts;

/// What one retirement said, in order.
#[derive(Default)]
pub(crate) struct Recording {
    /// Whose retirement it was.
    pub(crate) key: String,
    pub(crate) statements: Vec<Statement>,
}

#[derive(Clone, Serialize)]
pub(crate) struct Statement {
    text: String,
    /// In text form, each with the number of its type where the server cannot infer it, or 0.
    values: Vec<(u32, String)>,
}

/// A first run's statements, by when they are sent.
pub(crate) struct Told {
    pub(crate) opening: Vec<Statement>,
    pub(crate) prepare: Vec<Statement>,
    pub(crate) complete: Vec<Statement>,
}

/// Everything that a session of the operation's role said, by the log's new lines.
pub(crate) fn read(log: &str) -> Vec<Statement> {
    let session = format!("{}@{} ", stage::MAINTENANCE, stage::DATABASE);
    let mut statements: Vec<Statement> = Vec::new();
    for entry in entries(log) {
        let Some((_, said)) = entry.split_once(&session) else {
            continue;
        };
        if let Some(text) = said.strip_prefix("LOG:  statement: ") {
            statements.push(Statement { text: text.to_owned(), values: Vec::new() });
        } else if let Some((_, text)) =
            said.strip_prefix("LOG:  execute ").and_then(|said| said.split_once(": "))
        {
            statements.push(Statement { text: text.trim().to_owned(), values: Vec::new() });
        } else if let (Some(text), Some(last)) =
            (said.strip_prefix("DETAIL:  Parameters: "), statements.last_mut())
        {
            last.values = values(text).map(|value| (type_of(&value), value)).collect();
        }
    }
    statements
}

impl Recording {
    /// The same statements for other receipts.
    pub(crate) fn told(&self, receipts: &Receipts) -> Told {
        let mut parts = [Vec::new(), Vec::new(), Vec::new()];
        let mut transactions = 0;
        for statement in &self.statements {
            transactions += usize::from(statement.text.starts_with("BEGIN"));
            if let Some(part) = parts.get_mut(transactions) {
                part.push(self.tell(statement, receipts));
            }
        }
        let [opening, prepare, complete] = parts;
        Told { opening, prepare, complete }
    }

    fn tell(&self, Statement { text, values }: &Statement, receipts: &Receipts) -> Statement {
        let plain = |values: Vec<String>| values.into_iter().map(|value| (0, value)).collect();
        let key = receipts.preparation.request().key_id.as_str();
        let values = if text.starts_with("INSERT INTO ql3_ai.") {
            plain(if text.contains("_preparations") {
                preparation(&receipts.preparation)
            } else {
                completion(&receipts.completion)
            })
        } else {
            values.iter().map(|(number, value)| (*number, value.replace(&self.key, key))).collect()
        };
        Statement { text: text.clone(), values }
    }
}

/// A preparation's row, in the order of the table's columns (ADR-0262).
fn preparation(row: &Preparation) -> Vec<String> {
    let digests = [row.catalog_digest(), row.material_proof()].map(|digest| digest.to_string());
    let own = [row.prepared_at_ms().to_string(), row.digest().to_string(), row.canonical_json()];
    [identities(row.request()).as_slice(), &digests, &own].concat()
}

/// A completion's, likewise.
fn completion(row: &Completion) -> Vec<String> {
    let digests = [row.preparation_digest(), row.retired_catalog_digest(), row.absence_proof()];
    let own = [row.completed_at_ms().to_string(), row.digest().to_string(), row.canonical_json()];
    [identities(row.request()).as_slice(), &digests.map(|digest| digest.to_string()), &own].concat()
}

fn identities(request: &Request) -> [String; 4] {
    let Request { key_id, retirement_id, request_id, mutation_id } = request;
    [key_id.to_string(), retirement_id.to_string(), request_id.to_string(), mutation_id.to_string()]
}

/// Lines that begin with a tab go on with the entry before.
fn entries(log: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for line in log.lines() {
        match (line.strip_prefix('\t'), entries.last_mut()) {
            (Some(more), Some(entry)) => entry.extend(["\n", more]),
            _ => entries.push(line.to_owned()),
        }
    }
    entries
}

/// From `$1 = 'it''s', $2 = 'so'`.
fn values(text: &str) -> impl Iterator<Item = String> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (_, mut quoted) = rest.split_once(" = '")?;
        let mut value = String::new();
        loop {
            let (piece, after) = quoted.split_once('\'')?;
            value.push_str(piece);
            let Some(more) = after.strip_prefix('\'') else {
                rest = after;
                return Some(value);
            };
            value.push('\'');
            quoted = more;
        }
    })
}

/// A function that takes any array cannot infer which: the program names them, the log does not.
fn type_of(value: &str) -> u32 {
    match value.strip_prefix('{').and_then(|array| array.strip_suffix('}')) {
        Some(items) if serde_json::from_str::<serde::de::IgnoredAny>(value).is_err() => {
            if items.split(',').all(|item| matches!(item, "t" | "f")) { BOOLEANS } else { TEXTS }
        }
        _ => 0,
    }
}

/// `boolean[]` and `text[]` in `pg_type`.
const BOOLEANS: u32 = 1000;
const TEXTS: u32 = 1009;

/// The session's settings, as the startup packet takes them.
pub(crate) const OPTIONS: &str = "-c search_path=ql3,pg_catalog -c statement_timeout=15s -c lock_timeout=5s \
                                  -c idle_in_transaction_session_timeout=15s \
                                  -c client_min_messages=warning -c row_security=off";
