//! A broken promise: the last words name the place, never the message, which may quote data.

use std::panic;

use super::LastWords;
use super::Place;
use super::Words;

/// Replaces the standard hook, which prints the message. The process ends with 101.
pub fn hook(place: Place) {
    panic::set_hook(Box::new(move |info| {
        let at = info.location().map_or_else(String::new, |at| format!("{}:{}", at.file(), at.line()));
        tracing::error!(at, "a promise of ours was broken");
        let words = LastWords {
            exit: "Panic",
            reason: Some(format!("a promise of ours was broken at {at}")),
            hint: Some("report this as a bug, with the version; running the same command again is safe"),
            ..LastWords::default()
        };
        // Nothing more can be done about words that cannot be written.
        drop(Words::from(words).leave(&place));
    }));
}
