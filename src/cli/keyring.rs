//! The flags of `keyring`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::Subcommand;

use super::Access;
use super::Common;
use super::Invocation;
use super::Order;
use super::SecretName;
use super::absolute;
use crate::custody;
use crate::custody::Source;
use crate::custody::Task;
use crate::report::Form;

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Describe a keyring: ids, states and digests, never key material
    Inspect(Inspect),
    /// Make a keyring with one fresh active key
    New(New),
    /// Check a keyring in a projected volume, as its reader does
    Verify(Verify),
}

#[derive(Args, Debug)]
pub(super) struct Inspect {
    /// A keyring file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["stdin", "kubeconfig"])]
    file: Option<PathBuf>,
    /// A Secret manifest as JSON on stdin, as `kubectl get secret -o json` prints it
    #[arg(long, conflicts_with = "kubeconfig")]
    stdin: bool,
    #[command(flatten)]
    secret: SecretName,
    #[command(flatten)]
    access: Access,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
pub(super) struct New {
    /// The id of the key [default: a random one]
    #[arg(long, value_name = "KEY-ID")]
    key: Option<String>,
    /// Print the Secret that holds the keyring, for `kubectl create -f -`, instead of the keyring alone
    #[arg(long)]
    secret_manifest: bool,
    #[command(flatten)]
    secret: SecretName,
    /// A file to make with mode 0600 [default: stdout]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
pub(super) struct Verify {
    /// The directory that the volume is mounted at
    #[arg(long, value_name = "DIR")]
    root: PathBuf,
    /// The file in it
    #[arg(long, value_name = "NAME", default_value = "keyring.json")]
    file_name: String,
    #[command(flatten)]
    common: Common,
}

impl Verb {
    pub(super) fn invocation(self) -> Invocation {
        let form = Form::of_stdout();
        match self {
            Self::Inspect(Inspect { file, stdin, secret, access, common }) => {
                let SecretName { namespace, secret, data_key } = secret;
                let source = match file {
                    Some(file) => Source::File(absolute(file)),
                    None if stdin => Source::Stdin { data_key },
                    None => Source::Live { authority: access.authority(), namespace, secret, data_key },
                };
                let task = Task::Inspect { source, form };
                common.with(Order::Keyring(custody::Order { task, budget: access.budget() }))
            }
            Self::New(New { key, secret_manifest, secret, out, common }) => {
                let SecretName { namespace, secret, data_key } = secret;
                let wrap = secret_manifest.then_some(custody::Wrap { namespace, secret, data_key });
                let task = Task::New { key, wrap, out: out.map(absolute) };
                common.with(Order::Keyring(custody::Order { task, budget: OFFLINE }))
            }
            Self::Verify(Verify { root, file_name, common }) => {
                let task = Task::Verify { root, file_name };
                common.with(Order::Keyring(custody::Order { task, budget: OFFLINE }))
            }
        }
    }
}

/// No wait is bounded by it: these verbs only touch files.
const OFFLINE: Duration = Duration::from_mins(1);
