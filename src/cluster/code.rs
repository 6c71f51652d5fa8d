//! The three codes that the reference prints for everything about the Secret, each with the exits it has
//! here: the code says what kind of trouble it is, the exit says what may be concluded.

use crate::code::Code;
use crate::exit::Exit;
use crate::keyring::Kind;

/// The code of trouble with the Secret that ends the process in a given way.
pub(super) fn unavailable(exit: Exit) -> &'static Code {
    match exit {
        Exit::Config => &UNAVAILABLE_CONFIG,
        Exit::Data => &UNAVAILABLE_DATA,
        Exit::Denied => &UNAVAILABLE_DENIED,
        Exit::NoInput => &UNAVAILABLE_ABSENT,
        Exit::Peer => &UNAVAILABLE_PEER,
        Exit::TryAgain => &UNAVAILABLE_OVERTAKEN,
        Exit::Unavailable => &UNAVAILABLE_DOWN,
        Exit::Unsettled => &UNAVAILABLE_UNSETTLED,
        Exit::Bug | Exit::Done | Exit::FenceBlind | Exit::FenceOpen | Exit::Io | Exit::Os | Exit::Usage => {
            &UNAVAILABLE_BUG
        }
    }
}

/// The codes of this module.
pub static CODES: &[&Code] = &[
    &CONFLICT,
    &INVALID,
    &UNAVAILABLE_ABSENT,
    &UNAVAILABLE_BUG,
    &UNAVAILABLE_CONFIG,
    &UNAVAILABLE_DATA,
    &UNAVAILABLE_DENIED,
    &UNAVAILABLE_DOWN,
    &UNAVAILABLE_OVERTAKEN,
    &UNAVAILABLE_PEER,
    &UNAVAILABLE_UNSETTLED,
];

pub(super) static CONFLICT: Code = Kind::Conflict.code(
    "QL3_SECRET_OVERTAKEN_BEFORE_WRITE",
    Exit::TryAgain,
    "another writer changed the Secret between our read and our write; nothing of ours was written",
    "run the same command again: it reads anew and decides anew",
);

pub(super) static INVALID: Code = Kind::Invalid.code(
    "QL3_SECRET_ADDRESS_INVALID",
    Exit::Data,
    "the command names a namespace, Secret, UID or entry that cannot exist",
    "correct the member that the reason names",
);

static UNAVAILABLE_ABSENT: Code = Kind::Unavailable.code(
    "QL3_SECRET_ABSENT",
    Exit::NoInput,
    "the Secret does not exist",
    "check namespace and name; a Secret that was deleted must be restored, not created anew",
);

static UNAVAILABLE_BUG: Code = Kind::Unavailable.code(
    "QL3_SECRET_REQUEST_BROKEN",
    Exit::Bug,
    "a request about the Secret could not be put together",
    "report it as a bug, with the version and the termination message",
);

static UNAVAILABLE_CONFIG: Code = Kind::Unavailable.code(
    "QL3_SECRET_WRITE_REFUSED",
    Exit::Config,
    "the API server, or an admission policy, refuses or alters the write of the Secret",
    "read the API server's audit log; check admission webhooks and policies for Secrets",
);

static UNAVAILABLE_DATA: Code = Kind::Unavailable.code(
    "QL3_SECRET_INVALID",
    Exit::Data,
    "the Secret is not the keyring's: wrong identity, labels, annotations, entry or content",
    "read the reason; restore the Secret from the last good generation if it was edited by hand",
);

static UNAVAILABLE_DENIED: Code = Kind::Unavailable.code(
    "QL3_SECRET_DENIED",
    Exit::Denied,
    "the API server refuses to let us read or write the Secret",
    "check Role, RoleBinding and the token's lifetime and audience",
);

static UNAVAILABLE_DOWN: Code = Kind::Unavailable.code(
    "QL3_SECRET_UNREACHABLE",
    Exit::Unavailable,
    "the API server did not answer about the Secret; nothing was written",
    "run the same command again when it has recovered",
);

static UNAVAILABLE_OVERTAKEN: Code = Kind::Unavailable.code(
    "QL3_SECRET_OVERTAKEN",
    Exit::TryAgain,
    "our write was not sent in time, or was lost while the Secret moved on; nothing of ours is in it",
    "run the same command again: it reads anew and decides anew",
);

static UNAVAILABLE_PEER: Code = Kind::Unavailable.code(
    "QL3_SECRET_PEER_ODD",
    Exit::Peer,
    "what answered about the Secret is not the API server, or does not speak its protocol",
    "find out who answers at that address: a proxy or a log-in page, perhaps",
);

static UNAVAILABLE_UNSETTLED: Code = Kind::Unavailable.code(
    "QL3_SECRET_UNSETTLED",
    Exit::Unsettled,
    "a write of the Secret was sent and nothing could settle what became of it",
    "run the same command again: the ledger holds the preparation, and the next run settles it",
);
