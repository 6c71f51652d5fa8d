//! The crash table, first part: SIGKILL after each of the three writes, with its answer delivered or lost. The
//! second run settles, and one PUT was all.

use std::sync::mpsc;

use super::line;
use super::stores::Stop;
use super::stores::Stores;
use crate::support::program;
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
