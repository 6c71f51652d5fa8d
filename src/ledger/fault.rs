//! What a statement's failure says about the transaction it stood in.

use std::error::Error;
use std::fmt;
use std::io;

use tokio_postgres::error::DbError;
use tokio_postgres::error::Severity;

/// Five characters of `[0-9A-Z]` (PostgreSQL manual, appendix A); what else a server says there becomes `XXXXX`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Sqlstate([u8; 5]);

impl Sqlstate {
    pub(super) fn new(text: &str) -> Self {
        match text.as_bytes().try_into() {
            Ok(bytes) if text.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase()) => Self(bytes),
            _ => Self(*b"XXXXX"),
        }
    }

    /// The five characters.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Sqlstate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A statement that did not succeed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Fault {
    /// Somebody refused it and the session lives; the server, or a pooler that lost its server.
    Answer(Sqlstate),
    /// The session is gone: nothing is known about what was on its way.
    Lost(Option<Sqlstate>),
    /// The server spoke outside its protocol or answered with another shape: nothing is known either.
    Odd,
    /// No answer in time; it may still come into effect.
    Silent,
}

impl Fault {
    /// Reads the driver's error. Its text is left behind: it may quote values.
    pub(super) fn read(error: &tokio_postgres::Error) -> Self {
        match error.as_db_error() {
            Some(answer) => Self::judge(Sqlstate::new(answer.code().code()), is_fatal(answer)),
            None if error.is_closed() || is_broken_pipe(error) => Self::Lost(None),
            None => Self::Odd,
        }
    }

    /// Class 08 and 57P are about the session, however mildly a server or a pooler puts it.
    fn judge(state: Sqlstate, is_fatal: bool) -> Self {
        let about_session = state.as_str().starts_with("08") || state.as_str().starts_with("57P");
        if is_fatal || about_session { Self::Lost(Some(state)) } else { Self::Answer(state) }
    }

    /// Serialization failure or deadlock: the same transaction may succeed when it is run again.
    pub(super) fn may_pass(self) -> bool {
        matches!(self, Self::Answer(state) if ["40001", "40P01"].contains(&state.as_str()))
    }

    /// Unique violation: the row, or one that shares an identity with it, is there.
    pub(super) fn is_duplicate(self) -> bool {
        matches!(self, Self::Answer(state) if state.as_str() == "23505")
    }

    /// The server rolled the transaction back, and only a server says so: a constraint (23), an invalid state of
    /// the transaction (25), a rollback (40, without the state that itself means "unknown").
    ///
    /// 25P01 is not among them: without a transaction block the INSERT has committed by itself.
    fn is_abort(self) -> bool {
        let Self::Answer(state) = self else { return false };
        let is_unknown = ["25P01", "40003"].contains(&state.as_str());
        !is_unknown && ["23", "25", "40"].iter().any(|class| state.as_str().starts_with(class))
    }
}

fn is_fatal(answer: &DbError) -> bool {
    match answer.parsed_severity() {
        Some(severity) => matches!(severity, Severity::Fatal | Severity::Panic),
        // Only poolers leave the untranslated severity out.
        None => answer.severity() != "ERROR",
    }
}

/// The driver also wraps what it cannot parse in an I/O error, of the kinds for invalid data.
fn is_broken_pipe(error: &tokio_postgres::Error) -> bool {
    let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    source.is_some_and(|e| !matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData))
}

/// How the flight of INSERT and COMMIT ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Ending {
    /// Nothing was written.
    Aborted(Fault),
    /// It is written.
    Committed,
    /// Both are possible.
    InDoubt(Fault),
}

/// Judges the two answers. COMMIT of an aborted transaction is answered like any other, so the INSERT's failure
/// is what counts; and an error that a pooler may have made up is no answer while nobody has answered the COMMIT.
pub(super) fn judge_commit(insert: Result<u64, Fault>, commit: Result<(), Fault>) -> Ending {
    match (insert, commit) {
        (Ok(1), Ok(())) => Ending::Committed,
        // A trigger or a rule swallowed the row.
        (Ok(_), Ok(())) => Ending::Aborted(Fault::Odd),
        // The session outlived the refusal.
        (Err(fault @ Fault::Answer(_)), Ok(())) => Ending::Aborted(fault),
        (Err(fault), _) | (Ok(_), Err(fault)) if fault.is_abort() => Ending::Aborted(fault),
        (Err(fault), _) | (Ok(_), Err(fault)) => Ending::InDoubt(fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(state: &str) -> Fault {
        Fault::Answer(Sqlstate::new(state))
    }

    #[test]
    fn a_failed_insert_is_remembered_although_commit_is_answered() {
        assert_eq!(judge_commit(Err(answer("23505")), Ok(())), Ending::Aborted(answer("23505")));
        assert_eq!(judge_commit(Ok(0), Ok(())), Ending::Aborted(Fault::Odd));
        assert_eq!(judge_commit(Ok(1), Ok(())), Ending::Committed);
    }

    #[test]
    fn an_error_to_a_commit_is_a_no_only_where_nobody_but_the_server_could_say_it() {
        for state in ["23503", "23505", "25006", "25P02", "40001", "40002", "40P01"] {
            let fault = answer(state);
            assert_eq!(judge_commit(Ok(1), Err(fault)), Ending::Aborted(fault));
            assert_eq!(judge_commit(Err(fault), Err(Fault::Lost(None))), Ending::Aborted(fault));
        }
        for state in ["XX000", "58000", "58030", "53300", "25P01", "40003", "57014", "26000", "XXXXX"] {
            let fault = answer(state);
            assert_eq!(judge_commit(Ok(1), Err(fault)), Ending::InDoubt(fault));
            // The flight was sent as a whole: whoever did not read the first answer may have had both carried out.
            assert_eq!(judge_commit(Err(fault), Err(Fault::Lost(None))), Ending::InDoubt(fault));
            assert_eq!(judge_commit(Err(fault), Err(fault)), Ending::InDoubt(fault));
            // A session that goes on to answer the COMMIT has the server behind it, which refused the INSERT.
            assert_eq!(judge_commit(Err(fault), Ok(())), Ending::Aborted(fault));
        }
    }

    #[test]
    fn no_answer_to_a_commit_is_never_taken_for_one() {
        for fault in [Fault::Lost(None), Fault::Silent, Fault::Odd, Fault::Lost(Some(Sqlstate::new("57P01")))]
        {
            assert_eq!(judge_commit(Ok(1), Err(fault)), Ending::InDoubt(fault));
            assert_eq!(judge_commit(Err(fault), Err(Fault::Lost(None))), Ending::InDoubt(fault));
        }
    }

    #[test]
    fn an_answer_about_the_session_is_no_answer_about_the_transaction() {
        for (state, is_fatal, lost) in [
            ("57P01", true, true),
            ("57P01", false, true),
            ("08006", false, true),
            ("08P01", true, true),
            ("53300", true, true),
            ("25P02", false, false),
            ("57014", false, false),
            ("40001", false, false),
        ] {
            let fault = Fault::judge(Sqlstate::new(state), is_fatal);
            assert_eq!(matches!(fault, Fault::Lost(_)), lost, "{state}");
        }
    }

    #[test]
    fn only_two_states_may_pass_and_a_state_is_five_characters() {
        assert!(answer("40001").may_pass() && answer("40P01").may_pass());
        assert!(!answer("55P03").may_pass() && !Fault::Lost(Some(Sqlstate::new("40001"))).may_pass());
        for odd in ["", "4000", "400011", "4000é", "40 01", "abcde"] {
            assert_eq!(Sqlstate::new(odd).as_str(), "XXXXX");
        }
    }
}
