//! The built program against both real stores.

mod api;
mod barrier;
mod crash;
mod run;
mod secrecy;
mod signals;
mod stores;
mod surroundings;

use std::path::Path;
use std::path::PathBuf;
use std::process::Command;

use ql3_ops::cluster::Authority;
use ql3_ops::cluster::ServiceEnv;
use ql3_ops::keyring::Manifest;
use ql3_ops::keyring::Request;
use ql3_ops::keyring::State;
use ql3_ops::ledger::Ledger;
use serde_json::Value;
use serde_json::json;
use tempfile::TempDir;

use crate::support::lab;
use crate::support::lab::Lab;
use crate::support::postgres::Database;
use crate::support::postgres::deadline;
use crate::support::program;
use crate::support::program::Ended;
use crate::support::scene;

/// A namespace with the operation's Role and a keyring of two keys, `new` (active) and `old`; a database with
/// the ledger; and the program between them.
pub(crate) struct Stage {
    pub(crate) lab: Lab,
    pub(crate) database: Database,
    pub(crate) object: Value,
    directory: TempDir,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::with(&scene::two_keys(), |_object| {}).await
    }

    /// With another keyring, and a change to the Secret before it is made.
    pub(crate) async fn with(manifest: &Manifest, change: impl FnOnce(&mut Value)) -> Self {
        let lab = Lab::new();
        lab.grant("retirement", operation_rules());
        let mut object = scene::secret(manifest);
        object["metadata"]["namespace"] = lab.namespace.as_str().into();
        for name in ["uid", "resourceVersion"] {
            object["metadata"].as_object_mut().unwrap().remove(name);
        }
        change(&mut object);
        let object = lab.create(&object);
        Self { lab, database: Database::installed().await, object, directory: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a command file; the identities are those of `tag`.
    pub(crate) fn command(&self, key: &str, tag: &str) -> PathBuf {
        self.command_for(key, tag, self.object["metadata"]["uid"].as_str().unwrap())
    }

    pub(crate) fn command_for(&self, key: &str, tag: &str, uid: &str) -> PathBuf {
        let text = json!({
            "schemaVersion": 1,
            "operation": "cluster.prompt-output-key.retire",
            "kubernetes": {
                "namespace": self.lab.namespace, "secretName": lab::SECRET, "expectedSecretUid": uid,
                "dataKey": scene::DATA_KEY,
            },
            "request": {
                "keyId": key, "retirementId": format!("t-{tag}"), "requestId": format!("r-{tag}"),
                "mutationId": format!("m-{tag}"),
            },
        });
        let path = self.path(&format!("command-{key}-{tag}.json"));
        std::fs::write(&path, text.to_string()).unwrap();
        path
    }

    /// The program as the Pod's service account, with the database in its environment.
    pub(crate) fn program(&self, arguments: &[&str]) -> Command {
        let Authority::InCluster(env) = self.lab.in_cluster() else { panic!("in-cluster") };
        let mut command = in_cluster(arguments, &env);
        command.envs(self.database.environment(&[]));
        command
    }

    /// `retire VERB` on a command file.
    pub(crate) fn retire(&self, verb: &str, command_file: &Path) -> Command {
        self.program(&["retire", verb, "--command-file", command_file.to_str().unwrap()])
    }

    pub(crate) fn run(&self, command_file: &Path) -> Ended {
        program::run(&mut self.retire("run", command_file))
    }

    /// Records the preparation that the command of `tag` would, and goes no further.
    pub(crate) async fn prepare(&self, key: &str, tag: &str) {
        let request = Request::from_value(&json!({
            "keyId": key, "retirementId": format!("t-{tag}"), "requestId": format!("r-{tag}"),
            "mutationId": format!("m-{tag}"),
        }));
        let request = request.unwrap();
        let (State::Active(held) | State::Inactive(held)) =
            scene::keyring(&self.object).state(&request.key_id).unwrap()
        else {
            panic!("the key is held")
        };
        let mut ledger = Ledger::open(&self.database.settings(), deadline()).await.unwrap();
        let (catalog, proof) = (held.catalog_digest, held.material_proof);
        ledger.prepare(&request, catalog, proof, 1, deadline()).await.unwrap();
    }

    /// The Secret's version and the ledger's numbers of preparations and completions.
    pub(crate) async fn state(&self) -> (String, i64, i64) {
        let version =
            self.lab.secret(lab::SECRET)["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
        let (preparations, completions) = self.rows().await;
        (version, preparations, completions)
    }

    pub(crate) async fn rows(&self) -> (i64, i64) {
        let row = self.database.admin().await.query_one(ROWS, &[]).await.unwrap();
        (row.get(0), row.get(1))
    }
}

/// The program with one service environment and nothing else in the environment.
pub(crate) fn in_cluster(arguments: &[&str], env: &ServiceEnv) -> Command {
    let mut command = program::program();
    command.args(arguments).arg("--service-account-dir").arg(&env.mount);
    let variables = [
        ("KUBERNETES_SERVICE_HOST", &env.host),
        ("KUBERNETES_SERVICE_PORT", &env.port),
        ("KUBERNETES_SERVICE_PORT_HTTPS", &env.port_https),
    ];
    command.envs(variables.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?))));
    command
}

/// A result or a failure line, which is the whole of what a stream has.
pub(crate) fn line(stream: &str) -> Value {
    assert!(stream.ends_with('\n') && stream.matches('\n').count() == 1, "one line: {stream:?}");
    serde_json::from_str(stream).unwrap()
}

pub(crate) fn operation_rules() -> Value {
    json!([{ "apiGroups": [""], "resources": ["secrets"], "resourceNames": [lab::SECRET], "verbs": ["get", "update"] }])
}

const ROWS: &str = "
    SELECT (SELECT count(*) FROM ql3_ai.model_invocation_prompt_output_key_retirement_preparations),
           (SELECT count(*) FROM ql3_ai.model_invocation_prompt_output_key_retirement_completions)";
