//! Making, describing and checking a keyring outside a retirement.
//!
//! Key material is shown to nobody: the one place where it leaves the process is a new keyring itself.

mod error;
mod inspect;
mod new;
mod verify;

use std::path::PathBuf;
use std::time::Duration;

pub use error::CODES;
pub use error::Error;
pub use new::Wrap;

use crate::cluster::Authority;
use crate::report::Failure;
use crate::report::Form;
use crate::report::Report;
use crate::report::Speaker;
use crate::time::Deadline;

/// What the operator asked for.
#[derive(Debug)]
pub struct Order {
    /// Which of the three.
    pub task: Task,
    /// How long it may take.
    pub budget: Duration,
}

/// Which of the three.
#[derive(Debug)]
pub enum Task {
    /// Describe a keyring.
    Inspect {
        /// Where it is.
        source: Source,
        /// Who reads the description.
        form: Form,
    },
    /// Make a keyring.
    New {
        /// The id of its one key, or a random one.
        key: Option<String>,
        /// The Secret to wrap it in, if any.
        wrap: Option<Wrap>,
        /// A file to make, or stdout.
        out: Option<PathBuf>,
    },
    /// Check a keyring in a projected volume.
    Verify {
        /// Where the volume is mounted.
        root: PathBuf,
        /// The file in it.
        file_name: String,
    },
}

/// Where a keyring is.
#[derive(Debug)]
pub enum Source {
    /// In a file of its own.
    File(PathBuf),
    /// In a Secret of the cluster.
    Live {
        /// How to reach the API server.
        authority: Authority,
        /// The namespace of the Secret.
        namespace: String,
        /// The name of the Secret.
        secret: String,
        /// The data key of the keyring.
        data_key: String,
    },
    /// In a Secret manifest on stdin.
    Stdin {
        /// The data key of the keyring.
        data_key: String,
    },
}

/// Carries an order out and reports how it ended.
pub async fn carry_out(order: &Order) -> Report {
    let (step, result) = match &order.task {
        Task::Inspect { source, form } => {
            ("inspect", inspect::inspect(source, *form, Deadline::after(order.budget)).await)
        }
        Task::New { key, wrap, out } => ("new", new::make(key.as_deref(), wrap.as_ref(), out.as_deref())),
        Task::Verify { root, file_name } => ("verify", verify::verify(root, file_name)),
    };
    result.unwrap_or_else(|error| Report::failed(SPEAKER, &Failure::new(error.code(), step, &error)))
}

const SPEAKER: Speaker = Speaker::own("keyring_failed");
