//! Makes the tables, as their owner: one transaction per step, under one lock, as often as one likes.

use std::collections::BTreeMap;

use tokio_postgres::types::Type;

use super::BEGIN;
use super::GRANTS;
use super::plan::Found;
use super::plan::Plan;
use super::plan::plan;
use super::statements;
use crate::ledger::Error;
use crate::ledger::Settings;
use crate::ledger::connection::Connection;
use crate::ledger::readiness;
use crate::ledger::transaction::Parameter;
use crate::time::Deadline;

/// What became of an installation.
#[derive(Debug, Eq, PartialEq)]
pub enum Installed {
    /// All steps are there and the grants are renewed.
    Complete {
        /// The steps that this call ran.
        applied: Vec<&'static str>,
        /// Roles that do not exist, and so have no grants.
        missing: Vec<&'static MissingRole>,
    },
    /// The platform's own migrations, or tables of somebody else, are there; nothing was changed.
    LeftAlone {
        /// Tables that a retirement needs and that are not there.
        absent: Vec<&'static str>,
    },
}

/// A role that readiness asks for. It is not created silently: a login without an owner is a hole.
#[derive(Debug, Eq, PartialEq)]
pub struct MissingRole {
    /// Its name.
    pub name: &'static str,
    /// The statement that an administrator may run.
    pub create: &'static str,
}

/// Installs what is missing. The session must belong to the owner of the database.
pub async fn install(settings: &Settings, deadline: Deadline) -> Result<Installed, Error> {
    let connection = Connection::open(settings, APPLICATION, deadline).await?;
    let mut applied = Vec::new();
    loop {
        batch(&connection, BEGIN, deadline).await?;
        match plan(&find(&connection, deadline).await?) {
            Plan::Apply(step) => {
                for statement in step.statements() {
                    batch(&connection, statement, deadline).await?;
                }
                batch(&connection, &step.record(), deadline).await?;
                batch(&connection, "COMMIT", deadline).await?;
                tracing::info!(step = step.id, "schema step applied");
                applied.push(step.id);
            }
            Plan::Complete => break,
            Plan::Drifted(id) => return Err(Error::Drifted(id)),
            Plan::LeaveAlone => {
                let present = texts(&connection, RELATIONS, &[], deadline).await?;
                connection.close(deadline).await?;
                let is_there = |table: &&str| present.iter().any(|(name, _kind)| name == table);
                let absent = readiness::tables().into_iter().filter(|table| !is_there(table)).collect();
                return Ok(Installed::LeftAlone { absent });
            }
        }
    }
    for statement in statements(GRANTS) {
        batch(&connection, statement, deadline).await?;
    }
    let missing = missing_roles(&connection, deadline).await?;
    batch(&connection, "COMMIT", deadline).await?;
    connection.close(deadline).await?;
    Ok(Installed::Complete { applied, missing })
}

/// Every failure ends the installation, so that no COMMIT follows a failed statement; the session takes its
/// open transaction with it.
async fn batch(connection: &Connection, sql: &str, deadline: Deadline) -> Result<(), Error> {
    connection.answer(deadline, connection.client().batch_execute(sql)).await.map_err(Error::from_fault)
}

async fn find(connection: &Connection, deadline: Deadline) -> Result<Found, Error> {
    let names = texts(connection, RELATIONS, &[], deadline).await?;
    let relations: Vec<String> = names.into_iter().map(|(name, _kind)| name).collect();
    let history = if relations.iter().any(|name| name == "ql3_ai.ai_schema_migrations") {
        texts(connection, HISTORY, &[], deadline).await?.into_iter().collect()
    } else {
        BTreeMap::new()
    };
    Ok(Found { relations: relations.len(), history })
}

async fn missing_roles(
    connection: &Connection,
    deadline: Deadline,
) -> Result<Vec<&'static MissingRole>, Error> {
    let names: Vec<&str> = ROLES.iter().map(|role| role.name).collect();
    let wanted: [Parameter<'_>; 1] = [(&names, Type::TEXT_ARRAY)];
    let present = texts(connection, PRESENT_ROLES, &wanted, deadline).await?;
    Ok(ROLES.iter().filter(|role| !present.iter().any(|(name, _login)| name == role.name)).collect())
}

/// Rows of two texts, at most a thousand.
async fn texts(
    connection: &Connection,
    sql: &str,
    values: &[Parameter<'_>],
    deadline: Deadline,
) -> Result<Vec<(String, String)>, Error> {
    let query = connection.client().query_typed(sql, values);
    let rows = connection.answer(deadline, query).await.map_err(Error::from_fault)?;
    let read = |row: &tokio_postgres::Row| {
        let text = |index| row.try_get::<_, String>(index).map_err(|_shape| Error::Spoken);
        Ok((text(0)?, text(1)?))
    };
    rows.iter().map(read).collect()
}

/// The roles that readiness asks for by name.
static ROLES: [MissingRole; 5] = [
    MissingRole { name: "ql3_admin", create: "CREATE ROLE ql3_admin NOLOGIN" },
    MissingRole {
        name: "ql3_ai_credential_manager",
        create: "CREATE ROLE ql3_ai_credential_manager NOLOGIN",
    },
    MissingRole { name: "ql3_ai_credential_tester", create: "CREATE ROLE ql3_ai_credential_tester NOLOGIN" },
    MissingRole {
        name: "ql3_ai_maintenance",
        create: "CREATE ROLE ql3_ai_maintenance LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION \
                 NOBYPASSRLS CONNECTION LIMIT 4",
    },
    MissingRole { name: "ql3_runtime", create: "CREATE ROLE ql3_runtime NOLOGIN" },
];
const APPLICATION: &str = "qinglong3-ledger-install";
const RELATIONS: &str = "
    SELECT n.nspname::text || '.' || c.relname::text, c.relkind::text
      FROM pg_catalog.pg_class c
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname IN ('ql3', 'ql3_ai')
       AND c.relkind IN ('f', 'm', 'p', 'r', 'v')
     LIMIT 1000";
const HISTORY: &str = "
    SELECT migration_id::text, checksum::text
      FROM ql3_ai.ai_schema_migrations
     LIMIT 1000";
const PRESENT_ROLES: &str = "
    SELECT rolname::text, rolcanlogin::text
      FROM pg_catalog.pg_roles
     WHERE rolname = ANY ($1)";
