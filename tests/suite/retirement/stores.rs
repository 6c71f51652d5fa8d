//! Both stores where one of them must be stopped in the middle of a run: the database is the real one, if need be
//! behind a wire that stops at one message; the API server is a stand-in with the real one's rules for a write,
//! since it must be stopped between acting and answering.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::Mutex;

use serde_json::json;
use tempfile::TempDir;

use super::in_cluster;
use crate::support::apiserver::Http;
use crate::support::apiserver::Play;
use crate::support::lab;
use crate::support::postgres::Database;
use crate::support::scene;
use crate::support::scene::Scene;
use crate::support::store::Store;

/// A Secret with keys `new` (active) and `old`, a ledger, and the order to retire `old`.
pub(super) struct Stores {
    pub(super) database: Database,
    pub(super) store: Arc<Mutex<Store>>,
    pub(super) directory: TempDir,
    command: PathBuf,
}

/// What the stand-in does about a request.
pub(super) enum Stop {
    AfterActing,
    BeforeActing,
    Never,
}

impl Stores {
    pub(super) async fn new() -> Self {
        let object = scene::secret(&scene::two_keys());
        let directory = tempfile::tempdir().unwrap();
        let command = directory.path().join("command.json");
        let text = json!({
            "schemaVersion": 1,
            "operation": "cluster.prompt-output-key.retire",
            "kubernetes": {
                "namespace": object["metadata"]["namespace"], "secretName": lab::SECRET,
                "expectedSecretUid": object["metadata"]["uid"], "dataKey": scene::DATA_KEY,
            },
            "request": { "keyId": "old", "retirementId": "t", "requestId": "r", "mutationId": "m" },
        });
        std::fs::write(&command, text.to_string()).unwrap();
        let store = Arc::new(Mutex::new(Store { object }));
        Self { database: Database::installed().await, store, directory, command }
    }

    /// A stand-in on the Secret; `stop` is asked with each request's method.
    pub(super) fn stand_in(&self, mut stop: impl FnMut(&str) -> Stop + Send + 'static) -> Scene {
        let store = Arc::clone(&self.store);
        Scene::new(Http::Two, move |seen| match stop(&seen.method) {
            Stop::Never => Play::Answer(store.lock().unwrap().answer(seen)),
            Stop::BeforeActing => Play::Stall,
            Stop::AfterActing => {
                store.lock().unwrap().answer(seen);
                Play::Stall
            }
        })
    }

    /// `retire run` before the stand-in, with the database behind a wire's port or by itself.
    pub(super) fn run(&self, scene: &Scene, wire: Option<u16>) -> Command {
        let file = self.command.to_str().unwrap();
        let mut command = in_cluster(&["retire", "run", "--command-file", file], &scene.env());
        command.envs(match wire {
            Some(port) => self.database.environment_through(port),
            None => self.database.environment(&[]),
        });
        command
    }

    /// Rows of preparations and completions.
    pub(super) async fn rows(&self) -> (i64, i64) {
        let row = self.database.admin().await.query_one(super::ROWS, &[]).await.unwrap();
        (row.get(0), row.get(1))
    }

    /// The ids that the Secret says are retired.
    pub(super) fn retired(&self) -> Vec<String> {
        let summary = scene::keyring(&self.store.lock().unwrap().object).summary();
        summary.retired_key_ids.iter().map(ToString::to_string).collect()
    }
}
