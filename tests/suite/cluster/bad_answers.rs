//! What answers is not the API server, or does not say what it should: each has an error of its own.

use std::time::Duration;

use http::StatusCode;
use ql3_ops::cluster::Error;
use ql3_ops::cluster::review;
use ql3_ops::cluster::secret;
use ql3_ops::cluster::session;
use ql3_ops::exit::Exit;
use ql3_ops::keyring::Preparation;
use ql3_ops::time::Deadline;
use ql3_ops::tls::refusal::Refusal;
use serde_json::Value;
use serde_json::json;

use super::retire;
use crate::support::apiserver::Answer;
use crate::support::apiserver::Http;
use crate::support::apiserver::Play;
use crate::support::apiserver::Seen;
use crate::support::apiserver::Server;
use crate::support::pki::Ca;
use crate::support::scene;
use crate::support::scene::Scene;
use crate::support::scene::soon;
use crate::support::store;
use crate::support::store::Store;
use crate::support::store::status;

type Is = fn(&session::Error) -> bool;

#[tokio::test]
async fn a_read_says_what_was_wrong_with_its_answer() {
    let html = Answer {
        status: 200,
        headers: vec![("content-type", "text/html".to_owned())],
        body: b"<p>".to_vec(),
    };
    let bare = Answer { status: 200, headers: vec![], body: b"{}".to_vec() };
    let doubled =
        Answer { body: br#"{"kind":"Secret","kind":"Secret"}"#.to_vec(), ..Answer::json(200, &json!(1)) };
    let deep = Answer { body: vec![b'['; 1_000_000], ..Answer::json(200, &json!(1)) };
    let list = Answer::json(200, &json!({ "kind": "SecretList", "items": [] }));
    let status_as_success = Answer::json(200, &json!({ "kind": "Status", "status": "Failure" }));
    let cases: Vec<(Play, Is, Exit)> = vec![
        (html.into(), |error| *error == session::Error::ContentType, Exit::Peer),
        (bare.into(), |error| *error == session::Error::ContentType, Exit::Peer),
        (doubled.into(), |error| matches!(error, session::Error::Json(_)), Exit::Peer),
        (deep.into(), |error| matches!(error, session::Error::Json(_)), Exit::Peer),
        (Answer::json(200, &json!([])).into(), is_kind, Exit::Peer),
        (list.into(), is_kind, Exit::Peer),
        (status_as_success.into(), is_kind, Exit::Peer),
        (Play::Endless, |error| matches!(error, session::Error::TooLarge { .. }), Exit::Peer),
        (
            Play::Half(Answer::json(200, &json!({ "kind": "Secret", "pad": "x".repeat(999) }))),
            |error| *error == session::Error::Truncated,
            Exit::Unavailable,
        ),
        (Play::Drop, |error| *error == session::Error::Lost, Exit::Unavailable),
        (Play::Stall, |error| *error == session::Error::TimedOut, Exit::Unavailable),
        (status(302).with("location", "/elsewhere").into(), |error| is_status(error, 302), Exit::Peer),
        (status(401).into(), |error| is_status(error, 401), Exit::Denied),
        (status(403).into(), |error| is_status(error, 403), Exit::Denied),
        (status(404).into(), |error| is_status(error, 404), Exit::NoInput),
        (status(410).into(), |error| is_status(error, 410), Exit::Config),
        (status(429).into(), |error| is_status(error, 429), Exit::Unavailable),
        (status(500).into(), |error| is_status(error, 500), Exit::Unavailable),
    ];
    for http in [Http::One, Http::Two] {
        for (number, (play, expected, exit)) in cases.iter().enumerate() {
            let (error, requests) = read(http, play.clone()).await;
            let Error::Secret(secret::Error::Api(inner)) = &error else { panic!("{error:?}") };
            assert!(expected(inner), "{inner:?} for case {number} over {http:?}");
            assert_eq!(error.code().exit, *exit, "case {number}");
            assert_eq!(error.code().printed(), "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_UNAVAILABLE");
            assert_eq!(
                requests, 1,
                "nothing is sent again and nothing is followed: case {number} over {http:?}"
            );
        }
    }
}

fn is_kind(error: &session::Error) -> bool {
    *error == session::Error::Kind { expected: "Secret" }
}

fn is_status(error: &session::Error, code: u16) -> bool {
    *error == session::Error::Status(StatusCode::from_u16(code).unwrap())
}

async fn read(http: Http, play: Play) -> (Error, usize) {
    let secret = scene::secret_ref(&scene::secret(&scene::two_keys()));
    let waits = matches!(play, Play::Stall);
    let scene = Scene::new(http, move |_seen| play.clone());
    let deadline = if waits { Deadline::after(Duration::from_millis(300)) } else { soon() };
    let read = scene.cluster().read(&secret, deadline).await;
    (read.map(|_observed| ()).unwrap_err(), scene.server.seen().len())
}

#[tokio::test]
async fn a_server_that_cannot_prove_itself_is_a_wrong_peer() {
    let (ours, other) = (Ca::new("kubernetes"), Ca::new("kubernetes"));
    let cases = [
        (ours.issue(&["10.0.0.1"]), Refusal::Name),
        (ours.issue_expired(&["127.0.0.1"]), Refusal::Expired),
        (other.issue(&["127.0.0.1"]), Refusal::Issuer),
    ];
    for (leaf, reason) in cases {
        let server = Server::start(&leaf, Http::Two, |_seen| panic!("a request before trust"));
        let scene = Scene::before(server, &ours.pem);
        let secret = scene::secret_ref(&scene::secret(&scene::two_keys()));
        let error = scene.cluster().read(&secret, soon()).await.map(|_observed| ()).unwrap_err();
        assert_eq!(error, Error::Secret(secret::Error::Api(session::Error::Tls(reason))));
        assert_eq!(error.code().exit, Exit::Peer);
    }
}

#[tokio::test]
async fn nobody_listening_is_unavailable() {
    let scene = Scene::new(Http::One, |_seen| Play::Stall);
    let cluster = scene.cluster();
    let secret = scene::secret_ref(&scene::secret(&scene::two_keys()));
    drop(scene);
    let error = cluster.read(&secret, soon()).await.map(|_observed| ()).unwrap_err();
    assert_eq!(error, Error::Secret(secret::Error::Api(session::Error::Unreachable)));
    assert_eq!(error.code().exit, Exit::Unavailable);
}

#[tokio::test]
async fn a_review_that_the_authorizer_could_not_work_out_is_unproven() {
    let error = reviewed(|seen| {
        let mut answer = store::review(seen);
        if seen.json()["spec"]["resourceAttributes"]["verb"] == "watch" {
            let mut review: Value = serde_json::from_slice(&answer.body).unwrap();
            review["status"]["evaluationError"] = "role \"x\" not found".into();
            answer = Answer::json(201, &review);
        }
        answer.into()
    })
    .await;
    let Error::Review(review::Error::Unproven { row }) = error else { panic!("{error:?}") };
    assert_eq!(row.to_string(), "watch secrets");
}

#[tokio::test]
async fn a_review_without_answer_names_its_row_and_keeps_the_references_name() {
    let error = reviewed(|seen| {
        let second = seen.json()["spec"]["resourceAttributes"]["verb"] == "update";
        if second { status(500).into() } else { store::review(seen).into() }
    })
    .await;
    assert_eq!((error.code().name, error.code().exit), ("Error", Exit::Unavailable));
    let Error::Review(review::Error::Api { row, .. }) = error else { panic!("{error:?}") };
    assert_eq!(row.to_string(), "update secrets (this one)");
}

async fn reviewed(script: impl FnMut(&Seen) -> Play + Send + 'static) -> Error {
    let scene = Scene::new(Http::Two, script);
    let secret = scene::secret_ref(&scene::secret(&scene::two_keys()));
    scene.cluster().review(&secret, soon()).await.unwrap_err()
}

#[tokio::test]
async fn a_webhook_that_puts_the_key_back_is_no_success() {
    swapped_for(|object, _preparation| object.clone()).await;
}

#[tokio::test]
async fn a_retirement_that_is_only_alike_is_no_success() {
    swapped_for(|object, preparation| scene::forged(&scene::retired(object, preparation), preparation)).await;
}

/// What is stored, and answered, is not what was sent.
async fn swapped_for(other: fn(&Value, &Preparation) -> Value) {
    let manifest = scene::two_keys();
    let preparation = scene::preparation(&manifest, "old", "1", 1);
    let object = scene::secret(&manifest);
    let secret = scene::secret_ref(&object);
    let other = other(&object, &preparation);
    let mut store = Store { object };
    let scene = Scene::new(Http::Two, move |seen| {
        if seen.method == "PUT" {
            store.write(other.clone());
            return Answer::json(200, &store.object).into();
        }
        store.answer(seen).into()
    });
    let error = retire(&scene.cluster(), &secret, &preparation, soon()).await.unwrap_err();
    assert_eq!(error, Error::Swap(ql3_ops::cluster::swap::Error::Altered));
    assert_eq!(error.code().exit, Exit::Config);
    assert_eq!(scene.server.trace(), ["GET", "PUT", "GET"]);
}
