//! One connection at a time: shared, given up and ended without anybody waiting for anybody.

use std::net::TcpListener;
use std::time::Duration;

use ql3_ops::cluster::Authority;
use ql3_ops::cluster::Cluster;
use ql3_ops::cluster::Error;
use ql3_ops::cluster::ServiceEnv;
use ql3_ops::cluster::secret;
use ql3_ops::cluster::session;
use ql3_ops::exit::Exit;
use ql3_ops::time::Deadline;
use tokio::runtime::Handle;

use crate::support::apiserver::Http;
use crate::support::apiserver::Play;
use crate::support::apiserver::Server;
use crate::support::pki::Ca;
use crate::support::scene;
use crate::support::scene::Scene;
use crate::support::scene::soon;
use crate::support::store;
use crate::support::store::Store;

#[tokio::test]
async fn a_request_whose_time_is_up_waits_for_nobody_elses_dialling() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let scene = Scene::new(Http::Two, |_seen| Play::Stall);
    let port = Some(silent.local_addr().unwrap().port().to_string());
    let env = ServiceEnv { port: port.clone(), port_https: port, ..scene.env() };
    let cluster = Cluster::connect(&Authority::InCluster(env)).unwrap();
    let secret = scene::secret_ref(&scene::secret(&scene::two_keys()));
    let first = cluster.read(&secret, Deadline::after(Duration::from_millis(100)));
    tokio::select! {
        biased;
        first = tokio::time::timeout(Duration::from_secs(2), first) => {
            let error = first.expect("an end in time").map(|_observed| ()).unwrap_err();
            assert_eq!(error, Error::Secret(secret::Error::Api(session::Error::TimedOut)));
        }
        _ = cluster.read(&secret, soon()) => panic!("an end before the other's"),
    }
}

#[tokio::test]
async fn a_name_is_dialled_at_its_address_or_said_to_lead_nowhere() {
    let mut store = Store { object: scene::secret(&scene::two_keys()) };
    let secret = scene::secret_ref(&store.object);
    let ca = Ca::new("kubernetes");
    let server =
        Server::start(&ca.issue(&["localhost"]), Http::Two, move |seen| Play::Answer(store.answer(seen)));
    let scene = Scene::before(server, &ca.pem);
    for (host, expected) in [("localhost", Ok(())), ("no-such-host.invalid", Err(Exit::Unavailable))] {
        let env = ServiceEnv { host: Some(host.to_owned()), ..scene.env() };
        let cluster = Cluster::connect(&Authority::InCluster(env)).unwrap();
        let outcome = cluster.read(&secret, soon()).await.map(|_observed| ());
        assert_eq!(outcome.as_ref().copied().map_err(|error| error.code().exit), expected, "{outcome:?}");
        if let Err(error) = outcome {
            assert!(matches!(error, Error::Secret(secret::Error::Api(session::Error::Name(_)))), "{error:?}");
        }
    }
}

#[tokio::test]
async fn a_hang_up_leaves_the_other_requests_their_connection() {
    let mut store = Store { object: scene::secret(&scene::two_keys()) };
    let secret = scene::secret_ref(&store.object);
    let mut plays = [Play::Pause, Play::Half, Play::Answer].into_iter();
    let scene = Scene::new(Http::Two, move |seen| plays.next().unwrap()(store.answer(seen)));
    let cluster = scene.cluster();
    let (paused, (half, whole)) = tokio::join!(
        biased;
        cluster.read(&secret, Deadline::after(Duration::from_millis(500))),
        async { (cluster.read(&secret, soon()).await, cluster.read(&secret, soon()).await) },
    );
    let ends = [paused, half, whole].map(|end| end.map(|_observed| ()));
    let lost = |error| Err(Error::Secret(secret::Error::Api(error)));
    assert_eq!(ends, [lost(session::Error::TimedOut), lost(session::Error::Truncated), Ok(())]);
    let connections: Vec<_> = scene.server.seen().iter().map(|seen| seen.connection).collect();
    assert_eq!(connections, [0, 0, 1]);
}

#[tokio::test]
async fn the_ten_reviews_share_one_connection() {
    for http in [Http::One, Http::Two] {
        let scene = Scene::new(http, |seen| store::review(seen).into());
        let secret = scene::secret_ref(&scene::secret(&scene::two_keys()));
        scene.cluster().review(&secret, soon()).await.unwrap();
        let seen = scene.server.seen();
        assert_eq!(seen.len(), 10);
        assert!(seen.iter().all(|seen| seen.connection == 0), "{http:?}");
    }
}

#[tokio::test]
async fn no_task_outlives_the_cluster() {
    for http in [Http::One, Http::Two] {
        let scene = Scene::new(http, |_seen| Play::Freeze);
        let secret = scene::secret_ref(&scene::secret(&scene::two_keys()));
        let cluster = scene.cluster();
        let read = cluster.read(&secret, Deadline::after(Duration::from_millis(300))).await;
        assert!(read.is_err());
        let alive = || Handle::current().metrics().num_alive_tasks();
        assert!(alive() > 0, "{http:?}");
        drop(cluster);
        let ended = async {
            while alive() > 0 {
                tokio::task::yield_now().await;
            }
        };
        soon().bound(ended).await.expect("an end of every task");
    }
}
