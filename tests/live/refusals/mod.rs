//! What must be refused, on the real cluster: with the right exit and code, and with Secret and ledger untouched.

mod rows;

use std::time::Instant;

use crate::Result;
use crate::command::get;
use crate::command::kubectl;
use crate::command::list;
use crate::command::text;
use crate::command::until;
use crate::keyring::Keyring;
use crate::ledger;
use crate::run;
use crate::say;
use crate::scene::Scene;

/// A way in which something is wrong.
struct Row {
    name: &'static str,
    /// What is done beforehand.
    before: fn(&Scene) -> Result<()>,
    /// How the bundle is applied.
    apply: fn(&Scene) -> Result<()>,
    /// How it is undone.
    after: fn(&Scene) -> Result<()>,
    expected: Expected,
}

enum Expected {
    /// The barrier ends so, and the retirement does not begin.
    Barrier(u32, &'static str),
    /// The barrier lets it through, and the retirement ends so.
    Retirement(u32, &'static str),
    /// There is no Pod, and the Job says why.
    NoPod(&'static str),
}

/// Runs all rows whose name has one of such parts, with commas between them; whether each was refused as it must be.
pub(crate) fn run(scene: &mut Scene, filter: &str) -> Result<bool> {
    scene.order()?;
    let (mut right, mut all) = (0, 0);
    for row in rows::rows().iter().filter(|row| filter.split(',').any(|part| row.name.contains(part))) {
        all += 1;
        let begun = Instant::now();
        let verdict = refuse(scene, row)?;
        let seconds = begun.elapsed().as_secs_f64();
        match verdict {
            Ok(seen) => {
                right += 1;
                say(&format!("{seconds:6.1} s  {}: {seen}", row.name));
            }
            Err(seen) => say(&format!("{seconds:6.1} s  WRONG: {}: {seen}", row.name)),
        }
    }
    say(&format!("refused as it must be: {right}/{all}"));
    Ok(right == all)
}

/// One row: what was seen, as it must be or not.
fn refuse(scene: &Scene, row: &Row) -> Result<std::result::Result<String, String>> {
    run::delete_job(run::JOB)?;
    kubectl(&["delete", "networkpolicy", run::JOB, "--ignore-not-found"])?;
    // A statement holds for five minutes; all rows together take longer.
    scene.control()?;
    (row.before)(scene)?;
    let keyring = Keyring::see()?;
    let rows = ledger::rows(&scene.key)?;
    (row.apply)(scene)?;
    let (right, seen) = look(&row.expected)?;
    let touched = Keyring::see()? != keyring || ledger::rows(&scene.key)? != rows || rows != (0, 0);
    run::delete_job(run::JOB)?;
    (row.after)(scene)?;
    Ok(match (right, touched) {
        (true, false) => Ok(seen),
        (false, false) => Err(seen),
        (_, true) => Err(format!("{seen}; and Secret or ledger are not what they were")),
    })
}

fn look(expected: &Expected) -> Result<(bool, String)> {
    if let Expected::NoPod(reason) = expected {
        let message = until("an event of the Job", 60, || {
            let events = get(&["events", "--field-selector=involvedObject.kind=Job,reason=FailedCreate"])?;
            let ours =
                list(&events, "/items").iter().find(|event| text(event, "/involvedObject/name") == run::JOB);
            Ok(ours.map(|event| text(event, "/message").to_owned()))
        })?;
        return Ok((message.contains(reason), message));
    }
    let ended = run::ended()?;
    let seen = format!(
        "barrier {:?} {:?}, retirement {:?} {:?}, Job {} {}",
        ended.init.exit, ended.init.codes, ended.main.exit, ended.main.codes, ended.condition, ended.reason
    );
    let has = |codes: &[String], code: &str| codes.iter().any(|each| each == code);
    // docs/exit-codes.md says which exits end the Job for good.
    let reason = |exit: u32| {
        if [69, 71, 74, 75, 81, 82].contains(&exit) { "BackoffLimitExceeded" } else { "PodFailurePolicy" }
    };
    let right = match *expected {
        Expected::Barrier(exit, code) => {
            ended.init.exit == Some(exit)
                && has(&ended.init.codes, code)
                && ended.main.exit.is_none()
                && ended.reason == reason(exit)
        }
        Expected::Retirement(exit, code) => {
            ended.init.exit == Some(0)
                && ended.main.exit == Some(exit)
                && has(&ended.main.codes, code)
                && ended.reason == reason(exit)
        }
        Expected::NoPod(_) => false,
    };
    Ok((right && ended.condition == "Failed", seen))
}
