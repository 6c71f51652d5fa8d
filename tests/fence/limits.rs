//! What the twin alone cannot see, and the control proof does: a deny port that is closed to everybody.
//!
//! These rows are no sabotages: that the barrier passes in them is written in docs/barrier.md. Each row shows
//! that the proof which would be wanted there cannot be had.

use super::Result;
use super::family::Family;
use super::net::Place;
use super::program::Verdict;
use super::rules;
use super::rules::DENY;
use super::say;
use super::scene::Scene;
use super::tally::Tally;

pub(crate) fn run() -> Result<Tally> {
    let mut tally = Tally::default();
    let rows: [(&str, Place, &str); 3] = [
        (
            "the canary's own host refuses the deny port",
            Place::Server,
            "-A INPUT -p tcp --dport 9443 -j REJECT",
        ),
        ("the canary's own host drops the deny port", Place::Server, "-A INPUT -p tcp --dport 9443 -j DROP"),
        (
            "the node refuses the deny port to everybody",
            Place::Node,
            "-A FORWARD -p tcp --dport 9443 -j REJECT",
        ),
    ];
    for (name, place, rule) in rows {
        debug_assert!(rule.contains(&DENY.to_string()), "the rule is about the deny port");
        let mut scene = Scene::new(Family::V4)?;
        rules::apply(&scene.net, place, Family::V4, &rules::filter(rule))?;
        let alone = scene.barrier()?.verdict();
        let proof = scene.prove();
        let ok = tally.count(proof.is_err());
        let proved = if proof.is_ok() { "is made" } else { "cannot be made" };
        let honest = if alone == Verdict::InForce { "passes" } else { "does not pass" };
        say(&format!("{name:<48} the twin alone {honest} ({}), the proof {proved}: {ok}", alone.word()));
    }
    Ok(tally)
}
