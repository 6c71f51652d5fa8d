//! How much of a run is ours: from the container runtime's own account, which is exact where the API rounds to seconds.

use serde_json::Value;

use crate::Result;
use crate::command::list;
use crate::command::node_file;
use crate::command::text;
use crate::run::Ended;
use crate::say;

/// Says how long both containers ran, and what of the barrier was waiting for the policy.
pub(crate) fn tell(name: &str, ended: &Ended) -> Result<()> {
    let barrier = wall(&ended.pod, "/status/initContainerStatuses", "network-policy-ready")?;
    let retirement = wall(&ended.pod, "/status/containerStatuses", "retirement")?;
    let member = |member: &str| ended.init.line[member].as_u64().unwrap_or_default();
    let (elapsed, held) = (member("elapsedMs"), member("heldMs"));
    say(&format!(
        "{name}: own share: barrier {barrier:.0} ms ({elapsed} ms of rounds, of which {held} ms after the policy was in \
         force), retirement {retirement:.0} ms"
    ));
    Ok(())
}

/// From the start of a container's process to its end, in milliseconds.
fn wall(pod: &Value, statuses: &str, name: &str) -> Result<f64> {
    let status = list(pod, statuses).iter().find(|status| text(status, "/name") == name);
    let id = status.map_or("", |status| text(status, "/state/terminated/containerID"));
    let id = id.rsplit_once('/').map_or(id, |(_runtime, id)| id);
    let path = format!("/var/lib/containerd/io.containerd.grpc.v1.cri/containers/{id}/status");
    let account: Value = serde_json::from_str(&node_file(text(pod, "/spec/nodeName"), &path)?)?;
    let at = |member: &str| account[member].as_u64().unwrap_or_default();
    let nanoseconds = at("FinishedAt").saturating_sub(at("StartedAt"));
    Ok(std::time::Duration::from_nanos(nanoseconds).as_secs_f64() * 1000.0)
}
