//! How a program for people speaks: what it found, what went wrong, how long each part took.

use std::error::Error;
use std::time::Instant;

/// Runs one part between two lines; its name stands before what went wrong.
pub(crate) fn timed<T>(
    name: &str,
    part: impl FnOnce() -> Result<T, Box<dyn Error + Send + Sync>>,
) -> Result<T, Box<dyn Error + Send + Sync>> {
    say(&format!("part {name}"));
    let begun = Instant::now();
    let result = part().map_err(|error| format!("{name}: {error}"))?;
    say(&format!("part {name}: {:.0} s\n", begun.elapsed().as_secs_f64()));
    Ok(result)
}

#[expect(clippy::print_stdout, reason = "the table is its product")]
pub(crate) fn say(text: &str) {
    println!("{text}");
}

#[expect(clippy::print_stderr, reason = "people wait for it")]
pub(crate) fn complain(text: &str) {
    eprintln!("{text}");
}
