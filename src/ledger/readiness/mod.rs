//! Whether our role may do what the ledger needs, and nothing that would unmake it.
//!
//! Seven questions by the reference's names (ADR-0262), each a list of privileges that must be there or must not.
//! All are asked in one query. When one is answered wrongly a second query finds out why, and what an administrator
//! runs.

mod expected;

use std::collections::BTreeSet;
use std::fmt;

use tokio_postgres::types::Type;

use super::Error;
use super::Ledger;
use super::connection::Connection;
use super::fault::Fault;
use super::transaction::Parameter;
use crate::time::Deadline;
use expected::Expected;
use expected::Object;
use expected::SELF;
use expected::expected;

/// The seven questions.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Question {
    /// Artifacts may be read and deleted, neither written nor changed.
    ArtifactDeleteOnly,
    /// Retirements may be read and added; the runtime may read preparations and nothing else.
    KeyRetirementAppendOnly,
    /// Rotations may be read and added, by us alone.
    KeyRotationAppendOnly,
    /// We are `ql3_ai_maintenance`, and neither the runtime nor an administrator.
    MaintenanceAuthority,
    /// Both schemas may be used, and nothing created in them.
    SchemaAuthority,
    /// What a run ended with may be read only.
    TerminalEvidenceReadOnly,
    /// Tombstones may be read and added.
    TombstoneAppendOnly,
}

impl Question {
    /// All of them, in the order in which they are reported.
    pub const ALL: [Self; 7] = [
        Self::MaintenanceAuthority,
        Self::SchemaAuthority,
        Self::ArtifactDeleteOnly,
        Self::TombstoneAppendOnly,
        Self::KeyRetirementAppendOnly,
        Self::KeyRotationAppendOnly,
        Self::TerminalEvidenceReadOnly,
    ];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::ArtifactDeleteOnly => "artifactDeleteOnly",
            Self::KeyRetirementAppendOnly => "keyRetirementAppendOnly",
            Self::KeyRotationAppendOnly => "keyRotationAppendOnly",
            Self::MaintenanceAuthority => "maintenanceAuthority",
            Self::SchemaAuthority => "schemaAuthority",
            Self::TerminalEvidenceReadOnly => "terminalEvidenceReadOnly",
            Self::TombstoneAppendOnly => "tombstoneAppendOnly",
        }
    }
}

/// The answers, and what is wrong.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Readiness {
    /// As whom we are logged in.
    pub current_user: String,
    /// Everything that is not as it must be; empty when we are ready.
    pub faults: Vec<Shortfall>,
}

impl Readiness {
    /// Whether one of the seven is as it must be.
    pub fn holds(&self, question: Question) -> bool {
        self.faults.iter().all(|fault| fault.question != question)
    }

    /// Passes when all seven hold.
    pub fn verdict(&self) -> Result<(), Error> {
        let is_missing = self.faults.iter().any(|fault| matches!(fault.kind, Kind::Missing(_)));
        match self.faults.len() {
            0 => Ok(()),
            faults if is_missing => Err(Error::NotInstalled(faults)),
            faults => Err(Error::NotGranted(faults)),
        }
    }
}

/// One privilege that is not as it must be. Displayed, it is what to do about it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Shortfall {
    /// Which of the seven it breaks.
    pub question: Question,
    role: String,
    privilege: &'static str,
    object: String,
    kind: Kind,
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum Kind {
    /// The privilege is there and must not be; these grants give it.
    Excess(String),
    /// The privilege must be there.
    Lack,
    /// The table, schema or role is not there.
    Missing(&'static str),
}

impl fmt::Display for Shortfall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { role, privilege, object, .. } = self;
        match (&self.kind, *privilege) {
            (Kind::Missing(what), _) => {
                write!(f, "{what} is not there: run the migrations or `ledger install`")
            }
            (Kind::Lack, "MEMBER") => write!(f, "GRANT {object} TO {role}"),
            (Kind::Excess(_), "MEMBER") => {
                write!(
                    f,
                    "REVOKE {object} FROM {role}; a superuser is a member of every role: use another login"
                )
            }
            (Kind::Lack, _) => write!(f, "GRANT {privilege} ON {object} TO {role}"),
            (Kind::Excess(by), _) if by.is_empty() => {
                write!(f, "{role} owns {object} or is a superuser: use another login")
            }
            (Kind::Excess(by), _) => write!(f, "REVOKE {privilege} ON {object} FROM {by}"),
        }
    }
}

/// The tables that the questions are about, each once, as schema and name.
pub(super) fn tables() -> BTreeSet<&'static str> {
    let table = |row: Expected| match row.object {
        Object::Table(name) => Some(name),
        Object::Role(_) | Object::Schema(_) => None,
    };
    expected().into_iter().filter_map(table).collect()
}

impl Ledger {
    /// Asks the seven questions.
    pub async fn ready(&mut self, deadline: Deadline) -> Result<Readiness, Error> {
        ask(self.session(deadline).await?, deadline).await
    }
}

/// Briefly where all is well, at length where something is wrong.
pub(super) async fn ask(connection: &Connection, deadline: Deadline) -> Result<Readiness, Error> {
    let asked = expected();
    let columns: [Vec<&str>; 5] = [
        asked.iter().map(|row| row.who).collect(),
        asked.iter().map(|row| row.object.schema().unwrap_or_default()).collect(),
        asked.iter().map(|row| row.object.name()).collect(),
        asked.iter().map(|row| row.object.kind()).collect(),
        asked.iter().map(|row| row.privilege).collect(),
    ];
    let [who, schema, name, kind, privilege] = &columns;
    let wanted: Vec<bool> = asked.iter().map(|row| row.wanted).collect();
    let values: [Parameter<'_>; 6] = [
        (who, Type::TEXT_ARRAY),
        (schema, Type::TEXT_ARRAY),
        (name, Type::TEXT_ARRAY),
        (kind, Type::TEXT_ARRAY),
        (privilege, Type::TEXT_ARRAY),
        (&wanted, Type::BOOL_ARRAY),
    ];
    let brief = connection.client().query_typed_one(BRIEF, &values);
    match connection.answer(deadline, brief).await {
        Ok(row) if row.try_get(1).map_err(|_shape| Error::Spoken)? => {
            let current_user = row.try_get(0).map_err(|_shape| Error::Spoken)?;
            return Ok(Readiness { current_user, faults: Vec::new() });
        }
        // Something is wrong, or not even there: ask what.
        Ok(_) | Err(Fault::Answer(_)) => {}
        Err(fault) => return Err(Error::from_fault(fault)),
    }
    let detail = connection.client().query_typed(DETAIL, &values);
    let rows = connection.answer(deadline, detail).await.map_err(Error::from_fault)?;
    let answers: Vec<Answer> = rows.iter().map(Answer::read).collect::<Result<_, _>>()?;
    judge(&asked, &answers)
}

/// What the server says about one expected privilege.
#[derive(Clone, Debug)]
struct Answer {
    role: String,
    role_exists: bool,
    object_exists: bool,
    holds: bool,
    /// Whose grants give a privilege that must not be there.
    by: String,
}

impl Answer {
    fn read(row: &tokio_postgres::Row) -> Result<Self, Error> {
        let text = |index| {
            let text = row.try_get::<_, Option<&str>>(index).map_err(|_shape| Error::Spoken)?;
            Ok::<_, Error>(text.unwrap_or_default().escape_debug().to_string())
        };
        let flag = |index| row.try_get::<_, bool>(index).map_err(|_shape| Error::Spoken);
        Ok(Self {
            role: text(0)?,
            role_exists: flag(1)?,
            object_exists: flag(2)?,
            holds: flag(3)?,
            by: text(4)?,
        })
    }
}

/// Compares the answers with what is expected, row by row. Pure.
fn judge(asked: &[Expected], answers: &[Answer]) -> Result<Readiness, Error> {
    if answers.len() != asked.len() {
        return Err(Error::Spoken);
    }
    let itself = answers.iter().zip(asked).find(|(_, row)| row.who == SELF);
    let current_user = itself.map(|(answer, _)| answer.role.clone()).unwrap_or_default();
    let faults = answers.iter().zip(asked).filter_map(|(answer, row)| find_fault(answer, row)).collect();
    Ok(Readiness { current_user, faults })
}

fn find_fault(answer: &Answer, row: &Expected) -> Option<Shortfall> {
    let kind = match answer {
        Answer { object_exists: false, .. } => Kind::Missing(row.object.full()),
        Answer { role_exists: false, .. } => Kind::Missing(row.who),
        Answer { holds: true, by, .. } if !row.wanted => Kind::Excess(by.clone()),
        Answer { holds: false, .. } if row.wanted => Kind::Lack,
        Answer { .. } => return None,
    };
    let object = match row.object {
        Object::Schema(name) => format!("SCHEMA {name}"),
        Object::Role(_) | Object::Table(_) => row.object.full().to_owned(),
    };
    Some(Shortfall {
        question: row.question,
        role: answer.role.clone(),
        privilege: row.privilege,
        object,
        kind,
    })
}

/// A millisecond on a session that has seen nothing yet; the detail takes ten.
const BRIEF: &str = include_str!("brief.sql");
const DETAIL: &str = include_str!("detail.sql");

#[cfg(test)]
mod tests;
