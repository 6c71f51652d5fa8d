//! A short plain word: nothing secret fits into it, and nothing that a terminal would act on.

use serde::Deserialize;
use serde::Serialize;

/// 1 to 128 characters of `[A-Za-z0-9._+:/@-]`.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(try_from = "String")]
pub struct Plain(String);

impl Plain {
    /// The word.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Plain {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._+:/@-".contains(&byte);
        let good = (1..=128).contains(&text.len()) && text.bytes().all(plain);
        if good { Ok(Self(text)) } else { Err("not a short plain word") }
    }
}
