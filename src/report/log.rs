//! The log: JSON lines on stderr, UTC, our own crate only above `warn`.

use std::io;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Starts the log. At the default level, `warn`, a run says nothing but its one failure line, which tooling reads
/// as the whole of stderr; what was absorbed is told from `info` on (ADR 9).
///
/// The level moves our own events. Libraries stay at `warn` whatever it is, for some of them print what they
/// carry. What they say through `log` is not bridged at all: tokio-postgres prints bound parameters there.
pub fn start(level: LevelFilter) {
    let libraries = if level >= LevelFilter::INFO { LevelFilter::WARN } else { LevelFilter::OFF };
    let targets = Targets::new().with_default(libraries).with_target(env!("CARGO_CRATE_NAME"), level);
    let lines = tracing_subscriber::fmt::layer().json().flatten_event(true).with_writer(io::stderr);
    let started = tracing_subscriber::registry().with(targets).with(lines).try_init();
    debug_assert!(started.is_ok(), "the log is started once");
}
