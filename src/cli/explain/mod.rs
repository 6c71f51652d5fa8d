//! `explain`: what a code or an exit means and what to do. Answered from the table of codes alone: no file, no
//! environment, no runtime.

mod answer;
mod near;

use std::ffi::OsString;

use clap::Args;

use self::answer::Answer;
use super::codes;
use crate::code::Code;
use crate::exit::Exit;
use crate::report::Failure;
use crate::report::Form;
use crate::report::LastWords;
use crate::report::Report;
use crate::report::Speaker;

#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub(super) struct Explain {
    /// A code, or an exit by its number or its name; in upper or lower case
    #[arg(value_name = "CODE")]
    code: Option<OsString>,
    /// List every code
    #[arg(long)]
    all: bool,
}

impl Explain {
    pub(super) fn report(self) -> Report {
        let form = Form::of_stdout();
        let asked = self.code.unwrap_or_default();
        let asked = asked.to_string_lossy();
        if self.all {
            return said(sorted(|_code| true).into_iter().map(|code| Answer::listed(code, form)).collect());
        }
        match find(&asked) {
            Some(answer) => said(answer.say(form)),
            None => unknown(&asked),
        }
    }
}

fn said(stdout: String) -> Report {
    Report::done(stdout, LastWords::done("explained", None))
}

fn unknown(asked: &str) -> Report {
    let speaker = Speaker::own("explain_failed");
    let failure = Failure { code: &UNKNOWN, line: &UNKNOWN, step: "explain", reason: reason(asked) };
    Report::failed(speaker, &failure)
}

/// Names what was asked for, quoted, escaped and cut to the length that a code may have.
fn reason(asked: &str) -> String {
    let asked: String = asked.chars().take(MAX_ASKED).collect();
    let near = near::to(&asked).join(", ");
    let near = if near.is_empty() { near } else { format!("; near it: {near}") };
    format!("no code and no exit is called {asked:?}{near}")
}

fn find(asked: &str) -> Option<Answer> {
    let is_asked = |name: &str| name.eq_ignore_ascii_case(asked);
    if let Some(code) = codes().find(|code| is_asked(code.code)) {
        return Some(Answer::Code(code.into()));
    }
    let mut exits = Exit::ALL.iter().copied();
    if let Some(exit) = exits.find(|exit| is_asked(exit.name()) || is_asked(&exit.number().to_string())) {
        return Some(Answer::exit(exit, &sorted(|code| code.exit == exit)));
    }
    let behind = sorted(|code| code.reference.is_some_and(is_asked));
    behind.first()?.reference.map(|reference| Answer::kind(reference, &behind))
}

fn sorted(is_wanted: impl Fn(&Code) -> bool) -> Vec<&'static Code> {
    let mut wanted: Vec<_> = codes().filter(|code| is_wanted(code)).collect();
    wanted.sort_by_key(|code| code.code);
    wanted
}

pub(super) static UNKNOWN: Code = Code::own(
    "QL3_CODE_UNKNOWN",
    Exit::NoInput,
    "`ql3-ops explain` was asked for something that is neither a code nor an exit of this version",
    "copy the code from the termination message, or find it with `ql3-ops explain --all`; 101, 137 and 143 stand in docs/runbook.md",
);

/// Characters of a code.
const MAX_ASKED: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_quoted_escaped_and_short() {
        assert_eq!(reason("xyz"), "no code and no exit is called \"xyz\"");
        for hostile in ["\u{1b}[31m", "\r\n", "\u{202e}", "\u{9b}", "\0", "\""] {
            let reason = reason(&hostile.repeat(300));
            assert!(reason.chars().all(|c| c.is_ascii_graphic() || c == ' '), "{reason}");
            assert!(reason.len() < 1200, "{}", reason.len());
        }
    }

    #[test]
    fn a_slip_is_led_back_to_what_was_meant() {
        for (slip, meant) in [
            ("QL3_RETIREMENT_OUT_OFTIME", "QL3_RETIREMENT_OUT_OF_TIME"),
            ("out_of_time", "QL3_RETIREMENT_OUT_OF_TIME"),
            ("ql3_stop", "QL3_STOPPED"),
            ("Unset", "Unsettled"),
        ] {
            assert!(find(slip).is_none());
            assert!(reason(slip).contains(meant), "{}", reason(slip));
        }
    }
}
