//! SIGTERM at every step, as an ordinary process and as PID 1, for which a signal without a handler does not exist.

use std::io::BufRead;
use std::io::BufReader;
use std::process::Child;
use std::process::Command;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::mpsc;

use rustix::process::Pid;
use rustix::process::Signal;
use serde_json::Value;

use super::line;
use super::stores::Stop;
use super::stores::Stores;
use crate::support::program;
use crate::support::program::Ended;
use crate::support::scene::Scene;
use crate::support::wire::Act;
use crate::support::wire::Rule;
use crate::support::wire::Side;
use crate::support::wire::Wire;

/// How the process stands in its namespace.
#[derive(Clone, Copy, Debug)]
enum Birth {
    First,
    Ordinary,
}

/// Which request the signal comes at, counted by method.
const BEFORE_THE_SWAP: [(&str, usize, (i64, i64)); 4] =
    [("POST", 1, (0, 0)), ("GET", 1, (0, 0)), ("GET", 2, (1, 0)), ("GET", 3, (1, 0))];

#[tokio::test]
async fn before_the_swap_a_signal_ends_the_run_with_75_and_nothing_half_done() {
    for birth in [Birth::Ordinary, Birth::First] {
        for (method, number, rows) in BEFORE_THE_SWAP {
            let stores = Stores::new().await;
            let ended = signalled_at(&stores, birth, method, number, Stop::BeforeActing).await;
            let at = format!("{birth:?} {method} {number}: {ended:?}");
            assert_eq!(ended.exit, Some(75), "{at}");
            assert!(line(&ended.stderr)["code"] == "QL3_RETIREMENT_STOPPED", "{at}");
            assert_eq!((stores.rows().await, stores.retired()), (rows, Vec::new()), "{at}");
            let words: Value = serde_json::from_slice(&std::fs::read(words(&stores)).unwrap()).unwrap();
            assert_eq!(
                (&words["exit"], &words["code"]),
                (&"TryAgain".into(), &"QL3_RETIREMENT_STOPPED".into()),
                "{at}"
            );
        }
    }
}

#[tokio::test]
async fn after_the_swap_was_sent_the_run_finds_out_what_became_of_it() {
    for birth in [Birth::Ordinary, Birth::First] {
        let stores = Stores::new().await;
        let ended = signalled_at(&stores, birth, "PUT", 1, Stop::Never).await;
        assert_eq!(ended.exit, Some(0), "{birth:?}: {ended:?}");
        assert_eq!((stores.rows().await, stores.retired()), ((1, 1), vec!["old".to_owned()]), "{birth:?}");
    }
}

#[tokio::test]
async fn a_signal_while_the_preparation_commits_leaves_what_the_next_run_goes_on_from() {
    let stores = Stores::new().await;
    let at_commit = Rule { side: Side::Server, kind: b'C', text: "COMMIT", act: Act::Stall };
    let wire = Wire::start(&stores.database.server, vec![at_commit]).await;
    let scene = stores.stand_in(|_method| Stop::Never);
    let child = stores.run(&scene, Some(wire.port)).spawn().unwrap();
    wire.fired().await;
    terminate(pid(&child, Birth::Ordinary));
    let ended = program::wait(child);
    assert_eq!((ended.exit, stores.rows().await, scene.server.puts()), (Some(75), (1, 0), 0), "{ended:?}");
    let second = program::run(&mut stores.run(&scene, None));
    assert_eq!(line(&second.stdout)["status"], "completed");
}

#[tokio::test]
async fn a_deadline_that_passes_ends_the_run_with_what_it_had_done() {
    // The least deadline there is; a request may take as long, so the two end together.
    let with_deadline = |stores: &Stores, scene: &Scene| {
        program::run(stores.run(scene, None).args(["--deadline-seconds", "10"]))
    };
    let stores = Stores::new().await;
    let mut gets = 0;
    let scene = stores.stand_in(move |method| {
        gets += usize::from(method == "GET");
        if gets == 2 { Stop::BeforeActing } else { Stop::Never }
    });
    let ended = with_deadline(&stores, &scene);
    assert!(matches!(ended.exit, Some(69 | 75)), "nothing was swapped: {ended:?}");
    assert_eq!((stores.rows().await, scene.server.puts()), ((1, 0), 0));

    let stores = Stores::new().await;
    let mut swapped = false;
    let scene = stores.stand_in(move |method| {
        swapped |= method == "PUT";
        if swapped { Stop::AfterActing } else { Stop::Never }
    });
    let ended = with_deadline(&stores, &scene);
    assert_eq!(ended.exit, Some(82), "the swap was sent and nobody answered: {ended:?}");
    assert_eq!((stores.rows().await, stores.retired()), ((1, 0), vec!["old".to_owned()]));
}

#[tokio::test]
async fn a_second_signal_ends_the_search_for_a_lost_answer_with_82() {
    let stores = Stores::new().await;
    let (arrived, at_arrival) = mpsc::channel();
    let mut swapped = false;
    let scene = stores.stand_in(move |method| {
        if method == "PUT" {
            swapped = true;
            arrived.send(()).unwrap();
        }
        if swapped { Stop::AfterActing } else { Stop::Never }
    });
    let mut child = stores.run(&scene, None).args(["--log-level", "info"]).spawn().unwrap();
    tokio::task::spawn_blocking(move || at_arrival.recv()).await.unwrap().expect("the PUT arrives");
    terminate(child.id());
    // Two signals at once are one: the second waits until the first was heard.
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(log.any(|line| line.unwrap().contains("told to stop")), "the first signal is heard");
    terminate(child.id());
    let rest: Vec<String> = log.map(Result::unwrap).collect();
    assert_eq!(child.wait().unwrap().code(), Some(82), "{rest:?}");
    assert!(rest.last().unwrap().contains("KEY_RETIREMENT_UNAVAILABLE"), "{rest:?}");

    let scene = stores.stand_in(|_method| Stop::Never);
    assert_eq!(line(&program::run(&mut stores.run(&scene, None)).stdout)["status"], "completed");
}

/// Starts a run and sends SIGTERM while the stand-in has the given request; with [`Stop::Never`] it is answered
/// after the signal.
async fn signalled_at(
    stores: &Stores,
    birth: Birth,
    method: &'static str,
    number: usize,
    then: Stop,
) -> Ended {
    let (arrived, at_arrival) = mpsc::channel();
    let (go, gone) = mpsc::channel::<()>();
    let gone = Arc::new(Mutex::new(gone));
    let mut seen = 0;
    let mut then = Some(then);
    let scene = stores.stand_in(move |found| {
        seen += usize::from(found == method);
        if found != method || seen != number {
            return Stop::Never;
        }
        arrived.send(()).unwrap();
        gone.lock().unwrap().recv().unwrap();
        then.take().unwrap()
    });
    let mut run = stores.run(&scene, None);
    run.arg("--termination-message").arg(words(stores));
    let child = match birth {
        Birth::Ordinary => run.spawn().unwrap(),
        Birth::First => as_first(&run).spawn().unwrap(),
    };
    tokio::task::spawn_blocking(move || at_arrival.recv()).await.unwrap().expect("the request arrives");
    terminate(pid(&child, birth));
    go.send(()).unwrap();
    tokio::task::spawn_blocking(move || program::wait(child)).await.unwrap()
}

fn words(stores: &Stores) -> std::path::PathBuf {
    stores.directory.path().join("words")
}

/// The same command as PID 1 of a namespace of its own.
fn as_first(run: &Command) -> Command {
    let mut first = Command::new("unshare");
    if !rustix::process::geteuid().is_root() {
        first.args(["--user", "--map-root-user"]);
    }
    first.args(["--pid", "--fork", "--kill-child"]).arg(run.get_program()).args(run.get_args());
    first.env_clear().envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
    first.env("PATH", "/usr/bin:/bin").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    first
}

fn pid(child: &Child, birth: Birth) -> u32 {
    match birth {
        Birth::Ordinary => child.id(),
        Birth::First => {
            let children = format!("/proc/{0}/task/{0}/children", child.id());
            std::fs::read_to_string(children).unwrap().trim().parse().expect("one child")
        }
    }
}

fn terminate(pid: u32) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, Signal::TERM).unwrap();
}
