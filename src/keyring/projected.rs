//! The keyring of a volume that the kubelet projects from the Secret: read anew each time, never cached.
//!
//! The kubelet publishes a new generation by renaming a symbolic link beside the file's own link, so
//! links are followed, but only to what lies below the root (ADR-0233). A read that a publication crosses
//! fails; the caller may read again.

use std::io;
use std::path::Path;
use std::path::PathBuf;

use crate::code::Code;
use crate::exit::Exit;
use crate::file;
use crate::file::Links;
use crate::file::MAX_PATH;

use super::KeyId;
use super::MAX_BYTES;
use super::Manifest;
use super::Material;
use super::Summary;

/// Where a projected keyring stands. It holds no descriptor and no content.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Projected {
    root: PathBuf,
    file: PathBuf,
}

/// A projected keyring that cannot be used. To the reference these are all the same.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// The file's links lead out of the volume, or to the root itself.
    #[error("the file does not lie below the root")]
    Escapes,
    /// The file cannot be read; the source says why.
    #[error("the file cannot be read")]
    File(#[source] file::Error),
    /// What was read is no keyring, or what was asked for is no key id.
    #[error("the content cannot be used")]
    Keyring(#[source] super::Error),
    /// The file has a second name, through which it could be changed.
    #[error("the file has another name")]
    Linked,
    /// The file must be readable by its owner or group, and nothing else may be allowed to anyone.
    #[error("the file's mode is {0:04o}, allowed are 0440, 0400 and 0040")]
    Mode(u32),
    /// Another generation was published meanwhile; read again.
    #[error("the projection changed while it was read")]
    Moved,
    /// The root must be a plain absolute path, the name one plain component.
    #[error("the root directory or the file name is not in its plain form")]
    Path,
    /// The root is missing, no directory, or a symbolic link.
    #[error("the root is not a directory")]
    Root,
    /// The operating system refused to resolve a path; its error number is given.
    #[error("the operating system refused with error number {0}")]
    Unresolvable(i32),
}

impl Error {
    /// The stable code, the same for all.
    pub fn code(&self) -> &'static Code {
        &UNAVAILABLE
    }
}

impl Projected {
    /// Takes an absolute root of at most 4096 bytes without `.`, `..`, doubled or trailing slashes, and a file
    /// name that begins with a letter or digit. Nothing is read yet.
    pub fn open(root: &Path, file_name: &str) -> Result<Self, Error> {
        let bytes = root.as_os_str().as_encoded_bytes();
        let plain = bytes.strip_prefix(b"/").is_some_and(|below| below.split(|b| *b == b'/').all(is_plain));
        if !plain || bytes.len() > MAX_PATH || bytes.contains(&0) || !is_file_name(file_name) {
            return Err(Error::Path);
        }
        Ok(Self { root: root.to_owned(), file: root.join(file_name) })
    }

    /// Reads it and describes it, to be done once at start.
    pub fn verify(&self) -> Result<Summary, Error> {
        Ok(self.read()?.summary())
    }

    /// The active key, as of now.
    pub fn active(&self) -> Result<(KeyId, Material), Error> {
        let manifest = self.read()?;
        let key = manifest.active();
        // A manifest holds its active key, so that nothing can be missing here.
        let material = manifest.material(key).ok_or(Error::Keyring(super::Error::ActiveKeyMissing))?;
        Ok((key.clone(), material.clone()))
    }

    /// The key of this id, as of now; `None` when it retired or never was.
    pub fn resolve(&self, key: &str) -> Result<Option<Material>, Error> {
        let key = KeyId::parse(key).map_err(Error::Keyring)?;
        Ok(self.read()?.material(&key).cloned())
    }

    fn read(&self) -> Result<Manifest, Error> {
        let place = self.locate()?;
        let content = file::read(&place.file, MAX_BYTES, Links::Refuse).map_err(Error::File)?;
        if !content.single {
            return Err(Error::Linked);
        }
        if content.mode & 0o337 != 0 || content.mode & 0o440 == 0 {
            return Err(Error::Mode(content.mode));
        }
        if self.locate()? != place {
            return Err(Error::Moved);
        }
        Manifest::parse(content.bytes.expose()).map_err(Error::Keyring)
    }

    /// Where root and file are when all links are followed.
    fn locate(&self) -> Result<Place, Error> {
        let metadata = std::fs::symlink_metadata(&self.root).map_err(|_missing| Error::Root)?;
        if !metadata.is_dir() {
            return Err(Error::Root);
        }
        let resolve = |path: &Path| std::fs::canonicalize(path).map_err(|error| unresolvable(&error));
        let place = Place { root: resolve(&self.root)?, file: resolve(&self.file)? };
        if place.file != place.root && place.file.starts_with(&place.root) {
            Ok(place)
        } else {
            Err(Error::Escapes)
        }
    }
}

#[derive(Eq, PartialEq)]
struct Place {
    root: PathBuf,
    file: PathBuf,
}

fn is_plain(component: &[u8]) -> bool {
    !matches!(component, b"" | b"." | b"..")
}

fn is_file_name(name: &str) -> bool {
    name.len() <= MAX_FILE_NAME
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

fn unresolvable(error: &io::Error) -> Error {
    if error.kind() == io::ErrorKind::NotFound {
        return Error::File(file::Error::Absent);
    }
    Error::Unresolvable(error.raw_os_error().unwrap_or(0))
}

pub(super) static UNAVAILABLE: Code = Code {
    code: "QL3_PROJECTED_KEYRING_UNUSABLE",
    reference: Some("PLUGIN_PACKAGE_PROMPT_OUTPUT_PROJECTED_KEYRING_UNAVAILABLE"),
    name: "PluginPackagePromptOutputProjectedKeyringUnavailableError",
    exit: Exit::Config,
    meaning: "the keyring in the mounted volume cannot be used",
    remedy: "run the same command again; if it repeats, compare the volume's mode, items and Secret with the manifest",
};

const MAX_FILE_NAME: usize = 253;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_that_is_not_plain_is_refused_before_anything_is_read() {
        for root in ["", "a", "/", "//", "/a/", "/a//b", "/./a", "/a/..", "/a/.", "/a\0b"] {
            assert_eq!(Projected::open(Path::new(root), "keyring.json"), Err(Error::Path), "{root:?}");
        }
        assert_eq!(Projected::open(Path::new(&format!("/{}", "a".repeat(4096))), "k"), Err(Error::Path));
        assert!(Projected::open(Path::new("/a/...b/..c"), &"k".repeat(253)).is_ok());
        assert_eq!(Projected::open(Path::new("/a"), &"k".repeat(254)), Err(Error::Path));
    }

    #[test]
    fn a_root_that_is_a_link_and_a_file_that_is_the_root_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("root");
        std::fs::create_dir(&root).unwrap();
        std::os::unix::fs::symlink(&root, directory.path().join("link")).unwrap();
        std::os::unix::fs::symlink(".", root.join("keyring.json")).unwrap();
        let verify = |root: &Path| Projected::open(root, "keyring.json").unwrap().verify().unwrap_err();
        assert_eq!(verify(&directory.path().join("link")), Error::Root);
        assert_eq!(verify(&directory.path().join("none")), Error::Root);
        assert_eq!(verify(&root), Error::Escapes);
    }
}
