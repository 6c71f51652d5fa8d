//! The crash table, first part: SIGKILL after each of the three writes, with its answer delivered or lost, and a
//! ledger that fails once the key is out. The second run settles, and one PUT was all.

use std::sync::Mutex;
use std::sync::mpsc;

use super::line;
use super::stores::Stop;
use super::stores::Stores;
use crate::support::artifact::artifact;
use crate::support::artifact::parents;
use crate::support::program;
use crate::support::program::Ended;
use crate::support::wire::Act;
use crate::support::wire::Rule;
use crate::support::wire::Side;
use crate::support::wire::Wire;

/// Where the first run is when it is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// The completion has committed and the run knows: it is about to end its session.
    Completed,
    /// The completion has committed; its answer never came.
    CompletedUnheard,
    /// The preparation has committed and the run knows: it is about to read the Secret again.
    Prepared,
    /// The preparation has committed; its answer never came.
    PreparedUnheard,
    /// The key is out and the run knows: it is about to open the second transaction.
    Swapped,
    /// The key is out of the Secret; the answer never came.
    SwappedUnheard,
}

#[tokio::test]
async fn the_second_run_settles_what_a_killed_run_left() {
    for (moment, rows, puts_before, status) in [
        (Moment::PreparedUnheard, (1, 0), 0, "completed"),
        (Moment::Prepared, (1, 0), 0, "completed"),
        (Moment::SwappedUnheard, (1, 0), 1, "completed"),
        (Moment::Swapped, (1, 0), 1, "completed"),
        (Moment::CompletedUnheard, (1, 1), 1, "existing"),
        (Moment::Completed, (1, 1), 1, "existing"),
    ] {
        let stores = Stores::new().await;
        let puts = killed_at(&stores, moment).await;
        assert_eq!((puts, stores.rows().await), (puts_before, rows), "{moment:?}");

        let scene = stores.stand_in(|_method| Stop::Never);
        let second = program::run(&mut stores.run(&scene, None));
        assert_eq!(second.exit, Some(0), "{moment:?}: {second:?}");
        assert_eq!(line(&second.stdout)["status"], status, "{moment:?}");
        assert_eq!(puts + scene.server.puts(), 1, "{moment:?}: one PUT over both runs");
        assert_eq!((stores.rows().await, stores.retired()), ((1, 1), vec!["old".to_owned()]), "{moment:?}");
    }
}

/// What befalls the ledger between the swap and its completion, how the run ends, and how the next one does once the
/// fault is mended.
#[tokio::test]
async fn once_the_key_is_out_no_exit_says_that_nothing_happened() {
    const COMPLETIONS: &str = "ql3_ai.model_invocation_prompt_output_key_retirement_completions";
    let revoke = format!("REVOKE INSERT ON {COMPLETIONS} FROM ql3_ai_maintenance");
    let grant = format!("GRANT INSERT ON {COMPLETIONS} TO ql3_ai_maintenance");
    let hide = format!("ALTER TABLE {COMPLETIONS} RENAME TO hidden");
    let show =
        "ALTER TABLE ql3_ai.hidden RENAME TO model_invocation_prompt_output_key_retirement_completions";
    for (fault, mended) in [(revoke, grant), (hide, show.to_owned())] {
        let stores = Stores::new().await;
        let ended = run_with_fault(&stores, &fault).await;
        assert_eq!(ended.exit, Some(82), "{fault}: {ended:?}");
        assert_eq!(stores.retired(), ["old"], "{fault}");
        stores.database.admin().await.batch_execute(&mended).await.unwrap();
        assert_eq!(stores.rows().await, (1, 0), "{fault}");
        let scene = stores.stand_in(|_method| Stop::Never);
        let second = program::run(&mut stores.run(&scene, None));
        assert_eq!(line(&second.stdout)["status"], "completed", "{fault}");
        assert_eq!(scene.server.puts(), 0, "{fault}");
    }

    // A ciphertext that somebody wrote past the fence: nothing heals that, and nobody is told to try again.
    let stores = Stores::new().await;
    parents(&stores.database.admin().await, 1).await;
    let ended = run_with_fault(&stores, &artifact(1, "old", "project", 1)).await;
    assert_eq!((ended.exit, stores.rows().await), (Some(65), (1, 0)), "{ended:?}");
    assert_eq!(line(&ended.stderr)["code"], "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_CONFLICT");
}

/// A run during which the statement is executed, as a superuser, after the PUT was acted on and before its answer.
async fn run_with_fault(stores: &Stores, fault: &str) -> Ended {
    let (swapped, at_swap) = mpsc::channel();
    let (go, gone) = mpsc::channel::<()>();
    let gone = Mutex::new(gone);
    let scene = stores.stand_in(move |method| {
        if method == "PUT" {
            swapped.send(()).unwrap();
            gone.lock().unwrap().recv().unwrap();
        }
        Stop::Never
    });
    let child = stores.run(&scene, None).spawn().unwrap();
    tokio::task::spawn_blocking(move || at_swap.recv()).await.unwrap().expect("the run swaps");
    stores.database.admin().await.batch_execute(fault).await.unwrap();
    go.send(()).unwrap();
    tokio::task::spawn_blocking(move || program::wait(child)).await.unwrap()
}

/// Starts a run, kills it at the moment, and returns the number of PUTs that were seen.
async fn killed_at(stores: &Stores, moment: Moment) -> usize {
    let wire = Wire::start(&stores.database.server, rules(moment)).await;
    let (stopped, at_stop) = mpsc::channel();
    let mut gets = 0;
    let scene = stores.stand_in(move |method| {
        gets += usize::from(method == "GET");
        let unheard = matches!(moment, Moment::SwappedUnheard) && method == "PUT";
        let heard = matches!(moment, Moment::Prepared) && method == "GET" && gets == 2;
        let stop = match (unheard, heard) {
            (true, _) => Stop::AfterActing,
            (_, true) => Stop::BeforeActing,
            (false, false) => return Stop::Never,
        };
        stopped.send(()).unwrap();
        stop
    });
    let mut child = stores.run(&scene, Some(wire.port)).spawn().unwrap();
    match moment {
        Moment::Prepared | Moment::SwappedUnheard => {
            let waited = tokio::task::spawn_blocking(move || at_stop.recv()).await.unwrap();
            waited.expect("the run reaches the moment");
        }
        Moment::Completed | Moment::CompletedUnheard | Moment::PreparedUnheard | Moment::Swapped => {
            wire.fired_times(1 + passed(moment)).await;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    scene.server.puts()
}

/// Where the wire stops. What stands before the stop is passed on.
fn rules(moment: Moment) -> Vec<Rule> {
    let (side, kind, text) = match moment {
        Moment::Completed => (Side::Client, b'X', ""),
        Moment::CompletedUnheard | Moment::PreparedUnheard => (Side::Server, b'C', "COMMIT"),
        Moment::Swapped => (Side::Client, b'Q', "BEGIN"),
        Moment::Prepared | Moment::SwappedUnheard => return Vec::new(),
    };
    let pass = Rule { side, kind, text, act: Act::Precede(Vec::new()) };
    let stop = Rule { act: Act::Stall, ..pass.clone() };
    (0..passed(moment)).map(|_| pass.clone()).chain([stop]).collect()
}

/// How many messages of the kind come before the one that matters.
fn passed(moment: Moment) -> u32 {
    match moment {
        Moment::CompletedUnheard | Moment::Swapped => 1,
        Moment::Completed | Moment::Prepared | Moment::PreparedUnheard | Moment::SwappedUnheard => 0,
    }
}
