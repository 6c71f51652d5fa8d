//! JSON as we accept it from outside: no duplicate members, bounded depth, nothing after the value.
//!
//! Canonical bytes are compact `serde_json` of a struct whose fields stand in the wanted order: its string
//! escapes are those of ECMAScript's `JSON.stringify`, and all our numbers are integers.

use std::fmt;

use serde::Deserialize;
use serde::Deserializer;
use serde::de;
use serde_json::Map;
use serde_json::Value;

/// A JSON text that is not acceptable. It carries a position, never the text.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("not acceptable JSON at line {line} column {column}: {fault}")]
pub struct Error {
    /// 1-based line, or 0 where the text as a whole is at fault.
    pub line: usize,
    /// 1-based column, or 0.
    pub column: usize,
    /// What is wrong there.
    pub fault: Fault,
}

/// What is wrong with a JSON text.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Fault {
    /// The grammar of RFC 8259, UTF-8, or our depth limit of 128 is broken.
    #[error("syntax")]
    Syntax,
    /// A member is missing, unknown, doubled or of another type than expected.
    #[error("shape")]
    Shape,
    /// The text ends too early.
    #[error("unexpected end")]
    Truncated,
}

/// Parses one JSON value that spans the whole text; two members of one name are a [`Fault::Shape`].
pub fn parse(text: &[u8]) -> Result<Value, Error> {
    from_slice::<Strict>(text).map(|strict| strict.0)
}

/// Parses straight into a type, with the same bounds. The type itself must refuse unknown members.
pub fn from_slice<'de, T: Deserialize<'de>>(text: &'de [u8]) -> Result<T, Error> {
    serde_json::from_slice(text).map_err(|error| Error {
        line: error.line(),
        column: error.column(),
        fault: match error.classify() {
            serde_json::error::Category::Data => Fault::Shape,
            serde_json::error::Category::Eof => Fault::Truncated,
            serde_json::error::Category::Io | serde_json::error::Category::Syntax => Fault::Syntax,
        },
    })
}

/// A value whose objects have no doubled member at any depth.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> de::Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value without doubled members")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Strict(item)) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            let Strict(value) = map.next_value()?;
            if members.insert(name, value).is_some() {
                return Err(de::Error::custom("doubled member"));
            }
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doubled_member_is_refused_at_any_depth() {
        for text in [r#"{"a":1,"a":1}"#, r#"[{"b":{"a":1,"\u0061":2}}]"#] {
            assert_eq!(parse(text.as_bytes()).map_err(|e| e.fault), Err(Fault::Shape), "{text}");
        }
    }

    #[test]
    fn a_million_brackets_are_refused_without_recursion() {
        let deep = vec![b'['; 1_000_000];
        assert_eq!(parse(&deep).map_err(|e| e.fault), Err(Fault::Syntax));
    }

    #[test]
    fn numbers_beyond_json_are_refused() {
        for text in ["NaN", "Infinity", "-", "01", "1e999", "+1", "0x1"] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
