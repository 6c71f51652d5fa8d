//! The log: JSON lines on stderr, UTC, our own crate only above `warn`.

use std::io;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Starts the log. The level moves our own events; libraries stay at `warn` whatever it is, for some of them
/// print what they carry. What they say through `log` is not bridged at all: tokio-postgres prints bound
/// parameters there.
pub fn start(level: LevelFilter) {
    let targets = Targets::new()
        .with_default(LevelFilter::WARN.min(level))
        .with_target(env!("CARGO_CRATE_NAME"), level);
    let lines = tracing_subscriber::fmt::layer().json().flatten_event(true).with_writer(io::stderr);
    let started = tracing_subscriber::registry().with(targets).with(lines).try_init();
    debug_assert!(started.is_ok(), "the log is started once");
}
