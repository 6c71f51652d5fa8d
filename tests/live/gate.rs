//! The run, its replay, and the report of both.

use std::fs;
use std::path::Path;

use ql3_ops::evidence::live::FIXTURE;
use ql3_ops::evidence::live::Gates;
use ql3_ops::evidence::live::LIMITATIONS;
use ql3_ops::evidence::live::Network;
use ql3_ops::evidence::live::Operation;
use ql3_ops::evidence::live::Outcome;
use ql3_ops::evidence::live::Program;
use ql3_ops::evidence::live::Report;
use ql3_ops::evidence::live::Requests;
use ql3_ops::time::utc;
use serde_json::Value;
use serde_json::json;

use crate::Result;
use crate::command::list;
use crate::command::number;
use crate::command::ops;
use crate::command::text;
use crate::keyring::Keyring;
use crate::ledger;
use crate::network;
use crate::platform;
use crate::requests;
use crate::rights;
use crate::run;
use crate::run::Ended;
use crate::say;
use crate::scene::Scene;
use crate::share;

/// Runs it, writes the report and has it audited; whether it passed.
pub(crate) fn run(scene: &mut Scene, path: &Path) -> Result<bool> {
    scene.order()?;
    let before = Keyring::see()?;
    let logins = ledger::logins(platform::ROLE)?;
    let first = turn(scene, "run")?;
    let between = Keyring::see()?;
    let replay = turn(scene, "replay")?;
    let after = Keyring::see()?;
    let logged = ledger::logins(platform::ROLE)?;
    // Nobody logs in as the role but the Jobs.
    let (all, by_tls) = (logged.0 - logins.0, logged.1 - logins.1);
    say(&format!("logins of {}: {all}, by TLS: {by_tls}", platform::ROLE));

    let (requests_first, took_first) = requests::of_pod(&first.pod)?;
    let (requests_replay, took_replay) = requests::of_pod(&replay.pod)?;
    say(&format!("requests of the run: {requests_first:?}, from the first to the last {took_first:.1} ms"));
    say(&format!(
        "requests of the replay: {requests_replay:?}, from the first to the last {took_replay:.1} ms"
    ));

    let (preparation_count, completion_count) = ledger::rows(&scene.key)?;
    let word = |value: &Value, member: &str| text(value, member).to_owned();
    let operation = Operation {
        status: word(&first.main.words, "/status").try_into()?,
        replay_status: word(&replay.main.words, "/status").try_into()?,
        generation_after: after.generation,
        retirement_count: after.retired.len().try_into()?,
        preparation_count,
        completion_count,
        token_seconds: token_seconds(&first.pod),
        active_key_retained: after.keys.contains(&scene.active),
        inactive_key_removed: before.keys.contains(&scene.key) && !after.keys.contains(&scene.key),
        resource_version_changed_once: before.version != between.version && between.version == after.version,
        secret_identity_kept: before.uid == between.uid && before.uid == after.uid,
        init_without_mounts: [&first, &replay].iter().all(|ended| init_mounts(&ended.pod) == 0),
        rbac_exact: rights::are_exact()?,
    };
    let network = reach(&first, &replay)?;
    let mut report = Report {
        fixture: FIXTURE.to_owned().try_into()?,
        observed_at: utc(scene.begun * 1000).try_into()?,
        program: Program { version: version()?.try_into()?, image: image(&first.pod).try_into()? },
        platform: platform::cluster()?,
        database: Some(platform::database(all >= 2 && by_tls == all)?),
        operation,
        network,
        requests: Requests { first: requests_first, replay: requests_replay },
        gates: NOT_RUN,
        passed: false,
        limitations: LIMITATIONS.to_vec(),
    };
    report.gates = report.judge();
    report.passed = report.gates.all_pass();
    fs::write(path, serde_json::to_string_pretty(&report)? + "\n")?;
    say(&format!("report: {}", path.display()));
    let audit = ops(&["evidence", "audit", &path.to_string_lossy()], "")?;
    say(&format!("audit: {}", audit.trim()));
    Ok(report.passed)
}

/// One Job, by one apply of everything.
fn turn(scene: &Scene, name: &str) -> Result<Ended> {
    run::delete_job(run::JOB)?;
    scene.overlay.apply_retirement()?;
    let ended = run::ended()?;
    say(&format!("{name}: {} {}", ended.condition, ended.reason));
    say(&format!("{name}: barrier: exit {:?}, {}, {}", ended.init.exit, ended.init.words, ended.init.line));
    say(&format!("{name}: retirement: exit {:?}, {}", ended.main.exit, ended.main.words));
    if (ended.init.exit, ended.main.exit) == (Some(0), Some(0)) {
        share::tell(name, &ended)?;
        return Ok(ended);
    }
    Err(format!("the {name} failed; the Job and its Pod are still there").into())
}

/// What the network let through, during the runs and for two Pods after them.
fn reach(first: &Ended, replay: &Ended) -> Result<Network> {
    let canary = format!("{}:9443", network::canary()?);
    let control = format!("{}:9444", network::canary()?);
    let outside = format!("{}:443", crate::command::variable("QL3_LAB_WORLD")?);
    let api = network::api()?;
    let all = [&canary, &control, &api, &outside].map(|address| format!("+{address}"));
    let free = network::dial("ql3-live-unselected", &json!({}), &all)?;
    let marked = [format!("+{control}"), format!("+{api}"), format!("-{canary}"), format!("-{outside}")];
    let labels = json!({
        "app.kubernetes.io/name": "ql3-prompt-output-key-retirement",
        "app.kubernetes.io/component": "ai-maintenance",
    });
    let selected = network::dial("ql3-live-selected", &labels, &marked)?;
    // Beside a denial something must be open, or it is no denial.
    if !selected.at(&control)? || !selected.at(&api)? {
        return Err("the selected Pod reaches nothing at all".into());
    }
    let same =
        first.init.words == replay.init.words && first.init.line["grounds"] == replay.init.line["grounds"];
    let barrier = if same { text(&first.init.words, "/code") } else { "differs" };
    let grounds = list(&first.init.line, "/grounds").iter().filter_map(Value::as_str);
    let mut words = Vec::new();
    for ground in grounds {
        words.push(ground.to_owned().try_into()?);
    }
    Ok(Network {
        barrier: barrier.to_owned().try_into()?,
        grounds: words,
        unselected_reaches_canary: free.at(&canary)?,
        unselected_reaches_api: free.at(&api)?,
        unselected_reaches_outside: free.at(&outside)?,
        selected_reaches_canary: selected.at(&canary)?,
        selected_reaches_outside: selected.at(&outside)?,
    })
}

fn init_mounts(pod: &Value) -> usize {
    list(pod, "/spec/initContainers").iter().map(|container| list(container, "/volumeMounts").len()).sum()
}

fn token_seconds(pod: &Value) -> u32 {
    list(pod, "/spec/volumes")
        .iter()
        .flat_map(|volume| list(volume, "/projected/sources"))
        .find_map(|source| number(source, "/serviceAccountToken/expirationSeconds"))
        .unwrap_or_default()
}

/// The digest of the image that the kubelet ran.
fn image(pod: &Value) -> String {
    let id = list(pod, "/status/containerStatuses").first().map_or("", |status| text(status, "/imageID"));
    id.rsplit_once('@').map_or(id, |(_name, digest)| digest).to_owned()
}

fn version() -> Result<String> {
    let line = ops(&["--version"], "")?;
    Ok(line.split_whitespace().last().unwrap_or_default().to_owned())
}

const NOT_RUN: Gates = Gates {
    durable_replay: Outcome::NotRun,
    exact_rbac: Outcome::NotRun,
    exact_requests: Outcome::NotRun,
    key_retired: Outcome::NotRun,
    managed_database: Outcome::NotRun,
    policy_enforced: Outcome::NotRun,
    same_pod_barrier: Outcome::NotRun,
    secret_compare_and_swap: Outcome::NotRun,
    short_lived_token: Outcome::NotRun,
};
