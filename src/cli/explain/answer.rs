//! What `explain` answers, for a program and for a person.

use std::fmt;

use serde::Serialize;

use crate::code::Code;
use crate::exit::Exit;
use crate::report::Form;

/// An answer, with its members in their order.
#[derive(Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub(super) enum Answer {
    /// One code.
    Code(Row),
    /// How a process ends, and all codes that end it so.
    Exit { exit: &'static str, exit_code: u8, meaning: &'static str, codes: Vec<Row> },
    /// What failure lines print for a whole kind of failure, and the codes behind it.
    Kind { reference: &'static str, meaning: &'static str, codes: Vec<Row> },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row {
    code: &'static str,
    exit: &'static str,
    exit_code: u8,
    meaning: &'static str,
    remedy: &'static str,
    /// What failure lines print instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<&'static str>,
}

impl Answer {
    pub(super) fn exit(exit: Exit, codes: &[&Code]) -> Self {
        Self::Exit {
            exit: exit.name(),
            exit_code: exit.number(),
            meaning: exit.conclusion(),
            codes: rows(codes),
        }
    }

    pub(super) fn kind(reference: &'static str, codes: &[&Code]) -> Self {
        Self::Kind { reference, meaning: KIND, codes: rows(codes) }
    }

    /// A code as one of many: to a person only what it means.
    pub(super) fn listed(code: &Code, form: Form) -> String {
        match form {
            Form::Json => Self::Code(code.into()).say(form),
            Form::Text => Row::from(code).to_string(),
        }
    }

    /// One JSON line, or some lines of text.
    pub(super) fn say(&self, form: Form) -> String {
        match form {
            Form::Json => {
                let line = Line { schema_version: 1, answer: self };
                serde_json::to_string(&line).unwrap_or_default() + "\n"
            }
            Form::Text => self.to_string(),
        }
    }
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(rename = "schemaVersion")]
    schema_version: u32,
    #[serde(flatten)]
    answer: &'a Answer,
}

fn rows(codes: &[&Code]) -> Vec<Row> {
    codes.iter().map(|code| Row::from(*code)).collect()
}

impl From<&Code> for Row {
    fn from(code: &Code) -> Self {
        let Code { code, reference, name: _, exit, meaning, remedy } = *code;
        Self { code, exit: exit.name(), exit_code: exit.number(), meaning, remedy, reference }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let codes = match self {
            Self::Code(Row { code, exit, exit_code, meaning, remedy, reference }) => {
                writeln!(f, "{code}\nexit: {exit_code} {exit}\nmeaning: {meaning}\nremedy: {remedy}")?;
                return match reference {
                    Some(reference) => writeln!(f, "failure lines print: {reference}"),
                    None => Ok(()),
                };
            }
            Self::Exit { exit, exit_code, meaning, codes } => {
                writeln!(f, "exit: {exit_code} {exit}\nmeaning: {meaning}")?;
                codes
            }
            Self::Kind { reference, meaning, codes } => {
                writeln!(f, "{reference}\nmeaning: {meaning}")?;
                codes
            }
        };
        codes.iter().try_for_each(|row| write!(f, "{row}"))
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, exit, exit_code, meaning, .. } = self;
        writeln!(f, "{code} ({exit_code} {exit})\n    {meaning}")
    }
}

const KIND: &str = "failure lines print this for a whole kind of failure; the termination message has the finer code, \
                    one of these";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_reads_one_fact_a_line() {
        let code = Code {
            reference: Some("KIND"),
            ..Code::own("QL3_X", Exit::Unsettled, "it is not settled", "run it again")
        };
        let text = |answer: Answer| answer.say(Form::Text);
        assert_eq!(
            text(Answer::Code((&code).into())),
            "QL3_X\nexit: 82 Unsettled\nmeaning: it is not settled\nremedy: run it again\nfailure lines print: KIND\n"
        );
        let listed = "QL3_X (82 Unsettled)\n    it is not settled\n";
        assert_eq!(Answer::listed(&code, Form::Text), listed);
        assert_eq!(
            text(Answer::exit(Exit::Unsettled, &[&code])),
            format!("exit: 82 Unsettled\nmeaning: {}\n{listed}", Exit::Unsettled.conclusion())
        );
        assert_eq!(text(Answer::kind("KIND", &[&code])), format!("KIND\nmeaning: {KIND}\n{listed}"));
    }
}
