//! The bench: a retirement by this program, by its floor and by a Node client, side by side in one run.
//!
//!     bench [ROUNDS]          against the lab that the environment names; prints Markdown
//!     bench launch PROGRAM…   what it starts itself with, to measure one process
//!
//! Rounds alternate between the three, so that whatever else the machine does falls on all of them. Each
//! retirement is a first run, with a Secret and key ids of its own. `hack/bench/run` builds what this needs.
#![expect(
    clippy::disallowed_methods,
    reason = "a bench starts programs, reads its environment and the time, as the program itself may not"
)]

mod artefact;
mod contender;
mod lab;
mod launch;
mod machine;
mod script;
mod stage;
mod statements;
mod table;
mod turn;
mod watch;

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::process::ExitCode;

use contender::Contender;
use contender::Figures;
use lab::Lab;
use stage::Stage;
use turn::Turn;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let result = match arguments.split_first() {
        Some((first, rest)) if first == "launch" => launch::launch(rest),
        Some((rounds, [])) => rounds
            .to_string_lossy()
            .parse()
            .map_err(Into::into)
            .and_then(|rounds: NonZeroUsize| bench(rounds.get())),
        Some(_) => Err("usage: bench [ROUNDS]".into()),
        None => bench(ROUNDS),
    };
    match result {
        Ok(text) => {
            say(&text);
            ExitCode::SUCCESS
        }
        Err(error) => {
            complain(&format!("bench: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn bench(rounds: usize) -> Result<String> {
    let load = machine::load()?;
    let lab = Lab::from_environment()?;
    let stage = Stage::set(&lab)?;
    let contenders = Contender::all(&stage)?;
    let figures = compete(&stage, &contenders, rounds)?;
    let file = artefact::inspect(&stage.program)?;
    let facts = machine::Facts { load, rounds, ..machine::Facts::gather()? };
    stage.strike()?;
    Ok(table::render(&facts, &contenders, &figures, &file))
}

/// Runs that are looked at, which warm the caches as well, then the rounds.
fn compete(stage: &Stage<'_>, contenders: &[Contender; 3], rounds: usize) -> Result<[Figures; 3]> {
    let mut figures: [Figures; 3] = Default::default();
    let recording = watch::record(stage, &contenders[0])?;
    for (contender, figures) in contenders.iter().zip(&mut figures) {
        figures.counts = watch::counts(stage, contender, &recording)?;
    }
    for round in 0..rounds {
        let mut order: Vec<_> = contenders.iter().zip(&mut figures).collect();
        order.rotate_left(round % contenders.len());
        for (contender, figures) in order {
            let turn = Turn::prepare(stage, &format!("{}-{round}", contender.key()), &recording)?;
            figures.runs.push(launch::measure(contender, &turn)?);
            figures.first_packets.push(watch::first_packet(contender, &turn)?);
        }
    }
    let expected = 1 + contenders.len() * (watch::RUNS + rounds);
    match stage.completions()? {
        retired if retired == expected => Ok(figures),
        retired => {
            Err(format!("{expected} keys should be retired, {retired} are: the figures are worthless").into())
        }
    }
}

#[expect(clippy::print_stdout, reason = "the table is its product")]
fn say(text: &str) {
    println!("{text}");
}

#[expect(clippy::print_stderr, reason = "people wait for it")]
fn complain(text: &str) {
    eprintln!("{text}");
}

const ROUNDS: usize = 60;
