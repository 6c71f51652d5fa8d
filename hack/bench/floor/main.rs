//! The floor: the requests and statements of one retirement, sent one after another by a client that does
//! nothing else.
//!
//!     floor SCRIPT
//!
//! One keep-alive connection each to the API server and to the database, one thread, no checks. The script is
//! played as it stands, so not even the keyring is computed here. What no client that waits for each answer
//! can go below is what this takes.

mod api;
mod database;
mod tls;

use std::error::Error;
use std::fs;
use std::process::ExitCode;

use serde::Deserialize;

use api::Api;
use database::Database;

/// What to send, to whom, in order.
#[derive(Deserialize)]
struct Script {
    api: api::Target,
    database: database::Target,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Step {
    Request(api::Request),
    Statement(database::Statement),
}

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match play() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(error.as_ref());
            ExitCode::FAILURE
        }
    }
}

fn play() -> Result<()> {
    let path = std::env::args_os().nth(1).ok_or("usage: floor SCRIPT")?;
    let script: Script = serde_json::from_slice(&fs::read(path)?)?;
    let (mut api, mut database) = (None, None);
    for step in &script.steps {
        match step {
            Step::Request(request) => open(&mut api, || Api::connect(&script.api))?.send(request)?,
            Step::Statement(statement) => {
                open(&mut database, || Database::connect(&script.database))?.send(statement)?;
            }
        }
    }
    database.map_or(Ok(()), Database::close)
}

/// Connects before the first step that needs it, as one program after another would.
fn open<T>(slot: &mut Option<T>, connect: impl FnOnce() -> Result<T>) -> Result<&mut T> {
    let opened = match slot.take() {
        Some(opened) => opened,
        None => connect()?,
    };
    Ok(slot.insert(opened))
}

#[expect(clippy::print_stderr, reason = "a failure is the only thing it ever says")]
fn complain(error: &dyn Error) {
    eprintln!("floor: {error}");
}
