//! Against the real API server of the lab, as a service account with exactly the operation's Role.

use ql3_ops::cluster::Authority;
use ql3_ops::cluster::Cluster;
use ql3_ops::cluster::Error;
use ql3_ops::cluster::How;
use ql3_ops::cluster::SecretRef;
use ql3_ops::cluster::Swap;
use ql3_ops::cluster::review;
use ql3_ops::cluster::secret;
use ql3_ops::exit::Exit;
use ql3_ops::keyring::Preparation;
use serde_json::Value;
use serde_json::json;

use super::retire;
use crate::support::lab;
use crate::support::lab::Lab;
use crate::support::scene;
use crate::support::scene::soon;

/// A namespace with the Role, the Secret, and the order to retire its key `old`.
struct Ready {
    lab: Lab,
    object: Value,
    secret: SecretRef,
    preparation: Preparation,
}

impl Ready {
    fn new() -> Self {
        Self::with(|_object| {})
    }

    fn with(change: impl FnOnce(&mut Value)) -> Self {
        let lab = Lab::new();
        lab.grant("retirement", operation_rules());
        let manifest = scene::two_keys();
        let mut object = scene::secret(&manifest);
        object["metadata"]["namespace"] = lab.namespace.as_str().into();
        for name in ["uid", "resourceVersion"] {
            object["metadata"].as_object_mut().unwrap().remove(name);
        }
        change(&mut object);
        let object = lab.create(&object);
        let preparation = scene::preparation(&manifest, "old", "1", 1);
        Self { secret: scene::secret_ref(&object), lab, object, preparation }
    }

    fn cluster(&self) -> Cluster {
        Cluster::connect(&self.lab.in_cluster()).unwrap()
    }

    fn stored(&self) -> Value {
        self.lab.secret(lab::SECRET)
    }

    async fn refusal(&self) -> Error {
        let error = retire(&self.cluster(), &self.secret, &self.preparation, soon()).await.unwrap_err();
        assert_eq!(self.stored()["data"], self.object["data"], "nothing was written");
        error
    }
}

/// The rules of the operation's Role.
pub(super) fn operation_rules() -> Value {
    json!([{ "apiGroups": [""], "resources": ["secrets"], "resourceNames": [lab::SECRET], "verbs": ["get", "update"] }])
}

#[tokio::test]
async fn a_first_run_writes_once_and_a_replay_not_at_all() {
    let ready = Ready::new();
    let cluster = ready.cluster();
    cluster.review(&ready.secret, soon()).await.unwrap();
    let first = retire(&cluster, &ready.secret, &ready.preparation, soon()).await.unwrap();
    assert_eq!(first.how(), How::Written);

    let written = ready.stored();
    let expected = scene::retired(&ready.object, &ready.preparation);
    assert_eq!(written["data"], expected["data"]);
    for kept in ["uid", "labels", "annotations", "creationTimestamp", "name"] {
        assert_eq!(written["metadata"][kept], expected["metadata"][kept], "{kept}");
    }
    assert_ne!(written["metadata"]["resourceVersion"], ready.object["metadata"]["resourceVersion"]);
    let managers = written["metadata"]["managedFields"].to_string();
    assert!(managers.contains("qinglong-prompt-output-key-retirement"), "{managers}");

    let again = retire(&ready.cluster(), &ready.secret, &ready.preparation, soon()).await.unwrap();
    assert_eq!((again.how(), again.into_absent()), (How::Found, first.into_absent()));
    assert_eq!(ready.stored(), written, "the replay wrote nothing");

    if let Some(lines) = ready.lab.audited() {
        let reviews = vec!["create selfsubjectaccessreviews".to_owned(); 10];
        let run = ["get secrets", "update secrets", "get secrets"].map(str::to_owned).to_vec();
        assert_eq!(lines, [reviews, run].concat());
    }
}

#[tokio::test]
async fn unknown_labels_annotations_finalizers_and_owners_survive() {
    let ready = Ready::with(|object| {
        object["metadata"]["labels"]["example.org/extra"] = "kept".into();
        object["metadata"]["annotations"]["example.org/note"] = "kept <&> \u{e4}".into();
        object["metadata"]["finalizers"] = json!(["example.org/hold"]);
        object["metadata"]["ownerReferences"] = json!([{
            "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": "0f6c3b7e-1b2a-4c3d-8e9f-001122334455"
        }]);
    });
    retire(&ready.cluster(), &ready.secret, &ready.preparation, soon()).await.unwrap();
    let written = ready.stored();
    let expected = scene::retired(&ready.object, &ready.preparation);
    for kept in ["labels", "annotations", "finalizers", "ownerReferences"] {
        assert_eq!(written["metadata"][kept], expected["metadata"][kept], "{kept}");
    }
}

#[tokio::test]
async fn a_concurrent_writer_makes_a_conflict_and_nothing_is_written_over_it() {
    let ready = Ready::new();
    let cluster = ready.cluster();
    let swap = cluster.prepare_swap(&ready.secret, &ready.preparation, soon()).await.unwrap();
    let Swap::Pending(pending) = swap else { panic!("nothing to write") };
    let mut touched = ready.object.clone();
    touched["metadata"]["labels"]["touched"] = "yes".into();
    let touched = ready.lab.replace(&touched);
    let error = cluster.commit_swap(pending, soon()).await.unwrap_err();
    assert_eq!(error, Error::Swap(ql3_ops::cluster::swap::Error::Overtaken));
    assert_eq!(error.code().exit, Exit::TryAgain);
    assert_eq!(ready.stored()["metadata"]["resourceVersion"], touched["metadata"]["resourceVersion"]);
}

#[tokio::test]
async fn the_loser_of_two_equal_runs_finds_the_winners_retirement() {
    let ready = Ready::new();
    let (one, two) = (ready.cluster(), ready.cluster());
    let swap = one.prepare_swap(&ready.secret, &ready.preparation, soon()).await.unwrap();
    let Swap::Pending(pending) = swap else { panic!("nothing to write") };
    let winner = retire(&two, &ready.secret, &ready.preparation, soon()).await.unwrap();
    let loser = one.commit_swap(pending, soon()).await.unwrap();
    assert_eq!((winner.how(), loser.how()), (How::Written, How::Found));
    assert_eq!(winner.into_absent(), loser.into_absent());
}

#[tokio::test]
async fn a_key_that_another_command_retired_is_a_conflict() {
    let ready = Ready::new();
    let other = scene::preparation(&scene::keyring(&ready.object), "old", "2", 1);
    let cluster = ready.cluster();
    retire(&cluster, &ready.secret, &other, soon()).await.unwrap();
    let error = retire(&cluster, &ready.secret, &ready.preparation, soon()).await.unwrap_err();
    assert_eq!(error.code().printed(), "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_CONFLICT");
}

#[tokio::test]
async fn a_recreated_secret_is_another_one() {
    let ready = Ready::new();
    ready.lab.kubectl(&["delete", "secret", lab::SECRET]);
    let mut fresh = ready.object.clone();
    fresh["metadata"]
        .as_object_mut()
        .unwrap()
        .retain(|name, _value| name != "uid" && name != "resourceVersion");
    ready.lab.create(&fresh);
    assert_eq!(ready.refusal().await, Error::Secret(secret::Error::Recreated));
}

type Change = fn(&mut Value);

#[tokio::test]
async fn a_secret_that_is_not_plainly_the_keyrings_is_refused() {
    let cases: [(Change, secret::Error); 3] = [
        (|object| object["immutable"] = true.into(), secret::Error::Immutable),
        (|object| object["data"]["extra"] = "AAAA".into(), secret::Error::Entries),
        (|object| object["metadata"]["annotations"][LAST_APPLIED] = "".into(), secret::Error::LastApplied),
    ];
    for (change, expected) in cases {
        let error = Ready::with(change).refusal().await;
        assert_eq!(error, Error::Secret(expected));
        assert_eq!(error.code().exit, Exit::Data);
    }
}

#[tokio::test]
async fn a_secret_that_is_being_deleted_is_refused() {
    let ready = Ready::with(|object| object["metadata"]["finalizers"] = json!(["example.org/hold"]));
    ready.lab.kubectl(&["delete", "secret", lab::SECRET, "--wait=false"]);
    assert_eq!(ready.refusal().await, Error::Secret(secret::Error::Deleting));
}

#[tokio::test]
async fn a_secret_that_is_not_there_is_absent() {
    let ready = Ready::new();
    ready.lab.kubectl(&["delete", "secret", lab::SECRET]);
    let error = ready.cluster().read(&ready.secret, soon()).await.map(|_observed| ()).unwrap_err();
    assert_eq!(error.code().exit, Exit::NoInput);
}

#[tokio::test]
async fn an_operators_kubeconfig_finds_the_uid_and_is_too_mighty_for_the_reviews() {
    let ready = Ready::new();
    let operator =
        Cluster::connect(&Authority::Kubeconfig { path: lab::kubeconfig(), context: None }).unwrap();
    let found =
        operator.find(&ready.secret.namespace, &ready.secret.name, scene::DATA_KEY, soon()).await.unwrap();
    assert_eq!(found.uid(), ready.secret.uid);
    let error = operator.review(&ready.secret, soon()).await.unwrap_err();
    assert!(matches!(error, Error::Review(review::Error::TooWide { .. })), "{error:?}");
}

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
