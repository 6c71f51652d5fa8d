//! The termination message: one JSON line that `kubectl get pod` shows after the container is gone.

use std::borrow::Cow;
use std::io;
use std::io::Write;
use std::path::PathBuf;

use rustix::fs::FileType;
use rustix::fs::Mode;
use rustix::fs::OFlags;
use serde::Serialize;

use super::Failure;
use crate::exit::Exit;

/// What a run leaves, at most 1 KiB of it.
#[derive(Debug)]
pub enum Words {
    /// Our own members.
    Ours(LastWords),
    /// Text that somebody's tooling reads byte by byte. It is cut where it is too long, for only its writer knows
    /// what may be left out.
    Verbatim(String),
}

/// The members in their order; absent ones are left out.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LastWords {
    /// The exit's name.
    pub exit: &'static str,
    /// The stable code of a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// The step a failure happened in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<&'static str>,
    /// The outcome of a success.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<&'static str>,
    /// The digest of a success's receipt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
    /// The cause chain of a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the operator does next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<&'static str>,
}

/// Where the last words go.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Place {
    /// The kubelet's file. It is there in a container and nowhere else, so its absence is no failure.
    Kubelet,
    /// A file that the operator named; it is made where it is absent.
    Named(PathBuf),
}

impl Words {
    /// Writes them over what was there. A pipe is refused instead of waited for.
    pub fn leave(&self, place: &Place) -> io::Result<()> {
        let (path, create) = match place {
            Place::Kubelet => (PathBuf::from(KUBELET), OFlags::empty()),
            Place::Named(path) => (path.clone(), OFlags::CREATE),
        };
        let flags = OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
        let descriptor = match rustix::fs::open(&path, flags | create, Mode::from_raw_mode(0o644)) {
            Err(rustix::io::Errno::NOENT) if *place == Place::Kubelet => return Ok(()),
            opened => opened?,
        };
        if FileType::from_raw_mode(rustix::fs::fstat(&descriptor)?.st_mode) != FileType::RegularFile {
            return Err(io::Error::other("not a regular file"));
        }
        rustix::fs::ftruncate(&descriptor, 0)?;
        let mut file = std::fs::File::from(descriptor);
        file.write_all(self.text().as_bytes())?;
        // A full disk may only show here.
        file.sync_data().or_else(|e| if e.raw_os_error() == Some(EINVAL) { Ok(()) } else { Err(e) })
    }

    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Ours(words) => Cow::Owned(words.line()),
            Self::Verbatim(text) => Cow::Borrowed(text.split_at(text.floor_char_boundary(LIMIT)).0),
        }
    }
}

impl From<LastWords> for Words {
    fn from(words: LastWords) -> Self {
        Self::Ours(words)
    }
}

impl LastWords {
    /// What a failure leaves.
    pub fn failed(failure: &Failure) -> Self {
        Self {
            exit: failure.code.exit.name(),
            code: Some(failure.code.code),
            step: Some(failure.step),
            reason: Some(failure.reason.clone()),
            hint: Some(failure.code.remedy),
            ..Self::default()
        }
    }

    /// What a success leaves: its outcome, and the digest of its receipt where there is one.
    pub fn done(status: &'static str, receipt: Option<String>) -> Self {
        Self { exit: Exit::Done.name(), status: Some(status), receipt, ..Self::default() }
    }

    /// One line of at most [`LIMIT`] bytes: the reason is shortened, never the code or the hint.
    fn line(&self) -> String {
        let whole = serde_json::to_string(self).unwrap_or_default();
        let Some(excess) = whole.len().checked_sub(LIMIT) else {
            return whole;
        };
        let mut reason: String = self.reason.clone().unwrap_or_default();
        // A character may take six bytes as an escape, so removing `excess` bytes of text is enough.
        let keep = reason.floor_char_boundary(reason.len().saturating_sub(excess + 3));
        reason.truncate(keep);
        reason.push_str("...");
        let short = Self { reason: Some(reason), receipt: self.receipt.clone(), ..*self };
        serde_json::to_string(&short).unwrap_or_default()
    }
}

/// The default `terminationMessagePath` of a container.
const KUBELET: &str = "/dev/termination-log";

/// A kubelet keeps 4 KiB a container and 12 KiB a Pod; a quarter of the first leaves room for others.
const LIMIT: usize = 1024;

/// What `fdatasync(2)` answers on a file system without it.
const EINVAL: i32 = rustix::io::Errno::INVAL.raw_os_error();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_reason_is_shortened_and_the_hint_stays() {
        for filler in ["x", "\u{1}", "é", "\""] {
            let words = LastWords {
                exit: "Done",
                reason: Some(filler.repeat(3000)),
                hint: Some("do this"),
                ..LastWords::default()
            };
            let line = words.line();
            assert!(line.len() <= LIMIT, "{}", line.len());
            let value: serde_json::Value = serde_json::from_str(&line).unwrap();
            assert_eq!(value["hint"], "do this");
        }
    }

    #[test]
    fn a_pipe_is_refused_and_an_absent_kubelet_file_is_no_failure() {
        let directory = tempfile::tempdir().unwrap();
        let fifo = directory.path().join("fifo");
        rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, Mode::RWXU).unwrap();
        let leave = |path| Words::from(LastWords::default()).leave(&Place::Named(path));
        assert!(leave(fifo).is_err());
        assert!(leave(directory.path().join("no/file")).is_err());
        assert!(leave(directory.path().join("file")).is_ok());
    }

    #[test]
    fn verbatim_text_is_left_as_it_is_over_what_was_there_up_to_the_limit() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("message");
        let left = |text: &str| {
            Words::Verbatim(text.to_owned()).leave(&Place::Named(path.clone())).unwrap();
            std::fs::read_to_string(&path).unwrap()
        };
        let longest = "x".repeat(LIMIT);
        assert_eq!(left(&longest), longest);
        assert_eq!(left(&format!("{longest}y")), longest);
        assert_eq!(left(&"é".repeat(LIMIT)), "é".repeat(LIMIT / 2));
        let ready = r#"{"schemaVersion":1,"ready":true,"code":"POLICY_READY"}"#;
        assert_eq!(left(ready), ready);
    }
}
