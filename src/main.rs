//! The door: parse, start the log, run, say the last words.

use std::process::ExitCode;

fn main() -> ExitCode {
    ql3_ops::run(&std::env::args_os().collect::<Vec<_>>()).into()
}
