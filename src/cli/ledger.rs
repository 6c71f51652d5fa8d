//! The flags of `ledger`.

use std::time::Duration;

use clap::Args;
use clap::Subcommand;

use super::BUDGET_SECONDS;
use super::Common;
use super::Invocation;
use super::Order;
use super::lookup;
use crate::report::Form;
use crate::setup;
use crate::setup::Task;

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Say, privilege by privilege, whether the maintenance role has what a retirement needs and no more
    ///
    /// The database comes from the same QL3_POSTGRES_AI_MAINTENANCE_... variables as for `retire run`.
    Check(Plain),
    /// Create the tables, constraints and grants; what is there already stays
    ///
    /// The database comes from QL3_POSTGRES_MIGRATION_..., the owner's twins of the variables of `retire run`.
    Install(Install),
}

#[derive(Args, Debug)]
pub(super) struct Plain {
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
pub(super) struct Install {
    /// Print the SQL and connect to nothing
    #[arg(long)]
    print: bool,
    #[command(flatten)]
    common: Common,
}

impl Verb {
    pub(super) fn invocation(self) -> Invocation {
        let (task, common) = match self {
            Self::Check(Plain { common }) => (Task::Check(Form::of_stdout()), common),
            Self::Install(Install { print: true, common }) => (Task::Print, common),
            Self::Install(Install { print: false, common }) => (Task::Install(Form::of_stdout()), common),
        };
        common.with(Order::Ledger(setup::Order { task, lookup, budget: Duration::from_secs(BUDGET_SECONDS) }))
    }
}
