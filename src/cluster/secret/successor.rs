//! The body of a write: the object as it was read, with the next keyring in it.

use std::io;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use zeroize::Zeroizing;

use crate::cluster::secret::CATALOG_DIGEST;
use crate::cluster::secret::GENERATION;
use crate::cluster::secret::Observed;
use crate::keyring::Manifest;

impl Observed {
    /// Everything as it was read, the resource version included, but for the data and the two annotations.
    ///
    /// The version makes the write a compare-and-swap; name, UID and type are those that were checked. The
    /// bytes are wiped when the last holder drops them.
    pub(crate) fn successor(mut self, manifest: &Manifest, data_key: &str) -> Bytes {
        let metadata = self.members.get_mut("metadata");
        let annotations = metadata.and_then(|metadata| metadata.get_mut("annotations"));
        if let Some(annotations) = annotations.and_then(Value::as_object_mut) {
            annotations.insert(GENERATION.to_owned(), manifest.generation().to_string().into());
            annotations.insert(CATALOG_DIGEST.to_owned(), manifest.catalog_digest().to_string().into());
        }
        let value = Zeroizing::new(BASE64_STANDARD.encode(manifest.canonical().expose()));
        let body = Body { members: &self.members, data: Entry(data_key, &value) };
        // Counted first and written once, so that no growing buffer leaves a copy behind.
        let mut count = Count(0);
        let counted = serde_json::to_writer(&mut count, &body);
        let mut bytes = Zeroizing::new(Vec::with_capacity(count.0));
        let written = serde_json::to_writer(&mut *bytes, &body);
        debug_assert!(counted.is_ok() && written.is_ok(), "maps with text keys always serialise");
        Bytes::from_owner(bytes)
    }
}

#[derive(Serialize)]
struct Body<'a> {
    #[serde(flatten)]
    members: &'a Map<String, Value>,
    data: Entry<'a>,
}

struct Entry<'a>(&'a str, &'a str);

impl Serialize for Entry<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(self.0, self.1)])
    }
}

struct Count(usize);

impl io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
