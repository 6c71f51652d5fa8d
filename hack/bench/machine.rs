//! Where and when it was measured.

use std::fs;
use std::process::Command;
use std::thread;

use super::Result;
use super::lab;

#[derive(Default)]
pub(crate) struct Facts {
    pub(crate) date: String,
    pub(crate) processor: String,
    pub(crate) cores: usize,
    pub(crate) kernel: String,
    /// Processes that wanted to run in the minute before.
    pub(crate) load: String,
    pub(crate) rounds: usize,
}

impl Facts {
    pub(crate) fn gather() -> Result<Self> {
        let processors = fs::read_to_string("/proc/cpuinfo")?;
        let model = processors.lines().find(|line| line.starts_with("model name"));
        let processor = model.and_then(|line| line.split_once(": ")).map_or("unknown", |(_, name)| name);
        Ok(Self {
            date: lab::run(Command::new("date").args(["-u", "+%Y-%m-%d"]), "")?.trim().to_owned(),
            processor: processor.to_owned(),
            cores: thread::available_parallelism()?.get(),
            kernel: fs::read_to_string("/proc/sys/kernel/osrelease")?.trim().to_owned(),
            ..Self::default()
        })
    }
}

/// The load of the last minute.
pub(crate) fn load() -> Result<String> {
    let text = fs::read_to_string("/proc/loadavg")?;
    Ok(text.split_whitespace().next().unwrap_or("unknown").to_owned())
}
