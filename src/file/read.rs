//! Reading a file of bounded size that may be hostile: a link, a pipe, a device, or changing under us.

use std::io;
use std::io::Read;
use std::path::Path;

use rustix::fs::FileType;
use rustix::fs::Mode;
use rustix::fs::OFlags;
use rustix::io::Errno;
use zeroize::Zeroizing;

use crate::code::Code;
use crate::exit::Exit;
use crate::hidden::Hidden;

/// Whether the last component of a path may be a symbolic link.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Links {
    /// A projected volume's files are links: they are followed.
    Follow,
    /// The file itself must stand there.
    Refuse,
}

/// What was read, and what the file it was read from is like.
#[derive(Debug)]
pub struct Content {
    /// The whole file.
    pub bytes: Hidden,
    /// Permission bits as `stat(2)` gives them.
    pub mode: u32,
    /// Whether the file has no other name than the one it was opened by.
    pub single: bool,
}

/// A file that cannot be read as demanded. The path is not part of the message.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// Nothing stands at the path.
    #[error("the file does not exist")]
    Absent,
    /// It was written to while we read; read it again.
    #[error("the file changed while it was read")]
    Changed,
    /// The path is relative, too long or has a NUL byte.
    #[error("the path is not an absolute path of at most {MAX_PATH} bytes")]
    InvalidPath,
    /// The last component is a symbolic link where none may be.
    #[error("the file is a symbolic link")]
    Link,
    /// A directory, pipe, socket or device stands there.
    #[error("the file is not a regular file")]
    NotRegular,
    /// It is empty or over the limit.
    #[error("the file has {size} bytes, allowed are 1 to {limit}")]
    Size {
        /// Bytes found.
        size: u64,
        /// Bytes allowed.
        limit: usize,
    },
    /// The operating system refused; its error number is given.
    #[error("the operating system refused with error number {0}")]
    Unreadable(i32),
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::Absent => &ABSENT,
            Self::Changed => &CHANGED,
            Self::InvalidPath => &INVALID_PATH,
            Self::Link => &LINK,
            Self::NotRegular => &NOT_REGULAR,
            Self::Size { .. } => &SIZE,
            Self::Unreadable(_) => &UNREADABLE,
        }
    }
}

/// Reads a regular file of 1 to `limit` bytes at an absolute path.
///
/// Opened without blocking, so that a pipe is refused instead of waited for. Size, inode and modification
/// time must be the same before and after.
pub fn read(path: &Path, limit: usize, links: Links) -> Result<Content, Error> {
    check_path(path)?;
    let follow = match links {
        Links::Follow => OFlags::empty(),
        Links::Refuse => OFlags::NOFOLLOW,
    };
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY | follow;
    let descriptor = rustix::fs::open(path, flags, Mode::empty()).map_err(from_errno)?;
    let before = rustix::fs::fstat(&descriptor).map_err(from_errno)?;
    if FileType::from_raw_mode(before.st_mode) != FileType::RegularFile {
        return Err(Error::NotRegular);
    }
    let size = u64::try_from(before.st_size).unwrap_or(u64::MAX);
    let length = usize::try_from(size).unwrap_or(usize::MAX);
    if length == 0 || length > limit {
        return Err(Error::Size { size, limit });
    }
    // One byte more than announced, so that growth shows; allocated once, so that no copy is left behind.
    let mut buffer = Zeroizing::new(vec![0; length + 1]);
    let mut file = std::fs::File::from(descriptor);
    let read =
        read_full(&mut file, &mut buffer).map_err(|e| Error::Unreadable(e.raw_os_error().unwrap_or(0)))?;
    let after = rustix::fs::fstat(&file).map_err(from_errno)?;
    let stamp = |s: &rustix::fs::Stat| (s.st_dev, s.st_ino, s.st_size, s.st_mtime, s.st_mtime_nsec);
    if read != length || stamp(&before) != stamp(&after) {
        return Err(Error::Changed);
    }
    buffer.truncate(length);
    Ok(Content {
        bytes: Hidden::new(std::mem::take(&mut *buffer)),
        mode: before.st_mode & 0o7777,
        single: before.st_nlink == 1,
    })
}

pub(super) fn check_path(path: &Path) -> Result<(), Error> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if path.is_absolute() && bytes.len() <= MAX_PATH && !bytes.contains(&0) {
        Ok(())
    } else {
        Err(Error::InvalidPath)
    }
}

fn read_full(file: &mut impl Read, mut buffer: &mut [u8]) -> io::Result<usize> {
    let mut total = 0;
    while !buffer.is_empty() {
        match file.read(buffer) {
            Ok(0) => break,
            Ok(count) => {
                total += count;
                buffer = buffer.get_mut(count..).unwrap_or_default();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(total)
}

pub(super) fn from_errno(errno: Errno) -> Error {
    match errno {
        Errno::NOENT | Errno::NOTDIR => Error::Absent,
        Errno::LOOP => Error::Link,
        // A socket, or a device without its driver, cannot be opened at all.
        Errno::NXIO | Errno::NODEV => Error::NotRegular,
        other => Error::Unreadable(other.raw_os_error()),
    }
}

pub(super) static ABSENT: Code = Code {
    code: "QL3_FILE_ABSENT",
    reference: Some("ENOENT"),
    name: "Error",
    exit: Exit::NoInput,
    meaning: "a named file is not there",
    remedy: "check the path, and that its volume is mounted",
};
pub(super) static CHANGED: Code = Code::own(
    "QL3_FILE_CHANGED_DURING_READ",
    Exit::TryAgain,
    "a file was written to while it was read",
    "run the same command again; if it repeats, find out who writes the file",
);
pub(super) static INVALID_PATH: Code = Code::type_error(
    "QL3_FILE_PATH_INVALID",
    Exit::Usage,
    "a path is relative, longer than 4096 bytes or has a NUL byte",
    "name the file by its absolute path",
);
pub(super) static LINK: Code = Code {
    code: "QL3_FILE_LINK",
    reference: Some("ELOOP"),
    name: "Error",
    exit: Exit::Data,
    meaning: "a file that must stand there itself is a symbolic link",
    remedy: "mount it with subPath, or copy it; links are refused so that nobody swaps the target",
};
pub(super) static NOT_REGULAR: Code = Code::type_error(
    "QL3_FILE_NOT_REGULAR",
    Exit::Data,
    "a directory, pipe, socket or device stands where a file is expected",
    "check the mount: a ConfigMap mounted without subPath is a directory",
);
pub(super) static SIZE: Code = Code::type_error(
    "QL3_FILE_SIZE_INVALID",
    Exit::Data,
    "a file is empty or larger than its limit",
    "check that the path names the file that is meant",
);
pub(super) static UNREADABLE: Code = Code::own(
    "QL3_FILE_UNREADABLE",
    Exit::NoInput,
    "the operating system refused to read a file",
    "check its mode and owner; in the image the process runs as 10001:10001",
);

/// Bytes of a path: Linux's `PATH_MAX`.
pub const MAX_PATH: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_regular_file_is_refused_without_waiting() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::write(at("good"), b"x").unwrap();
        std::fs::write(at("empty"), b"").unwrap();
        std::fs::write(at("big"), b"123456789").unwrap();
        std::os::unix::fs::symlink(at("good"), at("link")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, at("fifo"), Mode::RWXU).unwrap();
        let read = |name: &str, links| read(&at(name), 8, links).map(|content| content.bytes.len());
        assert_eq!(read("good", Links::Refuse), Ok(1));
        assert_eq!(read("link", Links::Follow), Ok(1));
        assert_eq!(read("link", Links::Refuse), Err(Error::Link));
        assert_eq!(read("fifo", Links::Refuse), Err(Error::NotRegular));
        assert_eq!(read(".", Links::Refuse), Err(Error::NotRegular));
        assert_eq!(read("empty", Links::Refuse), Err(Error::Size { size: 0, limit: 8 }));
        assert_eq!(read("big", Links::Refuse), Err(Error::Size { size: 9, limit: 8 }));
        assert_eq!(read("none", Links::Refuse), Err(Error::Absent));
        assert_eq!(read("good/none", Links::Refuse), Err(Error::Absent));
    }

    #[test]
    fn a_file_that_changes_under_us_is_never_read_half_old_and_half_new() {
        use std::sync::atomic::AtomicBool;
        use std::sync::atomic::Ordering;

        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, b"a").unwrap();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut turn = 0_u8;
                while !stop.load(Ordering::Relaxed) {
                    turn = (turn + 1) % 3;
                    std::fs::write(&path, vec![b'a' + turn; 100_000 + usize::from(turn)]).unwrap();
                }
            });
            // Until it was caught in the act once, with every whole reading checked on the way.
            let mut caught = false;
            while !caught {
                match read(&path, 200_000, Links::Refuse) {
                    Ok(content) => {
                        let bytes = content.bytes.expose();
                        assert!(bytes.iter().all(|byte| Some(byte) == bytes.first()), "torn");
                    }
                    Err(Error::Changed) => caught = true,
                    Err(Error::Size { size: 0, .. }) => {}
                    Err(other) => panic!("{other}"),
                }
            }
            stop.store(true, Ordering::Relaxed);
        });
    }
}
