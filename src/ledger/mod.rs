//! The ledger: that a key may no longer be used, and that it is gone, each written once and never changed.
//!
//! Two tables of a PostgreSQL database that the platform shares with us (ADR-0262). Our role may select and insert;
//! append-only comes from the grants. The order of locks, reads and writes is in `transaction`,
//! what they decide in `decide`, and how a lost answer is settled in `write`.

mod connection;
mod decide;
mod error;
mod fault;
mod readiness;
mod record;
pub mod schema;
pub mod settings;
mod transaction;
mod write;

use connection::Connection;
use std::time::Duration;

use futures_util::future::join;
use serde::Serialize;
use tokio_postgres::types::Type;
use transaction::Parameter;
use transaction::Wish;

use crate::keyring::Absent;
use crate::keyring::Completion;
use crate::keyring::Digest;
use crate::keyring::KeyId;
use crate::keyring::Preparation;
use crate::keyring::Request;
use crate::time::Deadline;

pub use error::ANOTHER;
pub use error::CODES;
pub use error::Conflict;
pub use error::Error;
pub use error::LIVE;
pub use error::Row;
pub use fault::Sqlstate;
pub use readiness::Question;
pub use readiness::Readiness;
pub use readiness::Shortfall;
pub use record::Record;
pub use settings::Settings;

/// An open ledger: one session, replaced when the answer to a commit was lost on it.
pub struct Ledger {
    settings: Settings,
    connection: Option<Connection>,
}

/// A row that is in the ledger now.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Written<T> {
    /// This call wrote it.
    Created(T),
    /// It was there, with the same meaning; its own time stays.
    Existing(T),
}

/// Ciphertexts of one project that are still kept under a key.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveArtifacts {
    /// The project.
    pub project_id: String,
    /// How many.
    pub count: u64,
    /// When the last of them may be collected, in milliseconds since 1970-01-01 UTC.
    pub last_eligible_at_ms: u64,
}

impl Ledger {
    /// Opens the session: within 5 s it is dialled, its peer proven, its settings read back, and it takes writes.
    pub async fn open(settings: &Settings, deadline: Deadline) -> Result<Self, Error> {
        let connection = Connection::open(settings, APPLICATION, deadline).await?;
        Ok(Self { settings: settings.clone(), connection: Some(connection) })
    }

    /// What is recorded about a key.
    pub async fn find(&mut self, key: &KeyId, deadline: Deadline) -> Result<Option<Record>, Error> {
        find(self.session(deadline).await?, key, deadline).await
    }

    /// What is recorded about a key, if the ledger is ready: both are asked in one flight, and readiness is judged
    /// first.
    pub async fn survey(&mut self, key: &KeyId, deadline: Deadline) -> Result<Option<Record>, Error> {
        let connection = self.session(deadline).await?;
        let flight = Box::pin(join(readiness::ask(connection, deadline), find(connection, key, deadline)));
        let (readiness, found) = flight.await;
        readiness?.verdict()?;
        found
    }

    /// Records that the key may no longer be used. Refused while ciphertexts under it are kept.
    ///
    /// `now_ms` is the run's wall clock, taken once; a recorded preparation keeps its own.
    pub async fn prepare(
        &mut self,
        request: &Request,
        catalog_digest: Digest,
        material_proof: Digest,
        now_ms: u64,
        deadline: Deadline,
    ) -> Result<Written<Preparation>, Error> {
        let row =
            Preparation::new(request, catalog_digest, material_proof, now_ms).map_err(Error::Receipt)?;
        let [catalog, proof, digest] = [catalog_digest, material_proof, row.digest()].map(|d| d.to_string());
        let (at, json) = (milliseconds(row.prepared_at_ms())?, row.canonical_json());
        let Request { key_id, retirement_id, request_id, mutation_id } = request;
        let wish = Wish {
            key: key_id,
            insert: INSERT_PREPARATION,
            values: &[
                (&key_id.as_str(), Type::TEXT),
                (&retirement_id.as_str(), Type::TEXT),
                (&request_id.as_str(), Type::TEXT),
                (&mutation_id.as_str(), Type::TEXT),
                (&catalog, Type::TEXT),
                (&proof, Type::TEXT),
                (&at, Type::INT8),
                (&digest, Type::TEXT),
                (&json, Type::TEXT),
            ],
            decide: &|found, live| decide::preparation(found, &row, live),
            row: row.clone(),
        };
        self.write(&wish, deadline).await
    }

    /// Records that the key is gone. `absent` proves it, `preparation` must be the recorded one.
    pub async fn complete(
        &mut self,
        preparation: &Preparation,
        absent: &Absent,
        now_ms: u64,
        deadline: Deadline,
    ) -> Result<Written<Completion>, Error> {
        let row = Completion::new(preparation, absent.catalog_digest, absent.absence_proof, now_ms)
            .map_err(Error::Receipt)?;
        let digests =
            [row.preparation_digest(), row.retired_catalog_digest(), row.absence_proof(), row.digest()];
        let [prepared, catalog, proof, digest] = digests.map(|d| d.to_string());
        let (at, json) = (milliseconds(row.completed_at_ms())?, row.canonical_json());
        let Request { key_id, retirement_id, request_id, mutation_id } = preparation.request();
        let wish = Wish {
            key: key_id,
            insert: INSERT_COMPLETION,
            values: &[
                (&key_id.as_str(), Type::TEXT),
                (&retirement_id.as_str(), Type::TEXT),
                (&request_id.as_str(), Type::TEXT),
                (&mutation_id.as_str(), Type::TEXT),
                (&prepared, Type::TEXT),
                (&catalog, Type::TEXT),
                (&proof, Type::TEXT),
                (&at, Type::INT8),
                (&digest, Type::TEXT),
                (&json, Type::TEXT),
            ],
            decide: &|found, live| decide::completion(found, preparation, &row, live),
            row: row.clone(),
        };
        self.write(&wish, deadline).await
    }

    /// Which ciphertexts are still kept under the key: at most 1024 projects, those with the most first.
    pub async fn live_artifacts(
        &mut self,
        key: &KeyId,
        deadline: Deadline,
    ) -> Result<Vec<LiveArtifacts>, Error> {
        let connection = self.session(deadline).await?;
        let id = key.as_str();
        let by_key: [Parameter<'_>; 1] = [(&id, Type::TEXT)];
        let query = connection.client().query_typed(LIVE_BY_PROJECT, &by_key);
        let rows = connection.answer(deadline, query).await.map_err(Error::from_fault)?;
        let number = |row: &tokio_postgres::Row, index| {
            let value = row.try_get::<_, i64>(index).ok();
            value.and_then(|value| u64::try_from(value).ok()).ok_or(Error::Spoken)
        };
        let read = |row: &tokio_postgres::Row| {
            Ok(LiveArtifacts {
                project_id: row.try_get(0).map_err(|_shape| Error::Spoken)?,
                count: number(row, 1)?,
                last_eligible_at_ms: number(row, 2)?,
            })
        };
        rows.iter().map(read).collect()
    }

    /// Ends the session; the next question opens another. How the old one ended does not matter any more.
    pub async fn renew(&mut self, deadline: Deadline) {
        if let Some(connection) = self.connection.take()
            && let Err(error) = connection.close(deadline.slice(PARTING)).await
        {
            tracing::info!(reason = %error, "a database session that was given up did not end in order");
        }
    }

    /// Ends the session in good order.
    pub async fn close(self, deadline: Deadline) -> Result<(), Error> {
        match self.connection {
            Some(connection) => connection.close(deadline).await,
            None => Ok(()),
        }
    }

    /// The session, or a new one where the last was given up.
    async fn session(&mut self, deadline: Deadline) -> Result<&Connection, Error> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => Connection::open(&self.settings, APPLICATION, deadline).await?,
        };
        Ok(self.connection.insert(connection))
    }
}

async fn find(connection: &Connection, key: &KeyId, deadline: Deadline) -> Result<Option<Record>, Error> {
    let id = key.as_str();
    let by_key: [Parameter<'_>; 1] = [(&id, Type::TEXT)];
    // The completion first: it is written second, so that one seen without its preparation is really alone.
    let flight = Box::pin(join(
        connection.client().query_typed(record::COMPLETION, &by_key),
        connection.client().query_typed(record::PREPARATION, &by_key),
    ));
    let both = async {
        let (completions, preparations) = flight.await;
        Ok((completions?, preparations?))
    };
    let (completions, preparations) = connection.answer(deadline, both).await.map_err(Error::from_fault)?;
    record::pair(&preparations, &completions)
}

fn milliseconds(time: u64) -> Result<i64, Error> {
    i64::try_from(time).map_err(|_over| Error::Spoken)
}

/// For the end of a session that is replaced.
const PARTING: Duration = Duration::from_secs(1);

const APPLICATION: &str = "qinglong3-prompt-output-key-retirement";
const INSERT_PREPARATION: &str = "
    INSERT INTO ql3_ai.model_invocation_prompt_output_key_retirement_preparations
           (key_id, retirement_id, request_id, mutation_id, catalog_digest, material_proof, prepared_at_ms,
            preparation_digest, preparation_json)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb)";
const INSERT_COMPLETION: &str = "
    INSERT INTO ql3_ai.model_invocation_prompt_output_key_retirement_completions
           (key_id, retirement_id, request_id, mutation_id, preparation_digest, retired_catalog_digest,
            absence_proof, completed_at_ms, completion_digest, completion_json)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb)";
const LIVE_BY_PROJECT: &str = "
    SELECT project_id::text, pg_catalog.count(*), pg_catalog.max(retention_eligible_at_ms)
      FROM ql3_ai.model_invocation_prompt_output_artifacts
     WHERE key_id = $1
     GROUP BY project_id
     ORDER BY 2 DESC, 1
     LIMIT 1024";
