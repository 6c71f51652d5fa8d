//! What the real API server can do to the one PUT: its answer is lost, or a webhook undoes it.

use std::sync::Arc;
use std::sync::Mutex;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ql3_ops::cluster::ServiceEnv;
use serde_json::Value;
use serde_json::json;

use super::Stage;
use super::in_cluster;
use super::line;
use crate::support::apiserver::Answer;
use crate::support::apiserver::Http;
use crate::support::apiserver::Play;
use crate::support::apiserver::Server;
use crate::support::go_between;
use crate::support::lab;
use crate::support::pki::Ca;
use crate::support::program;
use crate::support::scene::Scene;

#[tokio::test]
async fn a_lost_answer_of_the_put_is_settled_by_one_read() {
    let stage = Stage::new().await;
    let command = stage.command("old", "1");
    let go_between = Scene::new(Http::Two, |seen| {
        let answer = go_between::pass_on(seen);
        if seen.method == "PUT" { Play::Drop } else { Play::Answer(answer) }
    });
    std::fs::write(go_between.mount.path().join("token"), stage.lab.token()).unwrap();
    let env: ServiceEnv = go_between.env();
    let mut run = in_cluster(&["retire", "run", "--command-file", command.to_str().unwrap()], &env);
    let ended = program::run(run.envs(stage.database.environment(&[])));
    assert_eq!(ended.exit, Some(0), "{ended:?}");
    assert_eq!(line(&ended.stdout)["status"], "completed");
    assert_eq!(go_between.server.trace(), ["GET", "GET", "GET", "PUT", "GET"]);
    assert_eq!(stage.rows().await, (1, 1));
}

/// TokenRequest gives no token of less than ten minutes, so this one is signed with the lab's own key; a twin that is
/// still valid shows that nothing else is wrong with it.
#[tokio::test]
async fn a_token_that_has_expired_is_denied_and_its_valid_twin_is_not() {
    let stage = Stage::new().await;
    let command = stage.command("old", "1");
    for (seconds, exit) in [(-60, 77), (600, 0)] {
        stage.lab.sign_token(seconds);
        let ended = stage.run(&command);
        assert_eq!(ended.exit, Some(exit), "{seconds}: {ended:?}");
        assert_eq!(stage.rows().await, if exit == 0 { (1, 1) } else { (0, 0) });
    }
}

#[tokio::test]
async fn a_webhook_that_puts_the_key_back_makes_no_success() {
    let stage = Stage::new().await;
    let ca = Ca::new("webhook");
    let before = Arc::new(Mutex::new(stage.object.clone()));
    let undo = Arc::clone(&before);
    let webhook = Server::start(&ca.issue(&["127.0.0.1"]), Http::One, move |seen| {
        Play::Answer(undone(&seen.json(), &undo.lock().unwrap()))
    });
    let namespace = stage.lab.namespace.as_str();
    let configuration = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
        "metadata": { "name": namespace },
        "webhooks": [{
            "name": "undo.ql3.test", "admissionReviewVersions": ["v1"], "sideEffects": "None", "timeoutSeconds": 5,
            "clientConfig": {
                "url": format!("https://127.0.0.1:{}/", webhook.address.port()),
                "caBundle": BASE64_STANDARD.encode(&ca.pem),
            },
            "namespaceSelector": { "matchLabels": { "kubernetes.io/metadata.name": namespace } },
            "rules": [{ "apiGroups": [""], "apiVersions": ["v1"], "resources": ["secrets"], "operations": ["UPDATE"] }],
        }],
    });
    stage.lab.create(&configuration);
    // The API server learns of a webhook through a watch: an update of the operator's shows when it has.
    while webhook.seen().is_empty() {
        stage.lab.kubectl(&["annotate", "--overwrite", "secret", lab::SECRET, "example.org/note=x"]);
    }
    *before.lock().unwrap() = stage.lab.secret(lab::SECRET);

    let ended = stage.run(&stage.command("old", "1"));
    stage.lab.kubectl(&["delete", "mutatingwebhookconfiguration", namespace]);
    assert_eq!(ended.exit, Some(78), "{ended:?}");
    let failure = line(&ended.stderr);
    assert_eq!(failure["code"], "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_UNAVAILABLE");
    assert_eq!(stage.lab.secret(lab::SECRET)["data"], stage.object["data"], "the webhook had its way");
    assert_eq!(stage.rows().await, (1, 0), "nothing is confirmed that was not swapped");

    // With the webhook gone the same command goes on from the preparation.
    assert_eq!(line(&stage.run(&stage.command("old", "1")).stdout)["status"], "completed");
}

/// An admission answer that restores data and annotations.
fn undone(review: &Value, before: &Value) -> Answer {
    let patch = json!([
        { "op": "replace", "path": "/data", "value": before["data"] },
        { "op": "replace", "path": "/metadata/annotations", "value": before["metadata"]["annotations"] },
    ]);
    Answer::json(
        200,
        &json!({
            "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
            "response": {
                "uid": review["request"]["uid"], "allowed": true, "patchType": "JSONPatch",
                "patch": BASE64_STANDARD.encode(patch.to_string()),
            },
        }),
    )
}
