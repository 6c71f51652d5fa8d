//! Making a file that must not be there yet.

use std::io::Write;
use std::path::Path;

use rustix::fs::Mode;
use rustix::fs::OFlags;
use rustix::io::Errno;

use super::read;
use super::read::check_path;
use super::read::from_errno;
use crate::code::Code;
use crate::exit::Exit;

/// Who may read a file that we make.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Access {
    /// Its owner alone: 0600.
    Owner,
    /// Everybody: 0644.
    World,
}

/// Makes a new file at an absolute path; one that is there already, even as a link, is left alone.
pub fn create(path: &Path, bytes: &[u8], access: Access) -> Result<(), CreateError> {
    check_path(path).map_err(CreateError::Path)?;
    let mode = match access {
        Access::Owner => Mode::from_raw_mode(0o600),
        Access::World => Mode::from_raw_mode(0o644),
    };
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let opened = rustix::fs::open(path, flags, mode).map_err(|errno| match errno {
        Errno::EXIST | Errno::LOOP => CreateError::Taken,
        other => CreateError::Path(from_errno(other)),
    })?;
    let mut file = std::fs::File::from(opened);
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    written.map_err(|error| {
        // Half a file would be taken for a whole one; that it cannot be removed either changes nothing.
        drop(std::fs::remove_file(path));
        CreateError::Unwritable(error.raw_os_error().unwrap_or(0))
    })
}

/// A file that cannot be made. The path is not part of the message.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum CreateError {
    /// Its place cannot be used.
    #[error("the file cannot be made there")]
    Path(#[source] read::Error),
    /// It is there already.
    #[error("the file exists")]
    Taken,
    /// The operating system took the file but not its content; its error number is given.
    #[error("the content could not be written, error number {0}")]
    Unwritable(i32),
}

impl CreateError {
    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::Path(error) => error.code(),
            Self::Taken => &TAKEN,
            Self::Unwritable(_) => &UNWRITABLE,
        }
    }
}

pub(super) static TAKEN: Code = Code::own(
    "QL3_FILE_EXISTS",
    Exit::Data,
    "a file that was to be made is there already",
    "name another file, or remove that one if it is not needed",
);
pub(super) static UNWRITABLE: Code = Code::own(
    "QL3_FILE_UNWRITABLE",
    Exit::Io,
    "the operating system took a new file but not its content",
    "free some space and run the same command again: nothing was left behind",
);
