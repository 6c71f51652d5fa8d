//! PEM text (RFC 7468) as DER blocks, each with the place where it stood.
//!
//! A block that cannot be read is refused with its position: skipping it would quietly trust fewer, or
//! other, certificates than the operator put there. Lines may end in LF or CRLF.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use zeroize::Zeroizing;

use crate::hidden::Hidden;

/// What may stand before, between and after the blocks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Between {
    /// Any text, as tools write it to say what a block is.
    Comments,
    /// White space only.
    Whitespace,
}

/// One block. Its bytes may be a private key, so they are hidden.
#[derive(Debug)]
pub struct Block {
    /// What stands after `BEGIN`, such as `CERTIFICATE`.
    pub label: String,
    /// 1-based number of the line with `BEGIN`.
    pub line: usize,
    /// The decoded bytes, at least one.
    pub der: Hidden,
}

/// PEM text that is not acceptable. It carries positions, never the text.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// A block has no matching end, or what stands in it is not base64.
    #[error("block {block} is damaged at line {line}")]
    Damaged {
        /// 1-based number of the block.
        block: usize,
        /// 1-based line of what is not base64, or else where the block begins.
        line: usize,
    },
    /// Something stands outside the blocks where only white space may.
    #[error("line {line} stands outside any block")]
    Foreign {
        /// 1-based line.
        line: usize,
    },
}

/// Reads every block of a text. No block at all is an empty list, for the caller to judge.
pub fn read(text: &[u8], between: Between) -> Result<Vec<Block>, Error> {
    let mut blocks = Vec::new();
    let mut open: Option<Open> = None;
    for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
        let number = index + 1;
        let line = line.trim_ascii();
        open = match (open.take(), boundary(line, b"-----BEGIN ")) {
            (None, Some(label)) => Some(Open::new(label, number, text.len())),
            (None, None) => {
                outside(line, number, blocks.len() + 1, between)?;
                None
            }
            (Some(open), None) if boundary(line, b"-----END ") == Some(open.label.as_slice()) => {
                let (block, line) = (blocks.len() + 1, open.line);
                blocks.push(open.close().ok_or(Error::Damaged { block, line })?);
                None
            }
            (Some(open), Some(_)) => {
                return Err(Error::Damaged { block: blocks.len() + 1, line: open.line });
            }
            (Some(_), None) if !line.iter().copied().all(is_base64) => {
                return Err(Error::Damaged { block: blocks.len() + 1, line: number });
            }
            (Some(mut open), None) => {
                open.base64.extend_from_slice(line);
                Some(open)
            }
        };
    }
    match open {
        Some(open) => Err(Error::Damaged { block: blocks.len() + 1, line: open.line }),
        None => Ok(blocks),
    }
}

struct Open {
    label: Vec<u8>,
    line: usize,
    base64: Zeroizing<Vec<u8>>,
}

impl Open {
    /// `room` bytes are allocated at once, so that no copy of a key is left behind by growth.
    fn new(label: &[u8], line: usize, room: usize) -> Self {
        Self { label: label.to_vec(), line, base64: Zeroizing::new(Vec::with_capacity(room)) }
    }

    fn close(self) -> Option<Block> {
        let mut der = Zeroizing::new(vec![0; base64::decoded_len_estimate(self.base64.len())]);
        let length =
            BASE64_STANDARD.decode_slice(&*self.base64, &mut der).ok().filter(|length| *length > 0)?;
        der.truncate(length);
        let label = String::from_utf8(self.label).ok()?;
        Some(Block { label, line: self.line, der: Hidden::new(std::mem::take(&mut *der)) })
    }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}

/// The label of a boundary line that starts as given.
fn boundary<'a>(line: &'a [u8], start: &[u8]) -> Option<&'a [u8]> {
    let label = line.strip_prefix(start)?.strip_suffix(b"-----")?;
    let plain = label.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ');
    (plain && !label.is_empty()).then_some(label)
}

fn outside(line: &[u8], number: usize, block: usize, between: Between) -> Result<(), Error> {
    // Five dashes outside a block are a boundary that lost its shape, not a comment.
    if line.starts_with(b"-----") {
        return Err(Error::Damaged { block, line: number });
    }
    match between {
        Between::Comments => Ok(()),
        Between::Whitespace if line.is_empty() => Ok(()),
        Between::Whitespace => Err(Error::Foreign { line: number }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(text: &str, between: Between) -> Result<Vec<(String, usize, usize)>, Error> {
        let blocks = read(text.as_bytes(), between)?;
        Ok(blocks.into_iter().map(|block| (block.label, block.line, block.der.len())).collect())
    }

    const TWO: &str = "-----BEGIN CERTIFICATE-----\nAAEC\nAwQ=\n-----END CERTIFICATE-----\n\n\
                       -----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----\n";

    #[test]
    fn blocks_are_read_with_their_places() {
        let expected = vec![("CERTIFICATE".to_owned(), 1, 5), ("EC PRIVATE KEY".to_owned(), 6, 1)];
        assert_eq!(shapes(TWO, Between::Whitespace), Ok(expected.clone()));
        assert_eq!(shapes(&TWO.replace('\n', "\r\n"), Between::Whitespace), Ok(expected.clone()));
        assert_eq!(shapes(TWO.trim_end(), Between::Whitespace), Ok(expected));
        assert_eq!(shapes("", Between::Whitespace), Ok(vec![]));
    }

    #[test]
    fn comments_stand_only_where_they_may() {
        let text = format!("# subject: CN=a\n{TWO}tail");
        assert_eq!(shapes(&text, Between::Comments).map(|blocks| blocks.len()), Ok(2));
        assert_eq!(shapes(&text, Between::Whitespace), Err(Error::Foreign { line: 1 }));
    }

    #[test]
    fn a_damaged_block_is_refused_with_its_position() {
        let damage = [
            (TWO.replace("AA==", "A"), 6),
            (TWO.replace("AA==", "A A="), 7),
            (TWO.replace("AA==", "AB=="), 6),
            (TWO.replace("AA==", ""), 6),
            (TWO.replace("-----END EC PRIVATE KEY-----", ""), 6),
            (TWO.replace("END EC PRIVATE", "END RSA PRIVATE"), 8),
            (TWO.replace("-----BEGIN EC PRIVATE KEY-----", "-----BEGIN EC PRIVATE KEY----"), 6),
            (TWO.replace("AA==", "-----BEGIN CERTIFICATE-----"), 6),
        ];
        for (text, line) in damage {
            let expected = Err(Error::Damaged { block: 2, line });
            assert_eq!(shapes(&text, Between::Comments), expected, "{text}");
        }
    }
}
