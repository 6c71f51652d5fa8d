//! One process from start to exit: how long it took, what it used.
//!
//! The kernel counts the parent's memory as the child's until the child executes its program, and keeps the
//! peak. So a process to be measured is started by a small one that does nothing else: this program anew.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::process::Command;
use std::process::Stdio;
use std::time::Duration;
use std::time::Instant;

use nix::sys::resource::UsageWho;
use nix::sys::resource::getrusage;
use nix::sys::time::TimeVal;
use nix::sys::time::TimeValLike;
use serde::Deserialize;
use serde::Serialize;

use super::Result;
use super::contender::Contender;
use super::turn::Turn;

/// What one run took.
#[derive(Clone, Copy, Deserialize, Serialize)]
pub(crate) struct Run {
    /// From before the fork to after the wait.
    pub(crate) wall: Duration,
    /// User and system time of the process and all it waited for.
    pub(crate) cpu: Duration,
    /// KiB.
    pub(crate) peak_memory: u64,
}

/// Carries the turn out with the contender, from a process of its own.
pub(crate) fn measure(contender: &Contender, turn: &Turn) -> Result<Run> {
    let bare = contender.command(turn);
    let mut command = Command::new(env::current_exe()?);
    command.arg("launch").arg(bare.get_program()).args(bare.get_args()).env_clear();
    command.envs(bare.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = command.stdin(Stdio::null()).output()?;
    if !output.status.success() {
        return Err(format!("{}: {}", contender.name, String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The small process: starts the program, waits, and says what it took.
pub(crate) fn launch(arguments: &[OsString]) -> Result<String> {
    let (program, arguments) = arguments.split_first().ok_or("launch what?")?;
    let mut command = Command::new(program);
    command.args(arguments).stdout(Stdio::null());
    let begin = Instant::now();
    let status = command.status()?;
    let wall = begin.elapsed();
    if !status.success() {
        return Err(format!("it ended with {status}").into());
    }
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let cpu = duration(usage.user_time())? + duration(usage.system_time())?;
    let peak_memory = u64::try_from(usage.max_rss())?;
    let own = own_peak()?;
    if peak_memory <= own {
        return Err(format!("its peak memory is hidden behind the launcher's {own} KiB").into());
    }
    Ok(serde_json::to_string(&Run { wall, cpu, peak_memory })?)
}

fn duration(time: TimeVal) -> Result<Duration> {
    Ok(Duration::from_micros(u64::try_from(time.num_microseconds())?))
}

/// KiB.
fn own_peak() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
