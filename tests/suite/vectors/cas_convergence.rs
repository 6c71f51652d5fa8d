//! One retirement against a scripted API: how it ends and which requests it takes, over both versions of HTTP.

use std::sync::Arc;
use std::sync::Mutex;

use ql3_ops::cluster::Error;
use ql3_ops::cluster::SecretRef;
use ql3_ops::cluster::Swap;
use ql3_ops::cluster::Swapped;
use ql3_ops::keyring::Absent;
use ql3_ops::keyring::Preparation;
use ql3_ops::keyring::State;
use serde_json::Value;

use super::Sheet;
use super::secret_validation::assert_code;
use crate::cluster::retire;
use crate::support::apiserver::Answer;
use crate::support::apiserver::Http;
use crate::support::apiserver::Play;
use crate::support::apiserver::Seen;
use crate::support::scene;
use crate::support::scene::Scene;
use crate::support::scene::soon;
use crate::support::store::Store;
use crate::support::store::status;

pub(crate) fn run(sheet: &mut Sheet) {
    let start = sheet.take("startSecret");
    let cases = sheet.cases("cases");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for case in &cases {
        for http in [Http::One, Http::Two] {
            let fixture = Fixture::new(start.clone());
            if case["name"] == "two-concurrent-exact-commands" {
                runtime.block_on(two_commands(&fixture, http, case));
            } else {
                runtime.block_on(one_command(&fixture, http, case));
            }
        }
    }
}

struct Fixture {
    start: Value,
    secret: SecretRef,
    preparation: Preparation,
}

impl Fixture {
    fn new(start: Value) -> Self {
        let preparation = scene::preparation(&scene::keyring(&start), "cluster-key-old", "1", 1000);
        Self { secret: scene::secret_ref(&start), preparation, start }
    }

    fn retired(&self) -> Value {
        scene::retired(&self.start, &self.preparation)
    }

    fn retired_by_another(&self) -> Value {
        let other = scene::preparation(&scene::keyring(&self.start), "cluster-key-old", "2", 1000);
        scene::retired(&self.start, &other)
    }

    /// One more key and the next generation, as a rotation leaves it.
    fn rotated(&self) -> Value {
        let added = format!("\",\"cluster-key-zzz\":\"{}\"}},\"retirements\"", "A".repeat(43));
        scene::edited(&self.start, |text| {
            text.replace("\"generation\":2", "\"generation\":3").replace("\"},\"retirements\"", &added)
        })
    }

    /// What the server does, by the name of the case.
    fn script(&self, name: &str) -> impl FnMut(&Seen) -> Play + Send + use<> {
        let mut store = Store { object: self.start.clone() };
        let mut winner = self.start.clone();
        match name {
            "already-retired" => store.object = self.retired(),
            "already-retired-by-other-command" => store.object = self.retired_by_another(),
            "409-winner-exact" => winner = self.retired(),
            "409-winner-unretired-same-catalog" => winner["metadata"]["labels"]["touched"] = "yes".into(),
            "409-winner-rotated" => winner = self.rotated(),
            "409-winner-same-preparation-other-catalog" => {
                winner = scene::forged(&self.retired(), &self.preparation);
            }
            "409-recreated-uid" => winner["metadata"]["uid"] = "another".into(),
            "lost-response-other-command-won" => winner = self.retired_by_another(),
            _ => {}
        }
        let name = name.to_owned();
        let mut wrote = false;
        move |seen| {
            if seen.method == "GET" {
                let fails = name == "first-get-network-error" || wrote && name.ends_with("reread-fails");
                return if fails { Play::Drop } else { store.answer(seen).into() };
            }
            wrote = true;
            put(&name, &mut store, &winner, seen)
        }
    }
}

fn put(name: &str, store: &mut Store, winner: &Value, seen: &Seen) -> Play {
    if let Some(code) = name.strip_prefix("put-") {
        return status(code.parse().unwrap()).into();
    }
    match name {
        "success" => store.answer(seen).into(),
        "lost-response-applied" => {
            store.answer(seen);
            Play::Drop
        }
        "lost-response-other-command-won" => {
            store.write(winner.clone());
            Play::Drop
        }
        "lost-response-not-applied" | "lost-response-reread-fails" => Play::Drop,
        "200-response-malformed-not-applied" => {
            Answer { body: b"{\"kind\":".to_vec(), ..Answer::json(200, &Value::Null) }.into()
        }
        "200-response-different-state" => {
            let mut shown = store.object.clone();
            shown["metadata"]["resourceVersion"] = "2".into();
            Answer::json(200, &shown).into()
        }
        _ if name.starts_with("409-") => {
            store.write(winner.clone());
            status(409).into()
        }
        other => panic!("no script for {other}"),
    }
}

async fn one_command(fixture: &Fixture, http: Http, case: &Value) {
    let name = case["name"].as_str().unwrap();
    let scene = Scene::new(http, fixture.script(name));
    let ended = retire(&scene.cluster(), &fixture.secret, &fixture.preparation, soon()).await;
    assert_ended(ended.map(Swapped::into_absent), case);
    assert_eq!(Value::from(scene.server.trace()), case["apiTrace"], "{name}");
}

async fn two_commands(fixture: &Fixture, http: Http, case: &Value) {
    let store = Arc::new(Mutex::new(Store { object: fixture.start.clone() }));
    let held = Arc::clone(&store);
    let scene = Scene::new(http, move |seen| held.lock().unwrap().answer(seen).into());
    let (one, two) = (scene.cluster(), scene.cluster());
    let mut pending = Vec::new();
    for cluster in [&one, &two] {
        match cluster.prepare_swap(&fixture.secret, &fixture.preparation, soon()).await.unwrap() {
            Swap::Pending(swap) => pending.push(swap),
            Swap::Settled(_) => panic!("settled before any write"),
        }
    }
    let second = two.commit_swap(pending.pop().unwrap(), soon()).await;
    let first = one.commit_swap(pending.pop().unwrap(), soon()).await;
    let [first, second] = [first, second].map(|ended| ended.map(Swapped::into_absent));
    let equal = first.as_ref().unwrap() == second.as_ref().unwrap();
    assert_eq!(equal, case["bothEqual"]);
    assert_ended(first, case);
    assert_ended(second, case);
    assert_eq!(scene.server.puts(), case["puts"]);
    assert_eq!(store.lock().unwrap().version(), 2, "one write took effect");
}

fn assert_ended(ended: Result<Absent, Error>, case: &Value) {
    match ended {
        Ok(absent) => {
            let state = State::Absent(absent);
            assert_eq!(case["result"], "ok", "{}", case["name"]);
            assert_eq!(serde_json::to_value(state).unwrap(), case["state"], "{}", case["name"]);
        }
        Err(error) => assert_code(&error, case),
    }
}
