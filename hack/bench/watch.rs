//! Runs that are looked at instead of timed.

use std::fs::File;
use std::io::Read;
use std::io::Seek;
use std::io::SeekFrom;
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use serde_json::Value;

use super::Result;
use super::contender::Contender;
use super::lab;
use super::stage;
use super::stage::Stage;
use super::statements;
use super::statements::Recording;
use super::turn::Turn;

/// How many retirements [`counts`] takes.
pub(crate) const RUNS: usize = 2;

/// What one run asks of others.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    /// Requests that the API server's audit log shows of our `ServiceAccount`.
    pub(crate) requests: usize,
    /// Statements that the database's log shows.
    pub(crate) statements: usize,
    /// Of all threads; nothing where strace is missing.
    pub(crate) system_calls: Option<u64>,
}

/// Counts requests and statements in one run, system calls in another.
pub(crate) fn counts(stage: &Stage<'_>, contender: &Contender, recording: &Recording) -> Result<Counts> {
    let turn = Turn::prepare(stage, &format!("{}-counted", contender.key()), recording)?;
    let heard = overhear(stage, contender, &turn)?;
    let requests = heard.audit.lines().filter(|line| is_ours(line)).count();
    let statements = statements::read(&heard.database).len();
    let turn = Turn::prepare(stage, &format!("{}-traced", contender.key()), recording)?;
    Ok(Counts { requests, statements, system_calls: system_calls(stage, contender, &turn)? })
}

/// Writes down what the program says to the database in a run.
pub(crate) fn record(stage: &Stage<'_>, program: &Contender) -> Result<Recording> {
    let turn = Turn::prepare(stage, "recorded", &Recording::default())?;
    let heard = overhear(stage, program, &turn)?;
    Ok(Recording { key: turn.key, statements: statements::read(&heard.database) })
}

/// What a run adds to the two servers' logs.
struct Heard {
    audit: String,
    database: String,
}

fn overhear(stage: &Stage<'_>, contender: &Contender, turn: &Turn) -> Result<Heard> {
    let alter =
        |setting: &str| stage.lab.psql("postgres", &format!("ALTER DATABASE {} {setting}", stage::DATABASE));
    let audit = Tail::new(&stage.lab.audit_log)?;
    let postgres_log = stage.lab.postgres_ca.with_file_name("postgres.log");
    alter("SET log_statement = 'all'")?;
    let log = Tail::new(&postgres_log)?;
    lab::run(&mut contender.command(turn), "")?;
    alter("RESET log_statement")?;
    Ok(Heard { audit: audit.news()?, database: log.news()? })
}

/// From the moment before the fork to the first connection that the kernel has accepted.
pub(crate) fn first_packet(contender: &Contender, turn: &Turn) -> Result<Duration> {
    let listener = TcpListener::bind((stage::HOST, 0))?;
    let turn = turn.aimed_at(listener.local_addr()?.port())?;
    let mut command = contender.command(&turn);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let accepted = listener.accept().map(|_connection| Instant::now());
        drop(sender.send(accepted));
    });
    let begin = Instant::now();
    let mut child = command.spawn()?;
    let accepted = receiver.recv_timeout(PATIENCE);
    child.kill()?;
    child.wait()?;
    Ok(accepted.map_err(|_elapsed| format!("{} dials nobody", contender.name))??.duration_since(begin))
}

fn is_ours(line: &str) -> bool {
    let user = format!("system:serviceaccount:{}:{}", stage::NAMESPACE, stage::ACCOUNT);
    let event: Value = serde_json::from_str(line).unwrap_or_default();
    let says = |place, text: &str| event.pointer(place).is_some_and(|found| found == text);
    says("/user/username", &user) && says("/stage", "ResponseComplete")
}

/// Runs the contender even where there is no strace, so that as many keys retire everywhere.
fn system_calls(stage: &Stage<'_>, contender: &Contender, turn: &Turn) -> Result<Option<u64>> {
    let bare = contender.command(turn);
    let summary = stage.path("strace");
    let mut traced = std::process::Command::new("strace");
    traced.args(["-f", "-c", "-o"]).arg(&summary).arg(bare.get_program()).args(bare.get_args());
    let path = std::env::var_os("PATH").unwrap_or_default();
    traced
        .env_clear()
        .env("PATH", path)
        .envs(bare.get_envs().filter_map(|(name, value)| Some((name, value?))));
    match traced.stdin(Stdio::null()).output() {
        Err(_absent) => lab::run(&mut contender.command(turn), "").map(|_answer| None),
        Ok(output) if output.status.success() => total(&summary),
        Ok(output) => {
            Err(format!("{}, traced: {}", contender.name, String::from_utf8_lossy(&output.stderr)).into())
        }
    }
}

/// The calls in strace's last line: share, seconds, each, calls, perhaps errors, "total".
fn total(summary: &Path) -> Result<Option<u64>> {
    let text = std::fs::read_to_string(summary)?;
    let line = text.lines().find(|line| line.ends_with(" total")).ok_or("strace sums nothing up")?;
    Ok(line.split_whitespace().nth(3).map(str::parse).transpose()?)
}

/// What is added to a log from now on.
struct Tail<'a> {
    path: &'a Path,
    seen: u64,
}

impl<'a> Tail<'a> {
    fn new(path: &'a Path) -> Result<Self> {
        Ok(Self { path, seen: path.metadata()?.len() })
    }

    fn news(&self) -> Result<String> {
        let mut file = File::open(self.path)?;
        file.seek(SeekFrom::Start(self.seen))?;
        let mut news = String::new();
        file.read_to_string(&mut news)?;
        Ok(news)
    }
}

const PATIENCE: Duration = Duration::from_secs(10);
