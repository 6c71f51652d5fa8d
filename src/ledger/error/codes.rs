//! The codes of the ledger. Where the reference has a name for a kind, several of ours share it: one kind, and
//! each cause with the exit code that fits it.

use crate::code::Code;
use crate::exit::Exit;

/// The codes of this module. A code of the reference stands in several rows, one for each exit.
pub static CODES: &[&Code] = &[
    &BUSY,
    &CONFLICT,
    &DENIED,
    &LOGIN,
    &NOT_REPLICATED,
    &RACE,
    &READ_ONLY,
    &ROW,
    &SCHEMA,
    &SETTINGS,
    &STANDBY,
    &UNAVAILABLE,
    &UNREACHABLE,
    &UNSETTLED,
];

const fn conflict(exit: Exit, meaning: &'static str, remedy: &'static str) -> Code {
    Code {
        code: "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_CONFLICT",
        name: "PluginPackagePromptOutputKeyRetirementConflictError",
        exit,
        meaning,
        remedy,
    }
}

const fn unavailable(exit: Exit, meaning: &'static str, remedy: &'static str) -> Code {
    Code {
        code: "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_UNAVAILABLE",
        name: "PluginPackagePromptOutputKeyRetirementUnavailableError",
        exit,
        meaning,
        remedy,
    }
}

const fn own(code: &'static str, exit: Exit, meaning: &'static str, remedy: &'static str) -> Code {
    Code {
        code,
        name: "Error",
        exit,
        meaning,
        remedy,
    }
}

pub(super) static BUSY: Code = unavailable(
    Exit::TryAgain,
    "another transaction was in the way three times, or held a lock for longer than 5 s; nothing was written",
    "run it again",
);
pub(super) static CONFLICT: Code = conflict(
    Exit::Data,
    "the ledger holds another order for this key, or ciphertexts under the key are still kept",
    "run the recorded order again, or wait until the ciphertexts are collected; `retire plan` says which",
);
pub(super) static DENIED: Code = unavailable(
    Exit::Denied,
    "the database role may not read or write the ledger",
    "run `ledger check`; it says what to grant",
);
pub(super) static LOGIN: Code = own(
    "QL3_POSTGRES_LOGIN_REFUSED",
    Exit::Denied,
    "the database refused the login: role, password, expiry, CONNECT privilege or pg_hba.conf",
    "compare the password Secret with the role; the server's log has the reason",
);
pub(super) static NOT_REPLICATED: Code = own(
    "QL3_LEDGER_COMMIT_NOT_REPLICATED",
    Exit::Unsettled,
    "a commit was answered while its replication was cancelled: a fail-over now would lose it",
    "see to the synchronous standby, then run it again",
);
pub(super) static RACE: Code = conflict(
    Exit::TryAgain,
    "a constraint refused the row: somebody recorded one of these identities meanwhile",
    "run it again; if it repeats, one of the identities was used for another key",
);
pub(super) static READ_ONLY: Code = own(
    "QL3_POSTGRES_READ_ONLY",
    Exit::Config,
    "the database session is read-only",
    "look at default_transaction_read_only of role and database",
);
pub(super) static ROW: Code = unavailable(
    Exit::Data,
    "a stored row contradicts itself: its columns, its receipt and its partner do not agree",
    "stop and find out who wrote it; the ledger is append-only for our roles",
);
pub(super) static SCHEMA: Code = unavailable(
    Exit::Config,
    "tables or columns of the ledger are missing",
    "run the platform's migrations, or `ledger install` on a database of its own",
);
pub(super) static SETTINGS: Code = own(
    "QL3_POSTGRES_SESSION_SETTINGS_IGNORED",
    Exit::Config,
    "the session's time-outs or search path were refused or dropped on the way, as poolers do",
    "connect to the server itself, or let the pooler pass the startup parameter `options`",
);
pub(super) static STANDBY: Code = own(
    "QL3_POSTGRES_STANDBY",
    Exit::Unavailable,
    "the database that answered is a standby",
    "dial the primary (with CloudNativePG the -rw service); after a fail-over run it again",
);
pub(super) static UNAVAILABLE: Code = unavailable(
    Exit::Unavailable,
    "the database refused a statement, ended the session or did not answer in time; nothing is half done",
    "run it again; if it repeats, the log has the SQLSTATE",
);
pub(super) static UNREACHABLE: Code = own(
    "QL3_POSTGRES_UNREACHABLE",
    Exit::Unavailable,
    "nobody answers at the database's address, its name is unknown, or it takes no session now",
    "check name, port and network policy; during a fail-over run it again",
);
pub(super) static UNSETTLED: Code = own(
    "QL3_LEDGER_COMMIT_UNSETTLED",
    Exit::Unsettled,
    "a commit was sent, its answer was lost, and the outcome could not be learnt before the deadline",
    "run it again: it finds out what was written and goes on from there",
);
