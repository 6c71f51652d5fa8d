//! The door: parse, start the log, run, say the last words.

use std::process::ExitCode;

/// musl's allocator maps and unmaps memory for most of what a run asks for: 400 system calls, 2 ms (ADR 11).
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    ql3_ops::run(&std::env::args_os().collect::<Vec<_>>()).into()
}
