//! The bearer token as a header that is marked sensitive and wiped when it is dropped.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderValue;
use tokio::time::Instant;
use zeroize::Zeroizing;

use crate::code::Code;
use crate::exit::Exit;
use crate::file;
use crate::file::Links;
use crate::hidden::Hidden;

/// Where the token comes from.
pub(crate) struct Bearer(Source);

enum Source {
    /// A projected volume, where the kubelet replaces the token before it expires.
    File {
        path: PathBuf,
        held: Mutex<Option<(Hidden, Instant)>>,
    },
    Fixed(Hidden),
    None,
}

/// A token that cannot be used. It says nothing about what the token is.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum TokenError {
    /// It is empty, or has a byte that is not printable ASCII.
    #[error("the token is not one line of printable ASCII")]
    Invalid,
    /// Its file cannot be read.
    #[error("the token file cannot be read")]
    Unreadable(#[source] file::Error),
}

impl TokenError {
    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::Invalid => &TOKEN_INVALID,
            Self::Unreadable(_) => &TOKEN_UNREADABLE,
        }
    }
}

impl Bearer {
    /// A token that the kubelet, or somebody else, keeps fresh: read again when older than a minute.
    pub(crate) fn from_file(path: PathBuf) -> Self {
        Self(Source::File { path, held: Mutex::new(None) })
    }

    /// A token given as a value.
    pub(crate) fn fixed(token: Hidden) -> Self {
        Self(Source::Fixed(token))
    }

    /// No token: the client certificate speaks.
    pub(crate) fn none() -> Self {
        Self(Source::None)
    }

    /// The value of the `authorization` header, where one is to be sent.
    pub(crate) fn header(&self) -> Result<Option<HeaderValue>, TokenError> {
        match &self.0 {
            Source::None => Ok(None),
            Source::Fixed(token) => header(token).map(Some),
            Source::File { path, held } => {
                let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
                let fresh = held.take().filter(|(_token, read)| read.elapsed() <= FRESH);
                let token = match fresh {
                    Some(fresh) => fresh,
                    None => (read(path)?, Instant::now()),
                };
                let value = header(&token.0)?;
                *held = Some(token);
                Ok(Some(value))
            }
        }
    }
}

fn read(path: &Path) -> Result<Hidden, TokenError> {
    file::read(path, MAX_TOKEN, Links::Follow).map(|content| content.bytes).map_err(TokenError::Unreadable)
}

fn header(token: &Hidden) -> Result<HeaderValue, TokenError> {
    let token = token.expose();
    let token = token.strip_suffix(b"\n").unwrap_or(token);
    if token.is_empty() || !token.iter().all(u8::is_ascii_graphic) {
        return Err(TokenError::Invalid);
    }
    let mut text = Zeroizing::new(Vec::with_capacity(SCHEME.len() + token.len()));
    text.extend_from_slice(SCHEME);
    text.extend_from_slice(token);
    // Shared, not copied: the last header that holds it wipes it.
    let value = HeaderValue::from_maybe_shared(Bytes::from_owner(text));
    let mut value = value.map_err(|_invalid| TokenError::Invalid)?;
    value.set_sensitive(true);
    Ok(value)
}

pub(crate) static TOKEN_INVALID: Code = Code::type_error(
    "QL3_CLUSTER_TOKEN_INVALID",
    Exit::Data,
    "the API server's token is not one line of printable ASCII",
    "put one whole token, and nothing else, into the token file or the kubeconfig",
);
pub(crate) static TOKEN_UNREADABLE: Code = Code::type_error(
    "QL3_CLUSTER_TOKEN_UNREADABLE",
    Exit::Config,
    "the API server's token file is missing, too large or unreadable",
    "check the projected volume of the Pod, or tokenFile in the kubeconfig",
);

const SCHEME: &[u8] = b"Bearer ";

/// Bytes of a token file. Service account tokens have about one thousand.
const MAX_TOKEN: usize = 64 * 1024;

/// How long a token that was read may be used.
const FRESH: Duration = Duration::from_mins(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_one_printable_line() {
        let text = |token: &str| header(&Hidden::from(token)).map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(text("abc.DEF_-~+/="), Ok("Bearer abc.DEF_-~+/=".to_owned()));
        assert_eq!(text("abc\n"), Ok("Bearer abc".to_owned()));
        for token in ["", "\n", "a\nb", "a\r\n", "a\n\n", "a\0", "a b", "ä", "\u{7f}"] {
            assert_eq!(text(token), Err(TokenError::Invalid), "{token:?}");
        }
        let value = header(&Hidden::from("canary")).unwrap();
        assert!(value.is_sensitive() && !format!("{value:?}").contains("canary"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_file_is_read_again_when_older_than_a_minute() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("token");
        std::fs::write(&path, "one\n").unwrap();
        let bearer = Bearer::from_file(path.clone());
        let text = || bearer.header().unwrap().unwrap().to_str().unwrap().to_owned();
        assert_eq!(text(), "Bearer one");
        std::fs::write(&path, "two\n").unwrap();
        tokio::time::advance(Duration::from_mins(1)).await;
        assert_eq!(text(), "Bearer one");
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(text(), "Bearer two");
        tokio::time::advance(Duration::from_secs(61)).await;
        std::fs::remove_file(&path).unwrap();
        assert_eq!(bearer.header(), Err(TokenError::Unreadable(file::Error::Absent)));
    }
}
