//! The built program, run in a namespace as a container's process, and its evidence.

use std::collections::BTreeMap;
use std::fs;
use std::net::IpAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::path::PathBuf;
use std::process::Child;
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use rustix::process::Pid;
use rustix::process::Signal;
use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;

use super::Result;
use super::launch::Launch;
use super::net::Place;
use super::net::Spaces;

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) exit: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The termination message.
    pub(crate) message: String,
    pub(crate) begun: Instant,
    /// When its end was seen.
    pub(crate) seen: Instant,
}

/// The line on stdout.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Evidence {
    pub(crate) verdict: String,
    pub(crate) code: String,
    pub(crate) grounds: Vec<String>,
    pub(crate) rounds: u64,
    pub(crate) held_ms: u64,
    pub(crate) elapsed_ms: u64,
    pub(crate) silence_ms: u64,
    pub(crate) error_queue: bool,
    pub(crate) targets: Vec<Target>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Target {
    pub(crate) role: String,
    pub(crate) seen: String,
    pub(crate) icmp: Option<Icmp>,
    pub(crate) from: Option<IpAddr>,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
pub(crate) struct Icmp {
    #[serde(rename = "type")]
    pub(crate) kind: u8,
    pub(crate) code: u8,
}

/// The release binary that `hack/fence` names, or else the one that cargo built for the tests.
pub(crate) fn path() -> PathBuf {
    std::env::var_os("QL3_FENCE_BINARY").map_or_else(|| env!("CARGO_BIN_EXE_ql3-ops").into(), PathBuf::from)
}

/// Runs what is described to its end, with a termination message of its own. The patience is a net below the
/// program's own deadline.
pub(crate) fn run(net: &Spaces, place: Place, launch: &Launch, patience: Duration) -> Result<Ended> {
    let folder = open_folder(launch.root.as_deref())?;
    let file = folder.path().join("message");
    let mut launch = launch.clone();
    let inner = launch.root.as_ref().map_or(Ok(file.as_path()), |root| file.strip_prefix(root))?;
    let inner = if launch.root.is_some() { Path::new("/").join(inner) } else { inner.to_owned() };
    launch.arguments.extend(["--termination-message".to_owned(), inner.display().to_string()]);
    let begun = Instant::now();
    let child = spawn(net, place, &launch)?;
    let pid = Pid::from_child(&child);
    let (ended, watch) = mpsc::channel::<()>();
    let watchdog = thread::spawn(move || {
        if watch.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Timeout) {
            super::kill(pid, Signal::KILL);
        }
    });
    let output = child.wait_with_output();
    let seen = Instant::now();
    drop(ended);
    drop(watchdog.join());
    let output = output?;
    Ok(Ended {
        exit: output.status.code(),
        stdout: String::from_utf8(output.stdout)?,
        stderr: String::from_utf8(output.stderr)?,
        message: fs::read_to_string(&file).unwrap_or_default(),
        begun,
        seen,
    })
}

/// Starts what is described.
pub(crate) fn spawn(net: &Spaces, place: Place, launch: &Launch) -> Result<Child> {
    let mut command = launch.command()?;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    net.inside(place, move || Ok(command.spawn()?))
}

/// A folder into which the container's user may write.
fn open_folder(root: Option<&Path>) -> Result<TempDir> {
    let folder = root.map_or_else(tempfile::tempdir, tempfile::tempdir_in)?;
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777))?;
    Ok(folder)
}

impl Ended {
    /// Nothing where there is no line or it is another document.
    pub(crate) fn evidence(&self) -> Option<Evidence> {
        let value: Value = serde_json::from_str(&self.stdout).ok()?;
        (value.get("schema")?.as_str()? == SCHEMA).then_some(())?;
        serde_json::from_value(value).ok()
    }

    pub(crate) fn code(&self) -> String {
        let failure = || {
            let line: BTreeMap<String, Value> = serde_json::from_str(self.stderr.lines().last()?).ok()?;
            Some(line.get("code")?.as_str()?.to_owned())
        };
        self.evidence().map(|evidence| evidence.code).or_else(failure).unwrap_or_default()
    }

    /// The word for how it ended.
    pub(crate) fn verdict(&self) -> Verdict {
        let unresolved = self.message.contains("\"CANARY_UNRESOLVED\"");
        match self.exit {
            Some(0) => Verdict::InForce,
            Some(80) => Verdict::Open,
            Some(81) if unresolved => Verdict::Unresolved,
            Some(81) => Verdict::Blind,
            Some(78) => Verdict::Config,
            Some(71) => Verdict::Os,
            _ => Verdict::Other,
        }
    }

    /// Verdict and code, without what all codes begin with.
    pub(crate) fn word(&self) -> String {
        let code = self.code();
        format!("{} {}", self.verdict().word(), code.strip_prefix("QL3_BARRIER_").unwrap_or(&code))
    }

    /// Whether everything it said agrees with its exit code.
    pub(crate) fn fault(&self) -> Option<String> {
        let message: Value = serde_json::from_str(&self.message).unwrap_or_default();
        let passed = self.exit == Some(0);
        if message.get("ready") != Some(&Value::Bool(passed)) {
            return Some(format!("the message is {:?}", self.message));
        }
        let evidence = self.evidence();
        match (&evidence, self.verdict()) {
            (Some(evidence), verdict) if evidence.verdict != verdict.evidence() => {
                Some(format!("the evidence says {}", evidence.verdict))
            }
            // What is wrong with a proof, or a name, is known before anything is watched.
            (None, Verdict::Blind)
                if ["PROOF", "UNRESOLVED"].iter().any(|part| self.code().contains(part)) =>
            {
                None
            }
            (None, Verdict::InForce | Verdict::Open | Verdict::Blind) => {
                Some(format!("no evidence; stdout {:?}, stderr {:?}", self.stdout, self.stderr))
            }
            (_, Verdict::Other) => Some(format!("exit {:?}: {}", self.exit, self.stderr.trim())),
            _ => None,
        }
    }
}

/// How the barrier ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Verdict {
    Blind,
    Config,
    InForce,
    Open,
    Os,
    Other,
    Unresolved,
}

impl Verdict {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Blind => "blind",
            Self::Config => "config",
            Self::InForce => "in-force",
            Self::Open => "open",
            Self::Os => "os",
            Self::Other => "other",
            Self::Unresolved => "unresolved",
        }
    }

    fn evidence(self) -> &'static str {
        match self {
            Self::Os | Self::Unresolved => "blind",
            Self::Blind | Self::Config | Self::InForce | Self::Open | Self::Other => self.word(),
        }
    }
}

const SCHEMA: &str = "ql3-ops/barrier-evidence@v1";
