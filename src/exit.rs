//! How a run can end: the one table that the manifests and the runbook are tested against.
//!
//! sysexits(3) where its meaning is exact, 80 to 82 for the outcomes it has no word for. Never 1 and
//! never 2: they are what shells and other programs say.

use std::process::ExitCode;

/// The exit codes of every verb, with what the operator may conclude from each.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u8)]
pub enum Exit {
    /// The wish is true: we made it so, or found it so.
    Done = 0,
    /// The command line is wrong; nothing was touched.
    Usage = 64,
    /// An input exists but is not what it claims.
    Data = 65,
    /// A named file, Secret or entry is not there.
    NoInput = 66,
    /// A dependency did not answer in time; nothing is half done.
    Unavailable = 69,
    /// A promise of ours was broken and noticed.
    Bug = 70,
    /// The operating system refused something basic.
    Os = 71,
    /// We could not write our own answer.
    Io = 74,
    /// Lost a race, was told to stop early or ran out of time cleanly; nothing is half done.
    TryAgain = 75,
    /// The peer answered as someone else, or not in the protocol.
    Peer = 76,
    /// RBAC or database grants refuse.
    Denied = 77,
    /// The surroundings do not fit this version: schema, TLS mode, missing mount.
    Config = 78,
    /// A path that must be closed answered: the policy is not in force.
    FenceOpen = 80,
    /// The control path failed too, so silence proves nothing.
    FenceBlind = 81,
    /// A write was sent and nothing could settle it; the next run decides.
    Unsettled = 82,
}

impl Exit {
    /// Every code, in numeric order.
    pub const ALL: [Self; 15] = [
        Self::Done,
        Self::Usage,
        Self::Data,
        Self::NoInput,
        Self::Unavailable,
        Self::Bug,
        Self::Os,
        Self::Io,
        Self::TryAgain,
        Self::Peer,
        Self::Denied,
        Self::Config,
        Self::FenceOpen,
        Self::FenceBlind,
        Self::Unsettled,
    ];

    /// The number the process ends with.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The name that the last words and the documents use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Done => "Done",
            Self::Usage => "Usage",
            Self::Data => "Data",
            Self::NoInput => "NoInput",
            Self::Unavailable => "Unavailable",
            Self::Bug => "Bug",
            Self::Os => "Os",
            Self::Io => "Io",
            Self::TryAgain => "TryAgain",
            Self::Peer => "Peer",
            Self::Denied => "Denied",
            Self::Config => "Config",
            Self::FenceOpen => "FenceOpen",
            Self::FenceBlind => "FenceBlind",
            Self::Unsettled => "Unsettled",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}
