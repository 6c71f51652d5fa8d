//! One byte form per value: compact JSON, members in the order of the struct's fields.
//!
//! `serde_json` escapes strings as ECMAScript's `JSON.stringify` does, and all our numbers are integers.

use std::io;
use std::io::Write;

use serde::Serialize;
use serde_json::Value;

use crate::hidden::Hidden;

/// The text of a value that holds no secret.
pub(super) fn text(value: &impl Serialize) -> String {
    #[expect(
        clippy::expect_used,
        reason = "only a map with keys that are no strings fails, and we have none"
    )]
    serde_json::to_string(value).expect("a struct of strings and integers")
}

/// The JSON value of a value that holds no secret.
pub(super) fn value(value: &impl Serialize) -> Value {
    #[expect(clippy::expect_used, reason = "as above")]
    serde_json::to_value(value).expect("a struct of strings and integers")
}

/// The bytes of a value that holds secrets, followed by `end`.
///
/// Written twice: the first time only counted, so that the buffer never grows and leaves no copy behind.
pub(super) fn hidden(value: &impl Serialize, end: &[u8]) -> Hidden {
    let mut count = Count(end.len());
    write(value, &mut count);
    let mut bytes = Vec::with_capacity(count.0);
    write(value, &mut bytes);
    bytes.extend_from_slice(end);
    debug_assert_eq!(bytes.len(), count.0, "both passes write the same");
    Hidden::new(bytes)
}

fn write(value: &impl Serialize, sink: &mut impl Write) {
    #[expect(clippy::expect_used, reason = "as above, and neither sink refuses a byte")]
    serde_json::to_writer(sink, value).expect("a struct of strings and integers");
}

/// A sink that only counts.
struct Count(usize);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_quotes_backslashes_and_controls_are_escaped() {
        let odd = "\"\\/<\u{7f}\u{2028}é😀\u{8}\t\n\u{c}\r\u{0}\u{1f}";
        let plain = "/<\u{7f}\u{2028}é😀";
        assert_eq!(text(&odd), format!(r#""\"\\{plain}\b\t\n\f\r\u0000\u001f""#));
    }

    #[test]
    fn a_hidden_buffer_has_exactly_its_size() {
        let bytes = hidden(&["a", "\n"], b"\n");
        assert_eq!(bytes.expose(), b"[\"a\",\"\\n\"]\n");
    }
}
