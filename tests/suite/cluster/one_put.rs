//! At most one PUT leaves, whatever the server does about it.

use std::time::Duration;

use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use kube::Client;
use kube::Config;
use kube::api::PostParams;
use ql3_ops::cluster::Cluster;
use ql3_ops::cluster::How;
use ql3_ops::cluster::Pending;
use ql3_ops::cluster::SecretRef;
use ql3_ops::cluster::Swap;
use ql3_ops::exit::Exit;
use ql3_ops::keyring::Preparation;
use ql3_ops::time::Deadline;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use super::retire;
use crate::support::apiserver::Answer;
use crate::support::apiserver::Http;
use crate::support::apiserver::Play;
use crate::support::apiserver::Seen;
use crate::support::apiserver::Server;
use crate::support::pki::Ca;
use crate::support::scene;
use crate::support::scene::Scene;
use crate::support::store::Store;
use crate::support::store::status;

/// What happens to the PUT, and how the attempt must end.
struct Cell {
    name: &'static str,
    fault: Fault,
    ends: Result<How, Exit>,
}

type Fault = fn(&mut Store, &Seen) -> Play;

const CELLS: &[Cell] = &[
    Cell { name: "408", fault: |_, _| busy(408), ends: Err(Exit::Unsettled) },
    Cell {
        name: "408 after acting",
        fault: |store, seen| after_acting(store, seen, busy(408)),
        ends: Err(Exit::Unsettled),
    },
    Cell { name: "429", fault: |_, _| busy(429), ends: Err(Exit::Unavailable) },
    Cell { name: "503", fault: |_, _| busy(503), ends: Err(Exit::Unsettled) },
    Cell { name: "504", fault: |_, _| busy(504), ends: Err(Exit::Unsettled) },
    Cell {
        name: "504 after acting",
        fault: |store, seen| after_acting(store, seen, busy(504)),
        ends: Err(Exit::Unsettled),
    },
    Cell { name: "no known status", fault: |_, _| busy(600), ends: Err(Exit::Unsettled) },
    Cell { name: "redirect", fault: |_, _| redirect(), ends: Err(Exit::Peer) },
    Cell { name: "403", fault: |_, _| status(403).into(), ends: Err(Exit::Denied) },
    Cell { name: "422", fault: |_, _| status(422).into(), ends: Err(Exit::Config) },
    Cell { name: "reset before acting", fault: |_, _| Play::Drop, ends: Err(Exit::Unsettled) },
    Cell {
        name: "reset after acting",
        fault: |store, seen| after_acting(store, seen, Play::Drop),
        ends: Ok(How::Found),
    },
    Cell { name: "half a body", fault: |store, seen| Play::Half(store.answer(seen)), ends: Ok(How::Found) },
    Cell { name: "stall before acting", fault: |_, _| Play::Stall, ends: Err(Exit::Unsettled) },
    Cell {
        name: "stall after acting",
        fault: |store, seen| after_acting(store, seen, Play::Stall),
        ends: Ok(How::Found),
    },
    Cell {
        name: "connection freezes after acting",
        fault: |store, seen| after_acting(store, seen, Play::Freeze),
        ends: Ok(How::Found),
    },
    Cell { name: "endless body", fault: |_, _| Play::Endless, ends: Err(Exit::Unsettled) },
    Cell { name: "stream refused", fault: |_, _| Play::RefuseStream, ends: Err(Exit::Unsettled) },
    Cell {
        name: "good, then closed",
        fault: |store, seen| Play::AnswerAndLeave(store.answer(seen)),
        ends: Ok(How::Written),
    },
];

/// The server stores the object, and its answer is another.
fn after_acting(store: &mut Store, seen: &Seen, play: Play) -> Play {
    store.answer(seen);
    play
}

fn busy(code: u16) -> Play {
    status(code).with("retry-after", "0").into()
}

fn redirect() -> Play {
    status(307).with("location", "/api/v1/namespaces/qinglong/secrets/ql3-prompt-output-keyring").into()
}

#[tokio::test]
async fn one_attempt_sends_one_put_whatever_happens_to_it() {
    for http in [Http::One, Http::Two] {
        for cell in CELLS {
            let attempt = Attempt::new(http, cell.fault, Store::answer_play);
            let ended = retire(&attempt.cluster, &attempt.secret, &attempt.preparation, short()).await;
            let ended = ended.map(|swapped| swapped.how()).map_err(|error| error.code().exit);
            assert_eq!(attempt.scene.server.puts(), 1, "{} over {http:?}", cell.name);
            assert_eq!(ended, cell.ends, "{} over {http:?}", cell.name);
        }
    }
}

/// What was answered to a PUT that the look cannot explain.
const UNEXPLAINED: &[(&str, Fault)] = &[
    ("another keyring stored and shown, then no answer", |store, _| {
        store.write(store.object.clone());
        Answer::json(200, &store.object).into()
    }),
    ("409, then no answer", |store, _| {
        store.write(store.object.clone());
        status(409).into()
    }),
    ("another keyring shown and nothing stored", |store, _| Answer::json(200, &store.object).into()),
];

#[tokio::test]
async fn a_put_that_nothing_settles_is_unsettled() {
    for http in [Http::One, Http::Two] {
        for (name, fault) in UNEXPLAINED {
            let attempt = Attempt::new(http, *fault, |store, seen| {
                if store.version() == 1 { store.answer(seen).into() } else { Play::Drop }
            });
            let ended = retire(&attempt.cluster, &attempt.secret, &attempt.preparation, short()).await;
            assert_eq!(
                ended.map_err(|error| error.code().exit),
                Err(Exit::Unsettled),
                "{name} over {http:?}"
            );
            assert_eq!(attempt.scene.server.trace(), ["GET", "PUT", "GET"], "{name} over {http:?}");
        }
    }
}

#[tokio::test]
async fn a_connection_that_closes_while_idle_is_replaced_before_the_put() {
    for http in [Http::One, Http::Two] {
        let attempt =
            Attempt::new(http, Store::answer_play, |store, seen| Play::AnswerAndLeave(store.answer(seen)));
        let pending = attempt.prepare().await;
        attempt.scene.server.hung_up().await;
        let ended = attempt.cluster.commit_swap(pending, short()).await;
        assert_eq!(ended.map(|swapped| swapped.how()), Ok(How::Written), "{http:?}");
        assert_eq!(attempt.scene.server.puts(), 1, "{http:?}");
    }
}

#[tokio::test]
async fn a_put_that_cannot_leave_is_no_put_and_says_so() {
    let attempt = Attempt::new(Http::One, Store::answer_play, Store::answer_play);
    let pending = attempt.prepare().await;
    let Attempt { scene, cluster, .. } = attempt;
    // The server goes away between reading and writing.
    drop(scene);
    let error = cluster.commit_swap(pending, short()).await.unwrap_err();
    assert_eq!(error.code().exit, Exit::Unavailable, "{error:?}");
}

#[tokio::test]
async fn a_put_whose_time_is_up_is_not_begun() {
    let attempt = Attempt::new(Http::Two, Store::answer_play, Store::answer_play);
    let pending = attempt.prepare().await;
    let error = attempt.cluster.commit_swap(pending, Deadline::after(Duration::ZERO)).await.unwrap_err();
    assert_eq!((error.code().exit, attempt.scene.server.puts()), (Exit::TryAgain, 0), "{error:?}");
}

#[tokio::test]
async fn kubes_default_client_sends_the_put_again() {
    let _installed = rustls::crypto::ring::default_provider().install_default();
    let ca = Ca::new("kubernetes");
    let mut store = Store { object: scene::secret(&scene::two_keys()) };
    let object: Secret = serde_json::from_value(store.object.clone()).unwrap();
    let mut puts = 0;
    let server = Server::start(&ca.issue(&["127.0.0.1"]), Http::Two, move |seen| {
        puts += 1;
        if puts == 1 { busy(503) } else { store.answer(seen).into() }
    });
    let mut config = Config::new(format!("https://{}", server.address).parse().unwrap());
    config.root_cert = Some(vec![CertificateDer::from_pem_slice(ca.pem.as_bytes()).unwrap().to_vec()]);
    let secrets: Api<Secret> = Api::namespaced(Client::try_from(config).unwrap(), "qinglong");
    secrets.replace("ql3-prompt-output-keyring", &PostParams::default(), &object).await.unwrap();
    assert_eq!(server.puts(), 2, "if this is 1, the cells above prove nothing about retry layers");
}

/// One retirement, with a fault for the PUT and one for each GET.
struct Attempt {
    scene: Scene,
    cluster: Cluster,
    secret: SecretRef,
    preparation: Preparation,
}

impl Attempt {
    fn new(http: Http, put: Fault, get: Fault) -> Self {
        let manifest = scene::two_keys();
        let object = scene::secret(&manifest);
        let mut store = Store { object: object.clone() };
        let scene = Scene::new(http, move |seen| match seen.method.as_str() {
            "GET" => get(&mut store, seen),
            _ => put(&mut store, seen),
        });
        let preparation = scene::preparation(&manifest, "old", "1", 1);
        Self { cluster: scene.cluster(), scene, secret: scene::secret_ref(&object), preparation }
    }

    async fn prepare(&self) -> Pending {
        match self.cluster.prepare_swap(&self.secret, &self.preparation, short()).await.unwrap() {
            Swap::Pending(pending) => pending,
            Swap::Settled(_) => panic!("nothing to write"),
        }
    }
}

impl Store {
    fn answer_play(&mut self, seen: &Seen) -> Play {
        let answer: Answer = self.answer(seen);
        answer.into()
    }
}

/// Half of it is what a stalled PUT costs.
fn short() -> Deadline {
    Deadline::after(Duration::from_millis(1500))
}
