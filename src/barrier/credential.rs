//! No credential may be mounted where the barrier runs: it is there so that none is mounted too early.
//!
//! `automountServiceAccountToken: true`, patched in by somebody or defaulted by an admission plugin, gives a token to
//! the init container too.

use std::io::ErrorKind;
use std::path::Path;

use super::error::Error;

/// Looks whether anything stands at the token's path. It is not opened, and a link is not followed.
pub(super) fn none_at(token: &Path) -> Result<(), Error> {
    match std::fs::symlink_metadata(token) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(()),
        // What cannot be looked at is there.
        Ok(_) | Err(_) => Err(Error::CredentialMounted),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_file_a_dangling_link_and_a_path_that_cannot_be_looked_at_are_there() {
        let mount = tempfile::tempdir().unwrap();
        let token = mount.path().join("token");
        assert_eq!(none_at(&token), Ok(()));
        assert_eq!(none_at(&mount.path().join("serviceaccount/token")), Ok(()));
        // As the kubelet's volumes are: a link, and during an update for a moment to nothing.
        symlink("..data/token", &token).unwrap();
        assert_eq!(none_at(&token), Err(Error::CredentialMounted));
        let file = mount.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert_eq!(none_at(&file), Err(Error::CredentialMounted));
        assert_eq!(none_at(&file.join("token")), Ok(()), "a file has nothing in it");
        let round = mount.path().join("round");
        symlink("round", &round).unwrap();
        assert_eq!(none_at(&round.join("token")), Err(Error::CredentialMounted));
    }
}
