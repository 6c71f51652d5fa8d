//! What a model answered: the plaintext of an artifact.

use std::fmt;

use serde::Deserialize;
use serde::Deserializer;
use serde::Serialize;
use serde::de;

use crate::hidden::Hidden;
use crate::keyring::Digest;
use crate::keyring::Identity;
use crate::keyring::canonical;

use super::Error;
use super::wire;

/// A model's answer. Its text neither prints nor stays in memory.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Output {
    pub(super) provider: Identity,
    pub(super) model: Identity,
    pub(super) text: Hidden,
    finish_reason: FinishReason,
    usage: Usage,
}

/// Why the model stopped.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// A filter cut it off.
    ContentFilter,
    /// It reached its limit.
    Length,
    /// It had said all.
    Stop,
    /// It wants a tool to be called.
    ToolCall,
    /// The provider did not say.
    Unknown,
}

/// What the answer took; each at most 2^53 - 1.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Usage {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Their sum.
    pub total_tokens: u64,
    /// Millionths of the provider's unit of money, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

impl Output {
    /// Names of at most 128 characters, a text of at most 1048576 bytes, and usage that adds up.
    pub fn new(
        provider: &str,
        model: &str,
        text: Hidden,
        finish_reason: FinishReason,
        usage: Usage,
    ) -> Result<Self, Error> {
        let provider = wire::identity("provider", provider)?;
        let model = wire::identity("model", model)?;
        if text.len() > MAX_TEXT || text.expose_str().is_none() {
            return Err(Error::Member("text"));
        }
        let sum = usage.input_tokens.checked_add(usage.output_tokens);
        if sum != Some(usage.total_tokens) {
            return Err(Error::Member("usage"));
        }
        wire::integer("usage", usage.total_tokens.max(usage.cost_micros.unwrap_or(0)))?;
        Ok(Self { provider, model, text, finish_reason, usage })
    }

    /// The answer itself, UTF-8.
    pub fn text(&self) -> &Hidden {
        &self.text
    }

    /// The bytes that are encrypted.
    pub(super) fn plaintext(&self) -> Hidden {
        let plaintext = Plaintext {
            provider: &self.provider,
            model: &self.model,
            text: self.text.expose_str().unwrap_or_default(),
            finish_reason: self.finish_reason,
            usage: self.usage,
        };
        canonical::hidden(&plaintext, b"")
    }

    /// Reads the bytes that were decrypted.
    pub(super) fn from_plaintext(bytes: &[u8]) -> Result<Self, Error> {
        let wire: Wire<'_> = crate::json::from_slice(bytes).map_err(|_json| Error::Content)?;
        wire.read().map_err(|_member| Error::Content)
    }
}

/// The digest that an envelope carries of its plaintext.
pub(super) fn content_digest(plaintext: &Hidden) -> Digest {
    Digest::of(CONTENT_DOMAIN, &[plaintext.expose()])
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Plaintext<'a> {
    provider: &'a Identity,
    model: &'a Identity,
    text: &'a str,
    finish_reason: FinishReason,
    usage: Usage,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Wire<'a> {
    provider: &'a str,
    model: &'a str,
    #[serde(deserialize_with = "hidden")]
    text: Hidden,
    finish_reason: FinishReason,
    usage: Usage,
}

impl Wire<'_> {
    pub(super) fn read(self) -> Result<Output, Error> {
        Output::new(self.provider, self.model, self.text, self.finish_reason, self.usage)
    }
}

/// Copies a text once, into bytes that are wiped.
fn hidden<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Hidden, D::Error> {
    struct Visitor;
    impl de::Visitor<'_> for Visitor {
        type Value = Hidden;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text")
        }

        fn visit_str<E>(self, text: &str) -> Result<Hidden, E> {
            Ok(Hidden::from(text))
        }
    }
    deserializer.deserialize_str(Visitor)
}

/// Bytes of an answer's text: 1 MiB.
pub(super) const MAX_TEXT: usize = 1_048_576;
const CONTENT_DOMAIN: &str = "qinglong/plugin-package-prompt-output-content-digest@v1";
