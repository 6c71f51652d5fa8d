//! One-shot operations for QingLong 3 on Kubernetes, in the order in which one should read them.
//!
//! - [`retire`] is the main job; [`retire::decide`] is its heart and pure.
//! - [`keyring`] is what is kept: keys, receipts and how they follow from each other, without any I/O.
//! - [`cluster`] and [`ledger`] are the two stores that must agree: a Kubernetes Secret and PostgreSQL.
//! - [`names`] finds the addresses that both are dialled at.
//! - [`barrier`] comes before it in the Pod: is the network policy in force? [`barrier::verdict`] is its heart, and pure.
//! - [`bundle`], [`custody`] and [`setup`] are smaller verbs around it; [`evidence`] judges reports of live gates.
//! - [`report`] is how a run speaks, [`cli`] how it is spoken to.
//! - The ground ([`exit`], [`code`], [`hidden`], [`file`], [`json`], [`signals`], [`time`]) knows nothing of the trade.
//!
//! Imports only go down; `tests/suite/architecture.rs` holds the table.

pub mod barrier;
pub mod bundle;
pub mod cli;
pub mod cluster;
pub mod code;
pub mod custody;
pub mod evidence;
pub mod exit;
pub mod file;
pub mod hidden;
pub mod json;
pub mod keyring;
pub mod ledger;
pub mod names;
pub mod report;
pub mod retire;
pub mod setup;
pub mod signals;
pub mod time;
pub mod tls;

use std::ffi::OsString;
use std::io;

use cli::Invocation;
use cli::Order;
use exit::Exit;
use report::Place;
use report::Report;
use signals::Signals;

/// Runs one command line, program name first, and says how it ended.
pub fn run(arguments: &[OsString]) -> Exit {
    let Invocation { order, level, place } = match cli::parse(arguments) {
        Ok(invocation) => invocation,
        Err(report) => return report.speak(&Place::Kubelet),
    };
    report::log::start(level);
    report::panic::hook(place.clone());
    keep_out_of_core_images();
    // The runtime, and with it all connections, ends before the last words, which may wait for their reader.
    let report = runtime().and_then(|runtime| runtime.block_on(carry_out(&order)));
    report.unwrap_or_else(|error| no_runtime(&order, &error)).speak(&place)
}

/// One thread. Where the limit on open files is too low, parts of the runtime would panic instead of failing.
fn runtime() -> io::Result<tokio::runtime::Runtime> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    if limit.is_some_and(|limit| limit < DESCRIPTORS) {
        return Err(rustix::io::Errno::MFILE.into());
    }
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

fn no_runtime(order: &Order, error: &io::Error) -> Report {
    let report = cli::no_runtime(error);
    match order {
        Order::Barrier(order) => barrier::unasked(order, report),
        Order::Bundle(_) | Order::Evidence(_) | Order::Keyring(_) | Order::Ledger(_) | Order::Retire(_) => {
            report
        }
    }
}

async fn carry_out(order: &Order) -> io::Result<Report> {
    match order {
        Order::Barrier(order) => {
            until_told_to_stop(Box::pin(barrier::carry_out(order)), || barrier::stopped(order)).await
        }
        Order::Bundle(order) => Ok(bundle::carry_out(order).await),
        Order::Evidence(order) => Ok(evidence::carry_out(order)),
        Order::Keyring(order) => Ok(custody::carry_out(order).await),
        Order::Ledger(order) => until_told_to_stop(Box::pin(setup::carry_out(order)), cli::stopped).await,
        Order::Retire(order) => Ok(retire::carry_out(order).await),
    }
}

/// Work that may be dropped at any moment: what it had begun rolls back.
async fn until_told_to_stop(
    work: impl Future<Output = Report>,
    stopped: impl FnOnce() -> Report,
) -> io::Result<Report> {
    let mut signals = Signals::listen()?;
    Ok(tokio::select! {
        biased;
        report = work => report,
        () = signals.next() => stopped(),
    })
}

/// No core image and no tracer: what stands in memory stays there. A kernel that refuses this is no reason to
/// refuse the work.
fn keep_out_of_core_images() {
    use rustix::process::DumpableBehavior;
    if let Err(errno) = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        tracing::info!(errno = errno.raw_os_error(), "core images stay possible");
    }
}

/// Three streams, five of the runtime's own, and a few to work with.
const DESCRIPTORS: u64 = 12;
