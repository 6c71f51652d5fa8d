//! Every request of one run and of its replay, byte for byte where bytes count.

use std::sync::Arc;
use std::sync::Mutex;

use ql3_ops::cluster::How;
use ql3_ops::cluster::Swap;
use serde_json::Value;

use super::Sheet;
use super::secret_validation::address;
use crate::support::apiserver::Http;
use crate::support::apiserver::Seen;
use crate::support::scene;
use crate::support::scene::Scene;
use crate::support::scene::soon;
use crate::support::store::Store;

pub(crate) fn run(sheet: &mut Sheet) {
    let secret = address(&sheet.take("options"));
    let exchanges = sheet.cases("exchanges");
    let initial = sheet.take("initialSecret");
    let preparation =
        scene::preparation(&scene::keyring(&initial), "cluster-key-old", "live-1", 1_785_715_200_000);
    let store = Arc::new(Mutex::new(Store { object: initial }));
    let held = Arc::clone(&store);
    let scene = Scene::new(Http::One, move |seen| held.lock().unwrap().answer(seen).into());

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let cluster = scene.cluster();
        cluster.review(&secret, soon()).await.unwrap();
        cluster.read(&secret, soon()).await.unwrap();
        cluster.read(&secret, soon()).await.unwrap();
        let Swap::Pending(pending) = cluster.prepare_swap(&secret, &preparation, soon()).await.unwrap()
        else {
            panic!("nothing to write");
        };
        assert_eq!(cluster.commit_swap(pending, soon()).await.unwrap().how(), How::Written);
        cluster.read(&secret, soon()).await.unwrap();
    });

    let seen = scene.server.seen();
    assert_eq!(seen.len(), exchanges.len());
    for (seen, expected) in seen.iter().zip(&exchanges) {
        assert_eq!(seen.method, expected["method"]);
        assert_eq!(seen.target, expected["url"]);
        assert_headers(seen, &expected["headers"]);
        assert_eq!(seen.json(), plain_times(&expected["requestBody"]), "step {}", expected["step"]);
        assert_eq!(seen.connection, 0, "one connection serves the whole run");
    }
    assert_eq!(store.lock().unwrap().object, plain_times(&sheet.take("finalSecret")));
}

fn assert_headers(seen: &Seen, expected: &Value) {
    assert_eq!(seen.header("accept"), expected["accept"].as_str());
    assert_eq!(seen.header("content-type"), expected["content-type"].as_str());
    assert_eq!(seen.header("authorization"), Some("Bearer the-token"));
    assert_eq!(expected["authorization"], "Bearer <token file content>");
    let known = ["accept", "authorization", "content-length", "content-type", "host", "user-agent"];
    for (name, _value) in &seen.headers {
        assert!(known.contains(&name.as_str()), "{name}");
    }
    assert_eq!(seen.header("user-agent"), Some(concat!("ql3-ops/", env!("CARGO_PKG_VERSION"))));
}

/// The recorded client writes times with milliseconds; sending them back as read is as good.
fn plain_times(value: &Value) -> Value {
    serde_json::from_str(&value.to_string().replace(".000Z\"", "Z\"")).unwrap()
}
