//! One Job of ours, from its creation to its end, as the cluster tells it.

use serde_json::Value;

use crate::Result;
use crate::command::get;
use crate::command::kubectl;
use crate::command::list;
use crate::command::number;
use crate::command::text;
use crate::command::until;

/// The Job.
pub(crate) const JOB: &str = "ql3-prompt-output-key-retirement";

/// How its Pod ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The Pod, as the API server has it.
    pub(crate) pod: Value,
    /// `Complete` or `Failed`.
    pub(crate) condition: String,
    /// Why the Job failed.
    pub(crate) reason: String,
    /// The barrier.
    pub(crate) init: Container,
    /// The retirement.
    pub(crate) main: Container,
}

/// How a container ended; nothing of it if it did not begin.
#[derive(Debug, Default)]
pub(crate) struct Container {
    /// Its exit.
    pub(crate) exit: Option<u32>,
    /// Its termination message.
    pub(crate) words: Value,
    /// The last line of its log.
    pub(crate) line: Value,
    /// All codes of its log and its message.
    pub(crate) codes: Vec<String>,
}

/// Waits for the Job's end and looks at its Pod.
pub(crate) fn ended() -> Result<Ended> {
    let job = finished(JOB, 330)?;
    let condition = |pointer: &str| -> String {
        list(&job, "/status/conditions")
            .iter()
            .filter(|condition| matches!(text(condition, "/type"), "Complete" | "Failed"))
            .map(|condition| text(condition, pointer).to_owned())
            .next()
            .unwrap_or_default()
    };
    let pods = get(&["pods", "--selector=batch.kubernetes.io/job-name=ql3-prompt-output-key-retirement"])?;
    let [pod] = list(&pods, "/items") else {
        return Err(format!("{} Pods instead of one", list(&pods, "/items").len()).into());
    };
    Ok(Ended {
        condition: condition("/type"),
        reason: condition("/reason"),
        init: container(pod, "/status/initContainerStatuses", "network-policy-ready"),
        main: container(pod, "/status/containerStatuses", "retirement"),
        pod: pod.clone(),
    })
}

/// Waits until a Job is complete.
pub(crate) fn completed(name: &str, seconds: u64) -> Result<()> {
    let job = finished(name, seconds)?;
    let complete = list(&job, "/status/conditions").iter().any(|each| text(each, "/type") == "Complete");
    if complete {
        return Ok(());
    }
    let log = kubectl(&["logs", &format!("job/{name}")]).unwrap_or_default();
    Err(format!("the Job {name} failed: {}", log.trim()).into())
}

/// Deletes a Job and its Pods, if it is there.
pub(crate) fn delete_job(name: &str) -> Result<()> {
    kubectl(&["delete", "job", name, "--ignore-not-found", "--cascade=foreground"]).map(drop)
}

fn finished(name: &str, seconds: u64) -> Result<Value> {
    until(&format!("the end of the Job {name}"), seconds, || {
        let job = get(&["job", name])?;
        let over = list(&job, "/status/conditions")
            .iter()
            .any(|condition| matches!(text(condition, "/type"), "Complete" | "Failed"));
        Ok(over.then_some(job))
    })
}

fn container(pod: &Value, statuses: &str, name: &str) -> Container {
    let Some(status) = list(pod, statuses).iter().find(|status| text(status, "/name") == name) else {
        return Container::default();
    };
    let json = |text: &str| -> Value { serde_json::from_str(text).unwrap_or_default() };
    let log = kubectl(&["logs", text(pod, "/metadata/name"), "--container", name]).unwrap_or_default();
    let message = text(status, "/state/terminated/message");
    let codes = log.lines().chain([message]).map(|line| text(&json(line), "/code").to_owned());
    Container {
        codes: codes.filter(|code| !code.is_empty()).collect(),
        exit: number(status, "/state/terminated/exitCode"),
        words: json(message),
        line: json(log.lines().next_back().unwrap_or_default()),
    }
}
