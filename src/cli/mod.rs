//! Flags to orders. The only place that knows clap, and the only one that reads the environment.
#![expect(clippy::doc_markdown, reason = "the comments on flags are the help texts")]

mod barrier;
mod bundle;
mod evidence;
mod explain;
mod keyring;
mod ledger;
mod reference;
mod retire;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::Parser;
use clap::Subcommand;
use clap::ValueEnum;
use clap::error::ErrorKind;
use tracing::level_filters::LevelFilter;

use crate::cluster;
use crate::cluster::Authority;
use crate::cluster::ServiceEnv;
use crate::cluster::authority::MOUNT;
use crate::code::Code;
use crate::custody;
use crate::exit::Exit;
use crate::file;
use crate::names;
use crate::report::Failure;
use crate::report::LastWords;
use crate::report::Place;
use crate::report::Report;
use crate::report::Speaker;
use crate::report::printable;
use crate::setup;
use crate::tls;

/// A parsed command line.
#[derive(Debug)]
pub struct Invocation {
    /// What to do.
    pub order: Order,
    /// How much to log.
    pub level: LevelFilter,
    /// Where the last words go.
    pub place: Place,
}

/// What to do.
#[derive(Debug)]
pub enum Order {
    /// A verb on the network barrier.
    Barrier(crate::barrier::Order),
    /// A verb on the bundle.
    Bundle(crate::bundle::Order),
    /// An audit of a report.
    Evidence(crate::evidence::Order),
    /// A verb on keyrings.
    Keyring(custody::Order),
    /// A verb on the ledger's schema.
    Ledger(setup::Order),
    /// A verb on a retirement.
    Retire(crate::retire::Order),
}

/// Parses a command line, program name first. What cannot be carried out, help included, is a report already.
pub fn parse(arguments: &[OsString]) -> Result<Invocation, Box<Report>> {
    if let Some(parsed) = reference::parse(arguments) {
        return parsed;
    }
    let retire = arguments.get(1).is_some_and(|verb| verb == "retire");
    if retire && reference::has_joined_command_file(arguments) {
        return Err(Box::new(reference::usage_with(JOINED)));
    }
    match Cli::try_parse_from(arguments) {
        Ok(cli) => cli.invocation(),
        Err(error) => Err(Box::new({
            let message = error.render().to_string();
            // It quotes the command line.
            let message: String =
                message.lines().flat_map(|line| [printable(line), "\n".to_owned()]).collect();
            let is_asked_for = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            match (is_asked_for, retire) {
                (true, _) => Report::done(message, LastWords::done("help", None)),
                (false, true) => reference::usage_with(&message),
                (false, false) => usage(&message),
            }
        })),
    }
}

/// One-shot operations for QingLong 3 on Kubernetes.
///
/// Each verb does one thing, leaves nothing running and ends with an exit code of its own:
/// 0 when the wish is true; see docs/exit-codes.md for the others.
#[derive(Debug, Parser)]
#[command(name = "ql3-ops", version, max_term_width = 110, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Barrier(barrier::Verb),
    /// Print what a private overlay of the bundle needs
    #[command(subcommand)]
    Bundle(bundle::Verb),
    /// Judge reports of live gates
    #[command(subcommand)]
    Evidence(evidence::Verb),
    /// Say what a code or an exit means, and what to do
    ///
    /// Example: ql3-ops explain QL3_RETIREMENT_OUT_OF_TIME
    Explain(explain::Explain),
    /// Make, describe or check a keyring
    #[command(subcommand)]
    Keyring(keyring::Verb),
    /// Install or check the ledger's tables and grants
    #[command(subcommand)]
    Ledger(ledger::Verb),
    /// Take an encryption key out of its Secret, exactly once
    #[command(subcommand)]
    Retire(retire::Verb),
}

impl Cli {
    fn invocation(self) -> Result<Invocation, Box<Report>> {
        match self.verb {
            Verb::Barrier(verb) => Ok(verb.invocation()),
            Verb::Bundle(verb) => Ok(verb.invocation()),
            Verb::Evidence(verb) => Ok(verb.invocation()),
            Verb::Explain(verb) => Err(Box::new(verb.report())),
            Verb::Keyring(verb) => Ok(verb.invocation()),
            Verb::Ledger(verb) => Ok(verb.invocation()),
            Verb::Retire(verb) => verb.invocation(),
        }
    }
}

/// Flags that every verb has but `explain`, which does no work.
#[derive(Args, Clone, Debug)]
struct Common {
    /// How much to log on stderr, as JSON lines
    #[arg(long, value_enum, default_value = "warn", value_name = "LEVEL")]
    log_level: Level,
    /// Where the last words go [default: the kubelet's /dev/termination-log, where it exists]
    #[arg(long, value_name = "FILE")]
    termination_message: Option<PathBuf>,
}

impl Common {
    fn with(self, order: Order) -> Invocation {
        let level = match self.log_level {
            Level::Debug => LevelFilter::DEBUG,
            Level::Error => LevelFilter::ERROR,
            Level::Info => LevelFilter::INFO,
            Level::Warn => LevelFilter::WARN,
        };
        Invocation { order, level, place: self.termination_message.map_or(Place::Kubelet, Place::Named) }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Level {
    Error,
    Warn,
    Info,
    Debug,
}

/// How to reach the API server: as the Pod's ServiceAccount, or as an operator with a kubeconfig.
#[derive(Args, Clone, Debug)]
struct Access {
    /// Use this kubeconfig instead of the Pod's ServiceAccount
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// The kubeconfig's context [default: its current one]
    #[arg(long, requires = "kubeconfig", value_name = "NAME")]
    context: Option<String>,
    /// Where the ServiceAccount's token and CA are mounted
    #[arg(long, value_name = "DIR", default_value = MOUNT, conflicts_with = "kubeconfig")]
    service_account_dir: PathBuf,
    /// How long everything together may take
    #[arg(long, value_name = "SECONDS", default_value_t = BUDGET_SECONDS, value_parser = clap::value_parser!(u64).range(10..=3600))]
    deadline_seconds: u64,
}

impl Access {
    fn authority(&self) -> Authority {
        match &self.kubeconfig {
            Some(path) => {
                Authority::Kubeconfig { path: absolute(path.clone()), context: self.context.clone() }
            }
            None => Authority::InCluster(service_env(self.service_account_dir.clone())),
        }
    }

    const fn budget(&self) -> Duration {
        Duration::from_secs(self.deadline_seconds)
    }
}

/// Which Secret, and where in it.
#[derive(Args, Debug)]
struct SecretName {
    /// The namespace of the Secret
    #[arg(long, value_name = "NAMESPACE", default_value = "qinglong3-system")]
    namespace: String,
    /// The Secret that holds the keyring
    #[arg(long, value_name = "NAME", default_value = "ql3-prompt-output-keyring")]
    secret: String,
    /// The data key of the keyring
    #[arg(long, value_name = "NAME", default_value = "keyring.json")]
    data_key: String,
}

/// One variable of the environment; an empty one counts as absent where its reader says so.
#[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
fn lookup(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// What the kubelet tells a Pod about the API server.
fn service_env(mount: PathBuf) -> ServiceEnv {
    let text = |name| lookup(name).map(|value| value.to_string_lossy().into_owned());
    ServiceEnv {
        host: text("KUBERNETES_SERVICE_HOST"),
        port: text("KUBERNETES_SERVICE_PORT"),
        port_https: text("KUBERNETES_SERVICE_PORT_HTTPS"),
        mount,
    }
}

/// A path as the operator meant it: relative ones start from the working directory.
fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

/// The runtime could not be built: the operating system refused the process its basic means.
pub fn no_runtime(error: &std::io::Error) -> Report {
    let speaker = Speaker::own("start_failed");
    Report::failed(speaker, &Failure::new(&NO_RUNTIME, "start", error))
}

/// SIGTERM or SIGINT ended a verb that can be dropped at any moment.
pub fn stopped() -> Report {
    let speaker = Speaker::own("stopped");
    let failure = Failure { code: &STOPPED, line: &STOPPED, step: "run", reason: "told to stop".to_owned() };
    Report::failed(speaker, &failure)
}

/// A wrong command line, in clap's words.
fn usage(message: &str) -> Report {
    let reason = message.lines().next().map(str::to_owned);
    let (exit, code, hint) = (Exit::Usage.name(), Some(USAGE.code), Some(USAGE.remedy));
    let last_words = LastWords { exit, code, reason, hint, ..LastWords::default() };
    Report { exit: Exit::Usage, stderr: message.to_owned(), ..Report::done("", last_words) }
}

/// The codes of this module.
pub static CODES: &[&Code] = &[&NO_RUNTIME, &STOPPED, &USAGE, &explain::UNKNOWN];

/// Every code of the program.
pub fn codes() -> impl Iterator<Item = &'static Code> {
    let ground =
        [file::CODES, crate::keyring::CODES, names::CODES, tls::authority::CODES, tls::postgres::CODES];
    let stores = [crate::ledger::CODES, crate::ledger::settings::CODES];
    let verbs = [
        crate::barrier::CODES,
        crate::bundle::CODES,
        crate::evidence::CODES,
        crate::retire::CODES,
        custody::CODES,
        setup::CODES,
        CODES,
    ];
    ground.into_iter().chain(stores).chain(verbs).flatten().copied().chain(cluster::codes())
}

static NO_RUNTIME: Code = Code::own(
    "QL3_RUNTIME_UNAVAILABLE",
    Exit::Os,
    "the operating system refused the process an event queue or a pipe",
    "check the limit on open files and the seccomp profile",
);

static STOPPED: Code = Code::own(
    "QL3_STOPPED",
    Exit::TryAgain,
    "SIGTERM or SIGINT came; what was begun was rolled back",
    "run the same command again",
);
static USAGE: Code = Code {
    code: "QL3_PROMPT_OUTPUT_KEY_RETIREMENT_CLI_USAGE_INVALID",
    reference: None,
    name: "UsageError",
    exit: Exit::Usage,
    meaning: "the command line is wrong; nothing was touched",
    remedy: "see `ql3-ops --help` and the help of the verb",
};

/// Why the joined form is refused.
const JOINED: &str = "error: write `--command-file FILE`: the joined form with `=` is not taken\n";

/// Below the Job's `activeDeadlineSeconds` of 300, so that we end first and say why.
const BUDGET_SECONDS: u64 = 240;
