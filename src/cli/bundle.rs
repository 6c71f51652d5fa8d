//! The flags of `bundle`.

use std::time::Duration;

use clap::Args;
use clap::Subcommand;

use super::Access;
use super::Common;
use super::Invocation;
use super::Order;
use crate::bundle;
use crate::bundle::Task;

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Print the ConfigMap that carries a control proof, around the statement on stdin
    ///
    /// Example: kubectl logs job/ql3-retirement-canary-control | ql3-ops bundle control | kubectl replace --force -f -
    #[command(verbatim_doc_comment)]
    Control(Control),
    /// Print the patch that lets the Job reach this cluster's API server, for the private overlay
    ///
    /// Reads the Service `kubernetes` and its endpoint slices. The rules name both, one host each: an enforcer
    /// may look at a packet before or after its destination is translated.
    Endpoint(Endpoint),
}

#[derive(Args, Debug)]
pub(super) struct Control {
    /// The namespace of the ConfigMap, which is the Job's
    #[arg(long, value_name = "NAMESPACE", default_value = "qinglong3-system")]
    namespace: String,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
pub(super) struct Endpoint {
    #[command(flatten)]
    access: Access,
    #[command(flatten)]
    common: Common,
}

impl Verb {
    pub(super) fn invocation(self) -> Invocation {
        let (task, budget, common) = match self {
            Self::Control(Control { namespace, common }) => (Task::Control { namespace }, OFFLINE, common),
            Self::Endpoint(Endpoint { access, common }) => {
                (Task::Endpoint { authority: access.authority() }, access.budget(), common)
            }
        };
        common.with(Order::Bundle(bundle::Order { task, budget }))
    }
}

/// No wait is bounded by it: the verb only reads stdin.
const OFFLINE: Duration = Duration::from_mins(1);
