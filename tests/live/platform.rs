//! Where the run was, as the cluster says.

use ql3_ops::evidence::live::Database;
use ql3_ops::evidence::live::NewPods;
use ql3_ops::evidence::live::Platform;

use crate::Result;
use crate::command::get;
use crate::command::kubectl;
use crate::command::list;
use crate::command::number;
use crate::command::text;
use crate::command::variable;
use crate::ledger;

/// The cluster.
pub(crate) fn cluster() -> Result<Platform> {
    let version: serde_json::Value = serde_json::from_str(&kubectl(&["version", "--output=json"])?)?;
    let nodes = get(&["nodes"])?;
    let ready = list(&nodes, "/items").iter().filter(|node| {
        let mut conditions = list(node, "/status/conditions").iter();
        conditions.any(|each| text(each, "/type") == "Ready" && text(each, "/status") == "True")
    });
    let node = list(&nodes, "/items").first().ok_or("no node")?;
    let new_pods = match variable("QL3_LIVE_NEW_PODS")?.as_str() {
        "open" => NewPods::Open,
        "closed" => NewPods::Closed,
        other => return Err(format!("an enforcer is open or closed, not {other}").into()),
    };
    Ok(Platform {
        distribution: "ql3-lab".to_owned().try_into()?,
        kubernetes_version: text(&version, "/serverVersion/gitVersion").to_owned().try_into()?,
        architecture: text(node, "/status/nodeInfo/architecture").to_owned().try_into()?,
        container_runtime: text(node, "/status/nodeInfo/containerRuntimeVersion").to_owned().try_into()?,
        enforcer: variable("QL3_LIVE_ENFORCER")?.try_into()?,
        new_pods,
        nodes: ready.count().try_into()?,
    })
}

/// The database; `tls`: whether all of the Jobs' logins were over TLS.
pub(crate) fn database(tls: bool) -> Result<Database> {
    let cluster = get(&["clusters.postgresql.cnpg.io", "ql3-postgres"])?;
    let operator = get(&["deployment", "cnpg-controller-manager", "--namespace=cnpg-system"])?;
    let image = text(&operator, "/spec/template/spec/containers/0/image");
    Ok(Database {
        operator: "cloudnative-pg".to_owned().try_into()?,
        operator_version: image.rsplit_once(':').map_or("", |(_name, tag)| tag).to_owned().try_into()?,
        postgres_version_number: ledger::version()?,
        instances: number(&cluster, "/spec/instances").unwrap_or_default(),
        ready_instances: number(&cluster, "/status/readyInstances").unwrap_or_default(),
        role: ROLE.to_owned().try_into()?,
        tls,
    })
}

/// The role that the Jobs log in as.
pub(crate) const ROLE: &str = "ql3_ai_maintenance";
