//! Who is measured, and how each is started.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::Result;
use super::launch::Run;
use super::stage;
use super::stage::Role;
use super::stage::Stage;
use super::turn::Turn;
use super::watch::Counts;

pub(crate) struct Contender {
    /// As a column's title.
    pub(crate) name: &'static str,
    kind: Kind,
    program: PathBuf,
    service_account: PathBuf,
    environment: Vec<(String, String)>,
}

/// Everything measured of one contender.
#[derive(Default)]
pub(crate) struct Figures {
    pub(crate) counts: Counts,
    pub(crate) runs: Vec<Run>,
    pub(crate) first_packets: Vec<Duration>,
}

enum Kind {
    Ours,
    Floor,
    /// With its script.
    Peer(PathBuf),
}

impl Contender {
    /// Ours, its floor and its peer, in this order.
    pub(crate) fn all(stage: &Stage<'_>) -> Result<[Self; 3]> {
        let peer =
            std::env::var_os("QL3_BENCH_PEER").ok_or("QL3_BENCH_PEER names no script: see hack/bench/run")?;
        let new = |name, kind, program| Self {
            name,
            kind,
            program,
            service_account: stage.service_account(),
            environment: stage.database_variables(Role::Maintenance),
        };
        Ok([
            new("ql3-ops", Kind::Ours, stage.program.clone()),
            new("floor", Kind::Floor, stage::beside_us("floor")?),
            new("Node client", Kind::Peer(peer.into()), node()?),
        ])
    }

    /// A word for ids.
    pub(crate) fn key(&self) -> &'static str {
        match self.kind {
            Kind::Ours => "ours",
            Kind::Floor => "floor",
            Kind::Peer(_) => "peer",
        }
    }

    /// The process that carries a turn out.
    pub(crate) fn command(&self, turn: &Turn) -> Command {
        let mut command = Command::new(&self.program);
        command.env_clear();
        match &self.kind {
            Kind::Ours => {
                command.args(["retire", "run", "--command-file"]).arg(&turn.command_file);
                command.arg("--service-account-dir").arg(&self.service_account);
                command.env("KUBERNETES_SERVICE_HOST", stage::HOST);
                command.env("KUBERNETES_SERVICE_PORT", turn.port.to_string());
                command.envs(self.environment.iter().map(|(name, value)| (name, value)));
            }
            Kind::Floor => {
                command.arg(&turn.script_file);
            }
            Kind::Peer(script) => {
                command.arg(script).arg(&turn.script_file);
            }
        }
        command
    }
}

fn node() -> Result<PathBuf> {
    let path = std::env::var_os("PATH").ok_or("no PATH")?;
    let found = std::env::split_paths(&path).map(|folder| folder.join("node")).find(|file| file.is_file());
    found.ok_or_else(|| "node is not installed".into())
}
