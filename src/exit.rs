//! How a run can end: the one table that the manifests and the runbook are tested against.
//!
//! sysexits(3) where its meaning is exact, 80 to 82 for the outcomes it has no word for. Never 1 and
//! never 2: they are what shells and other programs say.

use std::process::ExitCode;

macro_rules! exits {
    ($($name:ident = $number:literal: $conclusion:literal,)*) => {
        /// The exit codes of every verb, with what the operator may conclude from each.
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        #[repr(u8)]
        pub enum Exit {
            $(#[doc = $conclusion] $name = $number,)*
        }

        impl Exit {
            /// Every code, in numeric order.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The name that the last words and the documents use.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                }
            }

            /// What the operator may conclude, as docs/exit-codes.md and `ql3-ops explain` say it.
            pub const fn conclusion(self) -> &'static str {
                match self {
                    $(Self::$name => $conclusion,)*
                }
            }
        }
    };
}

exits! {
    Done = 0: "the wish is true: we made it so, or found it so",
    Usage = 64: "the command line is wrong; nothing was touched",
    Data = 65: "an input exists but is not what it claims",
    NoInput = 66: "a named file, Secret or entry is not there",
    Unavailable = 69: "a dependency did not answer in time; nothing is half done",
    Bug = 70: "a promise of ours was broken and noticed",
    Os = 71: "the operating system refused something basic",
    Io = 74: "we could not write our own answer",
    TryAgain = 75: "lost a race, was told to stop early or ran out of time cleanly; nothing is half done",
    Peer = 76: "the peer answered as someone else, or not in the protocol",
    Denied = 77: "RBAC or database grants refuse",
    Config = 78: "the surroundings do not fit this version: schema, TLS mode, missing mount",
    FenceOpen = 80: "a path that must be closed answered: the policy is not in force",
    FenceBlind = 81: "the control path failed too, so silence proves nothing",
    Unsettled = 82: "a write was sent and is not settled or not confirmed; the next run settles it",
}

impl Exit {
    /// Whether the same order may end otherwise when it is given again, with nothing mended. What may not ends the
    /// Job at once, by its `podFailurePolicy`.
    pub const fn may_pass(self) -> bool {
        match self {
            Self::Done
            | Self::FenceBlind
            | Self::Io
            | Self::Os
            | Self::TryAgain
            | Self::Unavailable
            | Self::Unsettled => true,
            Self::Bug
            | Self::Config
            | Self::Data
            | Self::Denied
            | Self::FenceOpen
            | Self::NoInput
            | Self::Peer
            | Self::Usage => false,
        }
    }

    /// The number the process ends with.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}
