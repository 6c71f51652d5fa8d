//! The built program, run as a process with an environment of its own.

use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;
use std::process::Child;
use std::process::Command;
use std::process::Stdio;

/// How a run of the program ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) exit: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The path of the built program.
pub(crate) fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_ql3-ops"))
}

/// The program with an empty environment.
pub(crate) fn program() -> Command {
    named(path())
}

/// Another file, run the same way: a link to the program under another name.
pub(crate) fn named(path: PathBuf) -> Command {
    let mut command = Command::new(path);
    command.env_clear().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs it to its end.
pub(crate) fn run(command: &mut Command) -> Ended {
    wait(command.spawn().expect("the program starts"))
}

/// Waits for the end of a run.
pub(crate) fn wait(child: Child) -> Ended {
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ended { exit: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// Runs it with arguments alone.
pub(crate) fn with_arguments(arguments: &[impl AsRef<OsStr>]) -> Ended {
    run(program().args(arguments))
}

/// Runs it with bytes on stdin.
pub(crate) fn with_stdin(command: &mut Command, bytes: &[u8]) -> Ended {
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the program starts");
    // It may refuse early and close its end: that shows in the exit.
    drop(child.stdin.take().expect("a pipe").write_all(bytes));
    wait(child)
}
