//! The codes of the ledger. Where the reference has a name for a kind, several of ours share it: one kind, and
//! each cause with the exit code that fits it.

use crate::code::Code;
use crate::exit::Exit;
use crate::keyring::Kind;

/// The codes of this module.
pub static CODES: &[&Code] = &[
    &ANOTHER,
    &BUSY,
    &DENIED,
    &DRIFTED,
    &LIVE,
    &LOGIN,
    &NOT_GRANTED,
    &NOT_INSTALLED,
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

const fn not_ready(code: &'static str, exit: Exit, meaning: &'static str, remedy: &'static str) -> Code {
    let (name, reference) = (
        "PluginPackagePromptOutputArtifactUnavailableError",
        Some("PLUGIN_PACKAGE_PROMPT_OUTPUT_ARTIFACT_UNAVAILABLE"),
    );
    Code { code, reference, name, exit, meaning, remedy }
}

pub(super) static ANOTHER: Code = Kind::Conflict.code(
    "QL3_LEDGER_ANOTHER_ORDER",
    Exit::Data,
    "the ledger holds another command for this key, or no preparation of this one",
    "run the recorded command again; `ql3-ops retire plan` shows its identities",
);
pub(super) static BUSY: Code = Kind::Unavailable.code(
    "QL3_LEDGER_BUSY",
    Exit::TryAgain,
    "another transaction was in the way three times, or held a lock for longer than 5 s; nothing was written",
    "run the same command again",
);
pub(super) static DENIED: Code = Kind::Unavailable.code(
    "QL3_LEDGER_DENIED",
    Exit::Denied,
    "the database role may not read or write the ledger",
    "run `ql3-ops ledger check`; where it finds nothing, a row security policy applies to the role",
);
pub(super) static DRIFTED: Code = Code::own(
    "QL3_LEDGER_SCHEMA_DRIFTED",
    Exit::Config,
    "the history table holds a step of ours with another checksum, or without the one before it",
    "find out who edited the history, or install into a database of its own",
);
pub(super) static LIVE: Code = Kind::Conflict.code(
    "QL3_LEDGER_LIVE_CIPHERTEXTS",
    Exit::TryAgain,
    "live ciphertexts still need the key",
    "let them be collected, then run the same command again; `ql3-ops retire plan` says whose they are and until when",
);
pub(super) static LOGIN: Code = Code::own(
    "QL3_POSTGRES_LOGIN_REFUSED",
    Exit::Denied,
    "the database refused the login: role, password, expiry, CONNECT privilege or pg_hba.conf",
    "compare the password Secret with the role; the server's log has the reason",
);
pub(super) static NOT_GRANTED: Code = not_ready(
    "QL3_LEDGER_NOT_GRANTED",
    Exit::Denied,
    "the database role has too many privileges or too few",
    "let an administrator run the statements that `ql3-ops ledger check` prints",
);
pub(super) static NOT_INSTALLED: Code = not_ready(
    "QL3_LEDGER_NOT_INSTALLED",
    Exit::Config,
    "tables, schemas or roles of the ledger are not there",
    "run the platform's migrations, or `ql3-ops ledger install` on a database of its own",
);
pub(super) static NOT_REPLICATED: Code = Kind::Unavailable.code(
    "QL3_LEDGER_COMMIT_NOT_REPLICATED",
    Exit::Unsettled,
    "a commit was answered while its replication was cancelled: a fail-over now would lose it",
    "bring the synchronous standby back, then run the same command again",
);
pub(super) static RACE: Code = Kind::Conflict.code(
    "QL3_LEDGER_ROW_REFUSED",
    Exit::TryAgain,
    "a constraint refused the row: somebody recorded one of these identities meanwhile",
    "run the same command again; if it repeats, one of the identities was used for another key: write a new command",
);
pub(super) static READ_ONLY: Code = Code::own(
    "QL3_POSTGRES_READ_ONLY",
    Exit::Config,
    "the database session is read-only",
    "switch default_transaction_read_only off for the role and the database",
);
pub(super) static ROW: Code = Kind::Unavailable.code(
    "QL3_LEDGER_ROW_INVALID",
    Exit::Data,
    "a stored row contradicts itself: its columns, its receipt and its partner do not agree",
    "touch nothing; find out who wrote it: the ledger is append-only for our roles",
);
pub(super) static SCHEMA: Code = Kind::Unavailable.code(
    "QL3_LEDGER_SCHEMA_MISSING",
    Exit::Config,
    "tables or columns of the ledger are missing",
    "run the platform's migrations, or `ql3-ops ledger install` on a database of its own",
);
pub(super) static SETTINGS: Code = Code::own(
    "QL3_POSTGRES_SESSION_SETTINGS_IGNORED",
    Exit::Config,
    "the session's settings (time-outs, search path, warnings, row security) were refused or dropped on the way, as poolers do",
    "connect to the server itself, or let the pooler pass the startup parameter `options`",
);
pub(super) static STANDBY: Code = Code::own(
    "QL3_POSTGRES_STANDBY",
    Exit::Unavailable,
    "the database that answered is a standby",
    "name the primary (with CloudNativePG the -rw service); after a fail-over run the same command again",
);
pub(super) static UNAVAILABLE: Code = Kind::Unavailable.code(
    "QL3_LEDGER_UNAVAILABLE",
    Exit::Unavailable,
    "the database refused a statement, ended the session or did not answer in time; nothing is half done",
    "run the same command again; if it repeats, look up the SQLSTATE that the reason gives",
);
pub(super) static UNREACHABLE: Code = Code::own(
    "QL3_POSTGRES_UNREACHABLE",
    Exit::Unavailable,
    "nobody answers at the database's address, its name is unknown, or it takes no session now",
    "check name, port and network policy; after a fail-over run the same command again",
);
pub(super) static UNSETTLED: Code = Kind::Unavailable.code(
    "QL3_LEDGER_COMMIT_UNSETTLED",
    Exit::Unsettled,
    "a commit was sent, its answer was lost, and the outcome could not be learnt before the deadline",
    "run the same command again: it finds out what was written and goes on from there",
);
