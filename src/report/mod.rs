//! How a run speaks: stdout is the result, stderr the log and the one failure line, and the termination
//! message the last words.

mod last_words;
pub mod log;
pub mod panic;

use std::io;
use std::io::IsTerminal;
use std::io::Write;

pub use last_words::LastWords;
pub use last_words::Place;
pub use last_words::Words;

use crate::code::Code;
use crate::exit::Exit;
use crate::hidden::Hidden;

/// Everything that a run says when it ends.
#[derive(Debug)]
pub struct Report {
    /// How the process ends.
    pub exit: Exit,
    /// The result, with its newline, or nothing. Hidden, for a new keyring is a result too.
    pub stdout: Hidden,
    /// The failure line, with its newline, or nothing.
    pub stderr: String,
    /// What the kubelet is told.
    pub last_words: Words,
}

/// Who reads a result.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Form {
    /// A program: one JSON line.
    Json,
    /// A person at a terminal.
    Text,
}

impl Form {
    /// Text where stdout is a terminal.
    pub fn of_stdout() -> Self {
        if io::stdout().is_terminal() { Self::Text } else { Self::Json }
    }
}

/// Why a run failed.
#[derive(Debug)]
pub struct Failure {
    /// Its row in the table of codes.
    pub code: &'static Code,
    /// The row whose name and code the failure line prints: the same, but for an aggregate.
    pub line: &'static Code,
    /// The step it failed in.
    pub step: &'static str,
    /// The error and its sources, outermost first.
    pub reason: String,
}

impl Failure {
    /// Flattens an error and its sources into one reason.
    pub fn new(code: &'static Code, step: &'static str, error: &dyn std::error::Error) -> Self {
        let mut reason = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            reason.push_str(": ");
            reason.push_str(&cause.to_string());
            source = cause.source();
        }
        Self { code, line: code, step, reason }
    }

    /// Prints another row's name and code in the failure line.
    #[must_use]
    pub fn printed_as(self, line: &'static Code) -> Self {
        Self { line, ..self }
    }
}

/// Who speaks in a failure line: `component` and `event`, wire facts of ADR-0262 for `retire`.
#[derive(Clone, Copy, Debug)]
pub struct Speaker {
    /// The program as its operators' tooling knows it.
    pub component: &'static str,
    /// The event of a failed run.
    pub event: &'static str,
}

/// The component of lines that are not about an operation of the reference's.
pub const COMPONENT: &str = "ql3-ops";

impl Speaker {
    /// A verb of ours that the reference does not have.
    pub const fn own(event: &'static str) -> Self {
        Self { component: COMPONENT, event }
    }
}

impl Report {
    /// A run that ended as wished, with its result.
    pub fn done(stdout: impl Into<Hidden>, last_words: impl Into<Words>) -> Self {
        let last_words = last_words.into();
        Self { exit: Exit::Done, stdout: stdout.into(), stderr: String::new(), last_words }
    }

    /// A run that failed: one JSON line of the reference's members and, for a person at a terminal, two
    /// lines more.
    pub fn failed(speaker: Speaker, failure: &Failure) -> Self {
        let code = failure.code;
        let mut stderr = failure_line(speaker, failure.line.name, failure.line.printed());
        if io::stderr().is_terminal() {
            let (reason, remedy) = (printable(&failure.reason), code.remedy);
            stderr.extend(["error: ", &reason, "\nhint: ", remedy, "\n"]);
        }
        tracing::info!(
            step = failure.step,
            code = code.code,
            exit = code.exit.name(),
            reason = failure.reason,
            "failed"
        );
        Self { exit: code.exit, stderr, ..Self::done("", LastWords::failed(failure)) }
    }

    /// Says everything, result first, and returns the exit code: 74 where a successful run could not say it.
    pub fn speak(self, place: &Place) -> Exit {
        let said = say(&mut io::stdout().lock(), self.stdout.expose())
            .and(say(&mut io::stderr().lock(), self.stderr.as_bytes()));
        let left = self.last_words.leave(place);
        if let Err(error) = &left {
            tracing::info!(reason = %error, "last words not written");
        }
        let unsaid = said.is_err() || left.is_err();
        if self.exit == Exit::Done && unsaid { Exit::Io } else { self.exit }
    }
}

/// One line of the members that the reference's failure lines have, in their order.
pub fn failure_line(speaker: Speaker, name: &str, code: &str) -> String {
    let Speaker { component, event } = speaker;
    format!(
        "{{\"schemaVersion\":1,\"component\":\"{component}\",\"event\":\"{event}\",\"name\":\"{name}\",\"code\":\"{code}\"}}\n"
    )
}

fn say(stream: &mut impl Write, text: &[u8]) -> io::Result<()> {
    stream.write_all(text).and_then(|()| stream.flush())
}

/// A reason as a terminal may see it: control characters become their escapes.
pub fn printable(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}
