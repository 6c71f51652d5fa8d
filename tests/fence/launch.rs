//! What this program does when it starts itself anew: becomes what a container's process is, then that program.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::chroot;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process;
use std::process::Command;
use std::process::ExitCode;
use std::time::SystemTime;

use nix::sys::resource::UsageWho;
use nix::sys::resource::getrusage;
use rustix::process::Gid;
use rustix::process::Resource;
use rustix::process::Rlimit;
use rustix::process::Uid;
use rustix::process::setrlimit;
use rustix::thread::CapabilitySet;
use rustix::thread::CapabilitySets;
use serde::Deserialize;
use serde::Serialize;

use super::Result;

/// A program with all that is around it.
#[derive(Clone, Default, Deserialize, Serialize)]
pub(crate) struct Launch {
    /// A program that runs the program: strace. Outside an empty root only.
    pub(crate) under: Vec<String>,
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    /// The whole environment.
    pub(crate) environment: BTreeMap<String, String>,
    /// The root folder, where it is not the machine's.
    pub(crate) root: Option<PathBuf>,
    /// A cgroup's `cgroup.procs`, to be joined first.
    pub(crate) cgroup: Option<PathBuf>,
    /// Open files allowed.
    pub(crate) files: Option<u64>,
    /// Where the moment of the start goes, in microseconds since 1970.
    pub(crate) started: Option<PathBuf>,
    /// Where the peak memory of the program goes, in KiB.
    pub(crate) peak: Option<PathBuf>,
}

impl Launch {
    /// This test as a program that will be the given one.
    pub(crate) fn command(&self) -> Result<Command> {
        let mut command = Command::new("/proc/self/exe");
        command.arg(WORD).arg(serde_json::to_string(self)?).env_clear();
        Ok(command)
    }
}

/// The other side of [`Launch::command`]. Comes back only to report.
pub(crate) fn launch(text: &str) -> Result<ExitCode> {
    let launch: Launch = serde_json::from_str(text)?;
    if let Some(procs) = &launch.cgroup {
        fs::write(procs, process::id().to_string())?;
    }
    if let Some(root) = &launch.root {
        chroot(root)?;
        std::env::set_current_dir("/")?;
    }
    if let Some(files) = launch.files {
        setrlimit(Resource::Nofile, Rlimit { current: Some(files), maximum: Some(files) })?;
    }
    let Some(peak) = &launch.peak else {
        let started = launch.started.as_ref().map(fs::File::create).transpose()?;
        become_a_container()?;
        if let Some(mut file) = started {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
            file.write_all(now.as_micros().to_string().as_bytes())?;
        }
        return Err(command(&launch)?.exec().into());
    };
    // The kernel counts the parent's memory as the child's until the child executes its program, so the parent
    // is this small process.
    let peak = fs::File::create(peak)?;
    become_a_container()?;
    let status = command(&launch)?.status()?;
    let used = getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss();
    (&peak).write_all(used.to_string().as_bytes())?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// uid 10001, no groups, no capability in any set and no way to get one.
fn become_a_container() -> Result<()> {
    for capability in CapabilitySet::all().iter() {
        // The last ones may be unknown to this kernel.
        rustix::thread::remove_capability_from_bounding_set(capability).unwrap_or_default();
    }
    rustix::thread::set_thread_groups(&[])?;
    let (uid, gid) = (Uid::from_raw(ID), Gid::from_raw(ID));
    rustix::thread::set_thread_res_gid(gid, gid, gid)?;
    rustix::thread::set_thread_res_uid(uid, uid, uid)?;
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    rustix::thread::set_capabilities(None, sets)?;
    rustix::thread::set_no_new_privs(true)?;
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let powers = status.lines().filter(|line| line.starts_with("Cap"));
    // Where there is no /proc (an empty root) the calls above have to do.
    match powers.clone().find(|line| !line.ends_with("0000000000000000")) {
        Some(line) => Err(format!("a capability stays: {line}").into()),
        None => Ok(()),
    }
}

fn command(launch: &Launch) -> Result<Command> {
    let mut words = launch.under.iter().map(PathBuf::from).chain([launch.program.clone()]);
    let mut command = Command::new(words.next().ok_or("no program")?);
    // stdin is what this process got: an empty root has no /dev/null.
    command.args(words).args(&launch.arguments).env_clear().envs(&launch.environment);
    Ok(command)
}

pub(crate) const WORD: &str = "launch";
/// The uid of the Job's containers.
pub(crate) const ID: u32 = 10001;
