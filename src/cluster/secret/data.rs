//! The Secret's data: key material, so it is wiped on every way out.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Map;
use serde_json::Value;
use zeroize::Zeroize;
use zeroize::Zeroizing;

use crate::cluster::secret::Error;
use crate::cluster::secret::error::MAX_VALUE;
use crate::keyring::Manifest;

/// What stands under `data`, taken out of the object.
pub(super) struct Data(Value);

impl Data {
    pub(super) fn take(members: &mut Map<String, Value>) -> Self {
        Self(members.remove("data").unwrap_or_default())
    }

    /// The keyring in the one entry. Its bytes must be the canonical ones, and their base64 too.
    pub(super) fn keyring(&self, data_key: &str) -> Result<Manifest, Error> {
        let entries = self.0.as_object().filter(|entries| entries.len() == 1).ok_or(Error::Entries)?;
        let value = entries.get(data_key).ok_or(Error::Entries)?.as_str().ok_or(Error::Encoding)?;
        if !(1..=MAX_VALUE).contains(&value.len()) {
            return Err(Error::Encoding);
        }
        let mut bytes = Zeroizing::new(vec![0; base64::decoded_len_estimate(value.len())]);
        // Refuses other alphabets, missing padding and trailing bits that are not zero.
        let length = BASE64_STANDARD.decode_slice(value, &mut bytes).map_err(|_invalid| Error::Encoding)?;
        bytes.truncate(length);
        Manifest::parse(&bytes).map_err(Error::Keyring)
    }
}

impl Drop for Data {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

fn wipe(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(wipe),
        Value::Object(members) => members.values_mut().for_each(wipe),
        Value::String(text) => text.zeroize(),
        Value::Bool(_) | Value::Null | Value::Number(_) => {}
    }
}
