//! The flags of `barrier`. Where to look stands in the environment: it is the bundle's contract.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use clap::Subcommand;
use clap::ValueEnum;

use super::Common;
use super::Invocation;
use super::Order;
use super::lookup;
use crate::barrier;
use crate::barrier::Ports;
use crate::barrier::Task;
use crate::barrier::settings::Alone;
use crate::cluster::authority::MOUNT;

/// Prove that the network policy is in force for this Pod, before any credential is mounted
///
/// Dials the API server, both ports of a canary and addresses that nobody has, in rounds, until the policy is
/// seen to be in force. Ends with 0 if it is, 80 if a path that must be closed is open, 81 if nothing was
/// proved. The environment says where to look: KUBERNETES_SERVICE_HOST and _PORT_HTTPS;
/// QL3_NETWORK_POLICY_DENY_CANARY_HOST and _PORT; QL3_NETWORK_POLICY_CONTROL_PORT, the canary's port that the
/// policy leaves open, or QL3_NETWORK_POLICY_CONTROL_PROOF, a statement of `barrier control` (or both), with
/// QL3_NETWORK_POLICY_COMMAND and QL3_NETWORK_POLICY_NONCE, which it is bound to. QL3_NETWORK_POLICY_DECOYS names
/// other addresses that nobody has, with commas between, where somebody has 198.51.100.254. No ServiceAccount's token
/// may be mounted.
///
/// Example: ql3-ops barrier --evidence full
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, verbatim_doc_comment)]
pub(super) struct Verb {
    #[command(subcommand)]
    other: Option<Other>,
    #[command(flatten)]
    check: Check,
}

#[derive(Args, Debug)]
struct Check {
    /// What the evidence on stdout tells; `full` adds addresses
    #[arg(long, value_enum, default_value = "low", value_name = "DETAIL")]
    evidence: Detail,
    /// The weaker form, as the reference: the API server answers once and the canary does not, for whatever reason
    #[arg(long)]
    canary_alone: bool,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Subcommand)]
enum Other {
    /// Listen on two ports of which a policy closes one, until told to stop
    Canary(Canary),
    /// State that the canary can be reached, from a Pod that no policy selects
    ///
    /// The environment is that of `barrier`, without the API server. The statement is the result and the
    /// termination message; it goes into QL3_NETWORK_POLICY_CONTROL_PROOF of the barrier as it is.
    #[command(verbatim_doc_comment)]
    Control(Control),
}

#[derive(Args, Debug)]
struct Canary {
    /// Accepts and closes; the port that the policy closes
    #[arg(long, value_name = "ADDRESS:PORT")]
    deny: SocketAddr,
    /// Accepts, says what the other serves, and closes; the port that the policy leaves open
    #[arg(long, value_name = "ADDRESS:PORT")]
    control: SocketAddr,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
struct Control {
    /// How long the statement is worth something
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=barrier::proof::LONGEST.as_secs()))]
    valid_seconds: u64,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
struct Limits {
    /// How long everything together may take
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=300))]
    deadline_seconds: u64,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Detail {
    Full,
    Low,
}

impl Verb {
    pub(super) fn invocation(self) -> Invocation {
        let (task, seconds, common) = match self.other {
            None => {
                let Check { evidence, canary_alone, limits, common } = self.check;
                let detail = match evidence {
                    Detail::Full => barrier::Detail::Full,
                    Detail::Low => barrier::Detail::Low,
                };
                let alone = if canary_alone { Alone::Allowed } else { Alone::Refused };
                let token = Path::new(MOUNT).join("token");
                (Task::Check { alone, detail, token }, limits.deadline_seconds, common)
            }
            Some(Other::Canary(Canary { deny, control, common })) => {
                (Task::Canary(Ports { deny, control }), 0, common)
            }
            Some(Other::Control(Control { valid_seconds, limits, common })) => {
                let valid = Duration::from_secs(valid_seconds);
                (Task::Control { valid }, limits.deadline_seconds, common)
            }
        };
        let budget = Duration::from_secs(seconds);
        common.with(Order::Barrier(barrier::Order { task, lookup, budget }))
    }
}
