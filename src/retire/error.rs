//! Why a retirement did not end well.

use crate::barrier;
use crate::cluster;
use crate::code::Code;
use crate::exit::Exit;
use crate::file;
use crate::json;
use crate::keyring;
use crate::keyring::Kind;
use crate::ledger;

use super::decide::Refusal;

/// A failed run, plan or command.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The work failed, and then the ledger did not close either; look at both.
    #[error("the work failed and the database did not close ({close})")]
    Aggregate {
        /// Why the work failed.
        #[source]
        work: Box<Self>,
        /// Why the close failed.
        close: ledger::Error,
    },
    /// The network policy's side.
    #[error("the network policy was not seen to be in force")]
    Barrier(#[source] barrier::Error),
    /// Everything was done, and then the database session did not end in order.
    #[error("the database session did not end in order")]
    Close(#[source] ledger::Error),
    /// The API server's side.
    #[error("the cluster's side failed")]
    Cluster(#[source] cluster::Error),
    /// The command file could not be read.
    #[error("the command file cannot be used")]
    CommandFile(#[source] file::Error),
    /// The new command file could not be made.
    #[error("the command file was not written")]
    CommandNotMade(#[source] file::CreateError),
    /// The command file is the bundle's example, or half of it.
    #[error("the command's {0} is still a placeholder")]
    CommandPlaceholder(&'static str),
    /// The command file is JSON of another shape.
    #[error("the command file does not have the shape of a retirement command")]
    CommandShape(#[source] json::Error),
    /// The command file is not JSON.
    #[error("the command file cannot be parsed")]
    CommandSyntax(#[source] json::Error),
    /// One of the four identities does not match its pattern.
    #[error("the command's identities are not acceptable")]
    Identities(#[source] keyring::Error),
    /// The database's side.
    #[error("the ledger's side failed")]
    Ledger(#[source] ledger::Error),
    /// The operating system refused to deliver signals.
    #[error("signals cannot be listened to")]
    NoSignals(#[source] std::io::Error),
    /// The deadline passed before the point of no return.
    #[error("the deadline passed; nothing was begun that is not recorded")]
    OutOfTime,
    /// What was seen allows no step.
    #[error("{0}")]
    Refused(Refusal),
    /// The environment does not describe the database.
    #[error("the database's settings cannot be used")]
    Settings(#[source] ledger::settings::Error),
    /// SIGTERM or SIGINT before the point of no return.
    #[error("told to stop; nothing was begun that is not recorded")]
    Stopped,
    /// The key is out of the Secret, and the completion could not be recorded.
    #[error("the key is out of the Secret, and the completion is not recorded")]
    Unconfirmed(#[source] ledger::Error),
    /// The swap was sent and the run ended before it was settled.
    #[error("the swap was sent and the run ended before its effect was known")]
    Unsettled,
}

impl Error {
    /// The row whose name and code a failure line prints: the reference has a name of its own for an aggregate.
    pub fn line(&self) -> &'static Code {
        if let Self::Aggregate { .. } = self { &AGGREGATE } else { self.code() }
    }

    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            // A close that fails too changes nothing about what the work left behind.
            Self::Aggregate { work, .. } => work.code(),
            Self::Barrier(error) => error.code(),
            Self::Close(_) => &CLOSE,
            Self::Cluster(error) => error.code(),
            Self::CommandFile(error) => error.code(),
            Self::CommandNotMade(error) => error.code(),
            Self::CommandPlaceholder(_) => &COMMAND_PLACEHOLDER,
            Self::CommandShape(_) => &COMMAND_SHAPE,
            Self::CommandSyntax(_) => &COMMAND_SYNTAX,
            Self::Identities(_) => &IDENTITIES,
            Self::Ledger(error) => error.code(),
            Self::NoSignals(_) => &NO_SIGNALS,
            Self::OutOfTime => &OUT_OF_TIME,
            Self::Refused(refusal) => refusal.code(),
            Self::Settings(error) => error.code(),
            Self::Stopped => &STOPPED,
            Self::Unconfirmed(ledger::Error::Conflict(_)) => &COMPLETION_REFUSED,
            Self::Unconfirmed(_) => &COMPLETION_MISSING,
            Self::Unsettled => &UNSETTLED,
        }
    }
}

impl Refusal {
    /// The stable code. Every refusal but one is the reference's conflict kind.
    pub fn code(self) -> &'static Code {
        match self {
            Self::Active => &ACTIVE,
            Self::AlreadyRetired => &ALREADY_RETIRED,
            Self::CatalogChanged => &CATALOG_CHANGED,
            Self::CompletionDisputed => &COMPLETION_DISPUTED,
            Self::Live => ledger::LIVE,
            Self::NoRoom => &NO_ROOM,
            Self::OtherCommand => ledger::ANOTHER,
            Self::PastTheFence => &COMPLETION_REFUSED,
            Self::ProofMismatch => &PROOF_MISMATCH,
            Self::RetiredElsewhere => &RETIRED_ELSEWHERE,
            Self::Unknown => &UNKNOWN,
        }
    }
}

/// The codes of this module.
pub static CODES: &[&Code] = &[
    &ACTIVE,
    &AGGREGATE,
    &ALREADY_RETIRED,
    &CATALOG_CHANGED,
    &CLOSE,
    &COMMAND_PLACEHOLDER,
    &COMMAND_SHAPE,
    &COMMAND_SYNTAX,
    &COMPLETION_DISPUTED,
    &COMPLETION_MISSING,
    &COMPLETION_REFUSED,
    &IDENTITIES,
    &NO_ROOM,
    &NO_SIGNALS,
    &OUT_OF_TIME,
    &PROOF_MISMATCH,
    &RETIRED_ELSEWHERE,
    &STOPPED,
    &UNKNOWN,
    &UNSETTLED,
];

const fn conflict(code: &'static str, exit: Exit, meaning: &'static str, remedy: &'static str) -> Code {
    Kind::Conflict.code(code, exit, meaning, remedy)
}

static ACTIVE: Code = conflict(
    "QL3_RETIREMENT_KEY_ACTIVE",
    Exit::Data,
    "the key is the active one, which encrypts; it is never retired",
    "rotate to a new key first, or name the key that is to go",
);
static AGGREGATE: Code = Code {
    name: "AggregateError",
    ..Code::own(
        "QL3_RETIREMENT_CLOSE_FAILED_TOO",
        Exit::Unavailable,
        "the work failed and the database did not close either",
        "read the reason, mend the first fault and run the same command again",
    )
};
static ALREADY_RETIRED: Code = conflict(
    "QL3_RETIREMENT_ALREADY_RETIRED",
    Exit::Data,
    "the Secret says that the key is retired already",
    "run `ql3-ops retire run` with the command that retired it, to see it confirmed; a new command is not needed",
);
static CATALOG_CHANGED: Code = conflict(
    "QL3_RETIREMENT_CATALOG_CHANGED",
    Exit::Data,
    "the keyring changed after the preparation that pins it; this key can never be retired by this protocol",
    "keep the key; run rotations and retirements one after the other from now on",
);
static CLOSE: Code = Code::own(
    "QL3_RETIREMENT_CLOSE_FAILED",
    Exit::TryAgain,
    "the work was done, and then the database session did not end in order",
    "run the same command again: it says what is recorded",
);
static COMMAND_PLACEHOLDER: Code = Code::own(
    "QL3_RETIREMENT_COMMAND_PLACEHOLDER",
    Exit::Data,
    "the command file still holds a placeholder of the bundle's example",
    "write it with `ql3-ops retire command`",
);
static COMMAND_SHAPE: Code = Code::type_error(
    "QL3_RETIREMENT_COMMAND_SHAPE_INVALID",
    Exit::Data,
    "the command file is JSON but not a retirement command",
    "write it with `ql3-ops retire command`",
);
static COMMAND_SYNTAX: Code = Code {
    name: "SyntaxError",
    ..Code::own(
        "QL3_RETIREMENT_COMMAND_SYNTAX_INVALID",
        Exit::Data,
        "the command file is not JSON",
        "correct it at the line and column that the reason names, or write it with `ql3-ops retire command`",
    )
};
static COMPLETION_DISPUTED: Code = conflict(
    "QL3_RETIREMENT_COMPLETION_DISPUTED",
    Exit::Data,
    "the ledger says that the key is retired and the Secret does not agree",
    "touch nothing; compare `ql3-ops retire plan` with the Secret's history and the database's backups",
);
static COMPLETION_MISSING: Code = Kind::Unavailable.code(
    "QL3_RETIREMENT_COMPLETION_MISSING",
    Exit::Unsettled,
    "the key is out of the Secret, and the ledger does not say so yet",
    "mend what the reason names and run the same command again: it records the completion; start nothing else before",
);
static COMPLETION_REFUSED: Code = conflict(
    "QL3_RETIREMENT_COMPLETION_REFUSED",
    Exit::Data,
    "the key is out of the Secret, and the ledger refuses to record it: it holds live ciphertexts or another command",
    "touch nothing; find out who wrote to the ledger past the fence, and keep a copy of the old keyring if there is one",
);
static IDENTITIES: Code = Code {
    code: "QL3_RETIREMENT_IDENTITIES_INVALID",
    reference: Some("QL3_PROMPT_OUTPUT_KEY_RETIREMENT_PROCESS_CONFIG_INVALID"),
    name: "ClusterPromptOutputKeyRetirementProcessConfigError",
    exit: Exit::Data,
    meaning: "one of the four identities of the command does not match its pattern",
    remedy: "take the key id from `ql3-ops keyring inspect`; let `ql3-ops retire command` write the other identities",
};
static NO_ROOM: Code = conflict(
    "QL3_RETIREMENT_KEYRING_FULL",
    Exit::Data,
    "the keyring has 64 retirement records or has reached the last generation",
    "start a new keyring; this one cannot take another retirement",
);
static NO_SIGNALS: Code = Code::own(
    "QL3_SIGNALS_UNAVAILABLE",
    Exit::Os,
    "the operating system refused to deliver signals to the process",
    "check the limit on open files and the seccomp profile",
);
static OUT_OF_TIME: Code = Code::own(
    "QL3_RETIREMENT_OUT_OF_TIME",
    Exit::TryAgain,
    "the deadline passed; this run had not sent its write of the Secret",
    "look for what is slow in the log at `--log-level info`, then run the same command again",
);
static PROOF_MISMATCH: Code = conflict(
    "QL3_RETIREMENT_PROOF_MISMATCH",
    Exit::Data,
    "the Secret's retirement record does not follow from the preparation in the ledger",
    "touch nothing; find out which of the two was restored from a backup",
);
static RETIRED_ELSEWHERE: Code = conflict(
    "QL3_RETIREMENT_RETIRED_ELSEWHERE",
    Exit::Data,
    "the Secret says that the key is retired and the ledger knows nothing of it",
    "check that this database belongs to this cluster, and whether it was restored from a backup",
);
static STOPPED: Code = Code::own(
    "QL3_RETIREMENT_STOPPED",
    Exit::TryAgain,
    "SIGTERM or SIGINT came; this run had not sent its write of the Secret",
    "run the same command again",
);
static UNKNOWN: Code = Kind::Unavailable.code(
    "QL3_RETIREMENT_KEY_UNKNOWN",
    Exit::NoInput,
    "the keyring neither holds the key nor a record of its retirement",
    "list the keys with `ql3-ops keyring inspect` and check the key id",
);
static UNSETTLED: Code = Kind::Unavailable.code(
    "QL3_RETIREMENT_UNSETTLED",
    Exit::Unsettled,
    "the write of the Secret was sent and its effect is not known",
    "run the same command again: the ledger holds the preparation, and the next run settles it",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_close_that_fails_too_does_not_hide_how_the_work_ended() {
        let aggregate = |work| Error::Aggregate { work: Box::new(work), close: ledger::Error::Silent };
        for (work, exit) in
            [(Error::Unsettled, Exit::Unsettled), (Error::Refused(Refusal::Live), Exit::TryAgain)]
        {
            let code = work.code();
            let error = aggregate(work);
            assert_eq!((error.code(), error.code().exit, error.line()), (code, exit, &AGGREGATE));
        }
    }

    #[test]
    fn once_the_key_is_out_no_failure_of_the_ledger_says_that_nothing_happened() {
        for error in [ledger::Error::Silent, ledger::Error::Locked, ledger::Error::Standby] {
            assert_eq!(Error::Unconfirmed(error).code().exit, Exit::Unsettled);
        }
    }
}
