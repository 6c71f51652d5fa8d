//! The three codes that the reference prints for everything about the Secret, each with the exits it has
//! here: the code says what kind of trouble it is, the exit says what may be concluded.

use crate::code::Code;
use crate::exit::Exit;

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

pub(super) static CONFLICT: Code = Code {
    code: "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_CONFLICT",
    name: "PluginPackagePromptOutputKeyRetirementConflictError",
    exit: Exit::TryAgain,
    meaning: "another writer changed the Secret between our read and our write; nothing of ours was written",
    remedy: "run the same command again: it reads anew and decides anew",
};

pub(super) static INVALID: Code = Code {
    code: "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_INVALID",
    name: "InvalidPluginPackagePromptOutputKeyRetirementError",
    exit: Exit::Data,
    meaning: "the command names a namespace, Secret, UID or entry that cannot exist",
    remedy: "correct the member that the message names",
};

static UNAVAILABLE_ABSENT: Code = Code {
    code: "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_UNAVAILABLE",
    name: "PluginPackagePromptOutputKeyRetirementUnavailableError",
    exit: Exit::NoInput,
    meaning: "the Secret does not exist",
    remedy: "check namespace and name; a Secret that was deleted must be restored, not created anew",
};

static UNAVAILABLE_BUG: Code = Code {
    code: "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_UNAVAILABLE",
    name: "PluginPackagePromptOutputKeyRetirementUnavailableError",
    exit: Exit::Bug,
    meaning: "a request about the Secret could not be put together",
    remedy: "report it",
};

static UNAVAILABLE_CONFIG: Code = Code {
    code: "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_UNAVAILABLE",
    name: "PluginPackagePromptOutputKeyRetirementUnavailableError",
    exit: Exit::Config,
    meaning: "the API server, or an admission policy, refuses or alters the write of the Secret",
    remedy: "read the API server's audit log; check admission webhooks and policies for Secrets",
};

static UNAVAILABLE_DATA: Code = Code {
    code: "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_UNAVAILABLE",
    name: "PluginPackagePromptOutputKeyRetirementUnavailableError",
    exit: Exit::Data,
    meaning: "the Secret is not the keyring's: wrong identity, labels, annotations, entry or content",
    remedy: "inspect the keyring; restore the Secret from the last good generation if it was edited by hand",
};

static UNAVAILABLE_DENIED: Code = Code {
    code: "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_UNAVAILABLE",
    name: "PluginPackagePromptOutputKeyRetirementUnavailableError",
    exit: Exit::Denied,
    meaning: "the API server refuses to let us read or write the Secret",
    remedy: "check Role, RoleBinding and the token's lifetime and audience",
};

static UNAVAILABLE_DOWN: Code = Code {
    code: "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_UNAVAILABLE",
    name: "PluginPackagePromptOutputKeyRetirementUnavailableError",
    exit: Exit::Unavailable,
    meaning: "the API server did not answer about the Secret; nothing was written",
    remedy: "run the same command again when it has recovered",
};

static UNAVAILABLE_OVERTAKEN: Code = Code {
    code: "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_UNAVAILABLE",
    name: "PluginPackagePromptOutputKeyRetirementUnavailableError",
    exit: Exit::TryAgain,
    meaning: "our write was not sent in time, or was lost while the Secret moved on; nothing of ours is in it",
    remedy: "run the same command again: it reads anew and decides anew",
};

static UNAVAILABLE_PEER: Code = Code {
    code: "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_UNAVAILABLE",
    name: "PluginPackagePromptOutputKeyRetirementUnavailableError",
    exit: Exit::Peer,
    meaning: "what answered about the Secret is not the API server, or does not speak its protocol",
    remedy: "find out who answers at that address: a proxy or a log-in page, perhaps",
};

static UNAVAILABLE_UNSETTLED: Code = Code {
    code: "PLUGIN_PACKAGE_PROMPT_OUTPUT_KEY_RETIREMENT_UNAVAILABLE",
    name: "PluginPackagePromptOutputKeyRetirementUnavailableError",
    exit: Exit::Unsettled,
    meaning: "a write of the Secret was sent and nothing could settle what became of it",
    remedy: "run the same command again: the ledger holds the preparation, the next run decides",
};
