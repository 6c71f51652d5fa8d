//! An answer's body, bounded and wiped.

use http_body_util::BodyExt;
use kube::client::Body;
use zeroize::Zeroizing;

use crate::cluster::session::Error;
use crate::hidden::Hidden;

/// Reads a body of at most `limit` bytes. What the HTTP library holds meanwhile is not ours to wipe; what
/// we hold is, also when it grows.
pub(super) async fn collect(mut body: Body, limit: usize) -> Result<Hidden, Error> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(FIRST.min(limit)));
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_cut| Error::Truncated)?;
        let Some(data) = frame.data_ref() else { continue };
        let length = bytes.len() + data.len();
        if length > limit {
            return Err(Error::TooLarge { limit });
        }
        if length > bytes.capacity() {
            let mut larger = Zeroizing::new(Vec::with_capacity((2 * length).min(limit)));
            larger.extend_from_slice(&bytes);
            bytes = larger;
        }
        bytes.extend_from_slice(data);
    }
    Ok(Hidden::new(std::mem::take(&mut *bytes)))
}

/// Bytes allocated at first: a Secret with a few keys.
const FIRST: usize = 8 * 1024;
