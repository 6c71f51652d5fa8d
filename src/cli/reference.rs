//! The command line of the reference's `ql3-prompt-output-key-retire`, which a link of that name gives, and
//! its usage line, which `ql3-ops retire` shares (ADR-0262).

use std::ffi::OsStr;
use std::ffi::OsString;
use std::io;
use std::io::IsTerminal;
use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

use tracing::level_filters::LevelFilter;

use super::BUDGET_SECONDS;
use super::Invocation;
use super::Order;
use super::USAGE;
use super::usage;
use crate::cluster::Authority;
use crate::cluster::authority::MOUNT;
use crate::report::LastWords;
use crate::report::Place;
use crate::report::Report;
use crate::retire;

/// Parses a command line under the reference's name; `None` under any other.
pub(super) fn parse(arguments: &[OsString]) -> Option<Result<Invocation, Box<Report>>> {
    let (program, rest) = arguments.split_first()?;
    if Path::new(program).file_name() != Some(OsStr::new(PROGRAM)) {
        return None;
    }
    let words: Vec<&OsStr> = rest.iter().map(OsString::as_os_str).collect();
    Some(match words.as_slice() {
        [help] if *help == "--help" || *help == "-h" => {
            Err(Box::new(Report::done(format!("{TEXT}\n"), LastWords::done("help", None))))
        }
        [run, flag, file] if *run == "run" && *flag == "--command-file" && !file.is_empty() => {
            Ok(invocation(PathBuf::from(file)))
        }
        _ => Err(Box::new(usage_line())),
    })
}

/// A wrong command line of `retire`: the reference's one line, clap's first words in the last ones, and all of them for
/// a person at a terminal.
pub(super) fn usage_with(message: &str) -> Report {
    let mut report = Report { stderr: usage_line().stderr, ..usage(message) };
    if io::stderr().is_terminal() {
        report.stderr.push_str(message);
    }
    report
}

/// `--command-file=F`: the reference refuses the joined form, so nobody's tooling may come to lean on it.
pub(super) fn has_joined_command_file(arguments: &[OsString]) -> bool {
    arguments.iter().any(|argument| argument.as_encoded_bytes().starts_with(b"--command-file="))
}

/// The reference's usage line.
pub(super) fn usage_line() -> Report {
    usage(&format!("{{\"code\":\"{}\",\"message\":\"{TEXT}\"}}\n", USAGE.code))
}

fn invocation(command_file: PathBuf) -> Invocation {
    let order = retire::Order {
        task: retire::Task::Run { command_file, guard: retire::Guard::Trust },
        authority: Authority::InCluster(super::service_env(PathBuf::from(MOUNT))),
        lookup: super::lookup,
        budget: Duration::from_secs(BUDGET_SECONDS),
    };
    Invocation { order: Order::Retire(order), level: LevelFilter::WARN, place: Place::Kubelet }
}

const PROGRAM: &str = "ql3-prompt-output-key-retire";
const TEXT: &str = "Usage: ql3-prompt-output-key-retire run --command-file /absolute/retirement.json";
