//! The flags of `evidence`.

use std::path::PathBuf;

use clap::Args;
use clap::Subcommand;

use super::Common;
use super::Invocation;
use super::Order;
use super::absolute;
use crate::evidence;

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Judge the report of a live gate, without a cluster: ours, or the reference's
    ///
    /// Findings are on stdout; the exit is 0 without any, else 65.
    Audit(Audit),
}

#[derive(Args, Debug)]
pub(super) struct Audit {
    /// The report
    #[arg(value_name = "FILE")]
    report: PathBuf,
    #[command(flatten)]
    common: Common,
}

impl Verb {
    pub(super) fn invocation(self) -> Invocation {
        let Self::Audit(Audit { report, common }) = self;
        common.with(Order::Evidence(evidence::Order { report: absolute(report) }))
    }
}
