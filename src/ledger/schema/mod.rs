//! The tables as numbered steps of SQL, each run once, and the grants, which are renewed each time.
//!
//! Names, columns and constraints are those that the platform has (ADR-0262); the parents hold only what foreign
//! keys and readiness need. A database that the platform's own migrations made is used as it is.

mod install;
mod plan;

use serde::Serialize;
use sha2::Digest as _;
use sha2::Sha256;

pub use install::Installed;
pub use install::MissingRole;
pub use install::install;

/// One file of SQL, run in one transaction.
#[derive(Debug, Eq, PartialEq)]
pub struct Step {
    /// What the history table calls it.
    pub id: &'static str,
    sql: &'static str,
}

impl Step {
    /// Its statements. In the files a blank line follows each, and none has one inside.
    pub fn statements(&self) -> impl Iterator<Item = &'static str> {
        statements(self.sql)
    }

    /// SHA-256 of compact JSON `{"format":1,"statements":[...]}` over the trimmed statements, as the platform has it.
    pub fn checksum(&self) -> String {
        #[derive(Serialize)]
        struct Body {
            format: u8,
            statements: Vec<&'static str>,
        }
        let body = Body { format: 1, statements: self.statements().collect() };
        let json = serde_json::to_vec(&body).unwrap_or_default();
        let digits = Sha256::digest(json).into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
        digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
    }

    fn record(&self) -> String {
        format!(
            "INSERT INTO ql3_ai.ai_schema_migrations\n       \
             (migration_id, stream_id, dialect, checksum, applied_at_ms)\n\
             VALUES ('{}', '{STREAM}', 'postgresql', '{}',\n        \
             (extract(epoch FROM clock_timestamp()) * 1000)::bigint)",
            self.id,
            self.checksum(),
        )
    }
}

/// All that `install` would run on an empty database, as a script for psql.
pub fn script() -> String {
    let mut script = String::from("\\set ON_ERROR_STOP on\n");
    for step in &STEPS {
        let statements = step.statements().map(str::to_owned).chain([step.record()]);
        script += &transaction(step.id, statements);
    }
    script + &transaction("grants", statements(GRANTS).map(str::to_owned))
}

fn transaction(title: &str, statements: impl Iterator<Item = String>) -> String {
    let body: String = statements.map(|statement| statement + ";\n\n").collect();
    format!("\n-- {title}\n{BEGIN};\n\n{body}COMMIT;\n")
}

fn statements(sql: &'static str) -> impl Iterator<Item = &'static str> {
    sql.split(";\n\n").map(|statement| statement.trim().trim_end_matches(';')).filter(|text| !text.is_empty())
}

macro_rules! step {
    ($name:literal) => {
        Step { id: concat!("ql3-ops-", $name), sql: include_str!(concat!($name, ".sql")) }
    };
}

/// The steps in their order.
pub static STEPS: [Step; 6] = [
    step!("0001_history"),
    step!("0002_parents"),
    step!("0003_artifacts"),
    step!("0004_tombstones"),
    step!("0005_retirements"),
    step!("0006_rotations"),
];
const GRANTS: &str = include_str!("grants.sql");
const STREAM: &str = "ql3-ops-ledger-postgresql";
const BEGIN: &str = "BEGIN;
SET LOCAL statement_timeout = '15s';
SET LOCAL lock_timeout = '5s';
SET LOCAL idle_in_transaction_session_timeout = '15s';
SELECT pg_catalog.pg_advisory_xact_lock(20812, 769)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_statement_is_one_statement() {
        for step in &STEPS {
            for statement in step.statements() {
                let begins = ["CREATE ", "REVOKE "].iter().any(|verb| statement.starts_with(verb));
                assert!(begins && !statement.contains(';') && statement.trim() == statement, "{statement}");
            }
        }
        assert_eq!(STEPS.iter().map(|step| step.statements().count()).sum::<usize>(), 28);
        assert!(statements(GRANTS).all(|block| block.starts_with("DO $$") && block.ends_with("$$")));
    }

    #[test]
    fn a_step_that_was_released_is_never_edited() {
        let released: Vec<_> = STEPS.iter().map(|step| (step.id, step.checksum())).collect();
        let expected = [
            ("ql3-ops-0001_history", "62fd130d8af3d5207dca9f02864e6f393a6180cca4b1ef2d752c51b1f73c3100"),
            ("ql3-ops-0002_parents", "40a906e7420d9d87cc5dcce2781efc9c202faeae876da6016da9b2b4a38b0d3d"),
            ("ql3-ops-0003_artifacts", "a89050902014ae5c5eb285937dc8a188f9cdaf3df4117e70e1e1d9f9e21f6cd5"),
            ("ql3-ops-0004_tombstones", "270146cc177af864c74b093d51eac9845d61943ae0d298ce8dda227dce712972"),
            ("ql3-ops-0005_retirements", "ff80479338307f815004d55826039dc73697ebeb5697ebca997e79a62c155991"),
            ("ql3-ops-0006_rotations", "a5e5d568399f5292694766c34e9a0adc60b1dbe3a331918d32589e509c4845f9"),
        ];
        assert_eq!(released, expected.map(|(id, checksum)| (id, checksum.to_owned())));
    }

    #[test]
    fn no_name_is_longer_than_the_server_keeps() {
        let words =
            STEPS.iter().flat_map(|step| step.sql.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
        assert!(words.into_iter().all(|word| word.len() <= 63));
    }
}
