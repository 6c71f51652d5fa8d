//! The flags of `retire`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use clap::Subcommand;

use super::Access;
use super::Common;
use super::Invocation;
use super::Order;
use super::SecretName;
use super::absolute;
use super::lookup;
use super::reference;
use crate::report::Form;
use crate::report::Report;
use crate::retire;
use crate::retire::Draft;
use crate::retire::Guard;
use crate::retire::Task;
use crate::retire::Wrapping;

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Write a command file for a live Secret, with fresh identities
    Command(Command),
    /// Say what `run` would do, or why it would refuse; nothing is written
    Plan(Ordered),
    /// Retire the key that a command file names
    ///
    /// The database comes from the environment: QL3_POSTGRES_AI_MAINTENANCE_URL, or _HOST, _PORT, _DATABASE,
    /// _USER and _PASSWORD; QL3_POSTGRES_TLS_CA_FILE and QL3_POSTGRES_TLS_SERVERNAME. _URL_FILE and
    /// _PASSWORD_FILE name files instead.
    ///
    /// Example: ql3-ops retire run --command-file /etc/ql3/command.json
    #[command(verbatim_doc_comment)]
    Run(Run),
}

#[derive(Args, Debug)]
pub(super) struct Ordered {
    /// The command file: absolute path, not a symbolic link
    #[arg(long, value_name = "FILE")]
    command_file: OsString,
    #[command(flatten)]
    access: Access,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
pub(super) struct Run {
    /// Ask again, before the token is opened and before the PUT, whether the network policy is in force; the
    /// environment is that of `ql3-ops barrier`
    #[arg(long)]
    recheck_barrier: bool,
    #[command(flatten)]
    ordered: Ordered,
}

#[derive(Args, Debug)]
pub(super) struct Command {
    /// The key that is to go
    #[arg(long, value_name = "KEY-ID")]
    key: String,
    /// Print the ConfigMap that the bundle's Job mounts, for `kubectl replace --force -f -`, instead of the file alone
    #[arg(long)]
    configmap: bool,
    #[command(flatten)]
    secret: SecretName,
    /// A file to make [default: stdout]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    access: Access,
    #[command(flatten)]
    common: Common,
}

impl Verb {
    pub(super) fn invocation(self) -> Result<Invocation, Box<Report>> {
        let (task, access, common) = match self {
            Self::Command(Command { key, configmap, secret, out, access, common }) => {
                let SecretName { namespace, secret, data_key } = secret;
                let wrapping = if configmap { Wrapping::ConfigMap } else { Wrapping::Nothing };
                let out = out.map(absolute);
                (Task::Command(Draft { namespace, secret, data_key, key, wrapping, out }), access, common)
            }
            Self::Plan(Ordered { command_file, access, common }) => {
                let form = Form::of_stdout();
                (Task::Plan { command_file: non_empty(command_file)?, form }, access, common)
            }
            Self::Run(Run { recheck_barrier, ordered: Ordered { command_file, access, common } }) => {
                let guard = if recheck_barrier { Guard::Recheck } else { Guard::Trust };
                (Task::Run { command_file: non_empty(command_file)?, guard }, access, common)
            }
        };
        let (authority, budget) = (access.authority(), access.budget());
        Ok(common.with(Order::Retire(retire::Order { task, authority, lookup, budget })))
    }
}

fn non_empty(path: OsString) -> Result<PathBuf, Box<Report>> {
    if path.is_empty() { Err(Box::new(reference::usage_line())) } else { Ok(PathBuf::from(path)) }
}
