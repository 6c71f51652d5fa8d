//! The re-check: a policy that goes away between the init container and the PUT stops the PUT.
//!
//! A stand-in for the policy: a port on loopback without a listener, which a control proof vouches for, and the
//! listener that comes back. Real rules are `make fence`'s business.

use std::net::TcpListener;
use std::process::Command;

use super::line;
use super::stores::Stop;
use super::stores::Stores;
use crate::support::canary::Canary;
use crate::support::program;
use crate::support::scene::Scene;

fn run(stores: &Stores, scene: &Scene, canary: &Canary) -> Command {
    let mut command = stores.run(scene, None);
    command.arg("--recheck-barrier").envs(canary.environment());
    command
}

#[tokio::test]
async fn with_the_policy_in_force_throughout_a_run_is_as_ever() {
    let (stores, canary) = (Stores::new().await, Canary::closed());
    let scene = stores.stand_in(|_method| Stop::Never);
    let ended = program::run(&mut run(&stores, &scene, &canary));
    assert_eq!(line(&ended.stdout)["status"], "completed", "{ended:?}");
    assert_eq!((scene.server.puts(), stores.rows().await), (1, (1, 1)));
}

#[tokio::test]
async fn without_the_policy_the_token_is_not_even_opened() {
    let (stores, canary) = (Stores::new().await, Canary::closed());
    let _open = TcpListener::bind(canary.deny()).unwrap();
    let scene = stores.stand_in(|_method| Stop::Never);
    // Whoever opened it would fail differently.
    std::fs::remove_file(scene.mount.path().join("token")).unwrap();
    let ended = program::run(&mut run(&stores, &scene, &canary));
    assert_eq!(ended.exit, Some(80), "{ended:?}");
    assert_eq!(line(&ended.stderr)["code"], "QL3_BARRIER_OPEN");
    assert_eq!((scene.server.seen().len(), stores.rows().await), (0, (0, 0)));
}

#[tokio::test]
async fn a_policy_that_goes_away_before_the_put_stops_it_and_the_next_run_settles() {
    let (stores, canary) = (Stores::new().await, Canary::closed());
    let (deny, mut gets, mut open) = (canary.deny(), 0, None);
    let scene = stores.stand_in(move |method| {
        gets += usize::from(method == "GET");
        // The last GET before the PUT.
        if gets == 3 && open.is_none() {
            open = Some(TcpListener::bind(deny).unwrap());
        }
        Stop::Never
    });
    let ended = program::run(&mut run(&stores, &scene, &canary));
    assert_eq!(ended.exit, Some(80), "{ended:?}");
    assert_eq!((scene.server.puts(), stores.rows().await), (0, (1, 0)));
    assert!(stores.retired().is_empty());
    // With the stand-in goes the listener.
    drop(scene);

    let scene = stores.stand_in(|_method| Stop::Never);
    let ended = program::run(&mut run(&stores, &scene, &canary));
    assert_eq!(line(&ended.stdout)["status"], "completed", "{ended:?}");
    assert_eq!((scene.server.puts(), stores.rows().await), (1, (1, 1)));
}

#[tokio::test]
async fn the_put_goes_over_a_connection_that_was_made_after_the_policy_was_seen() {
    let (stores, canary) = (Stores::new().await, Canary::closed());
    let scene = stores.stand_in(|_method| Stop::Never);
    let ended = program::run(&mut run(&stores, &scene, &canary));
    assert_eq!(ended.exit, Some(0), "{ended:?}");
    let seen = scene.server.seen();
    let put = seen.iter().find(|seen| seen.method == "PUT").unwrap().connection;
    assert!(seen.iter().filter(|seen| seen.method != "PUT").all(|seen| seen.connection != put));
}

#[tokio::test]
async fn a_dead_canary_stops_a_run_too() {
    let (stores, mut canary) = (Stores::new().await, Canary::closed());
    canary.kill();
    let scene = stores.stand_in(|_method| Stop::Never);
    let ended = program::run(&mut run(&stores, &scene, &canary));
    assert_eq!(ended.exit, Some(81), "{ended:?}");
    assert_eq!(line(&ended.stderr)["code"], "QL3_BARRIER_CANARY_DEAD");
    assert_eq!((scene.server.puts(), stores.rows().await), (0, (0, 0)));
}
