//! The file that is shipped.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::Result;

pub(crate) struct Artefact {
    /// Bytes.
    pub(crate) size: usize,
    /// Bytes after `gzip -9`.
    pub(crate) compressed: usize,
    /// Position independent, and needs no interpreter.
    pub(crate) is_static_pie: bool,
}

pub(crate) fn inspect(path: &Path) -> Result<Artefact> {
    let bytes = fs::read(path)?;
    let compressed = Command::new("gzip").args(["-9", "-c"]).arg(path).output()?.stdout.len();
    let is_static_pie = is_static_pie(&bytes).ok_or("the program is no 64-bit ELF file")?;
    Ok(Artefact { size: bytes.len(), compressed, is_static_pie })
}

/// By the ELF header: type DYN, and none of the program headers is INTERP.
fn is_static_pie(bytes: &[u8]) -> Option<bool> {
    let number = |at: usize, length: usize| -> Option<usize> {
        let digits = bytes.get(at..at.checked_add(length)?)?;
        Some(digits.iter().rev().fold(0, |number, digit| number << 8 | usize::from(*digit)))
    };
    if !bytes.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let (table, entry, entries) = (number(0x20, 8)?, number(0x36, 2)?, number(0x38, 2)?);
    let kinds: Option<Vec<usize>> = (0..entries).map(|index| number(table + index * entry, 4)).collect();
    Some(number(0x10, 2)? == DYN && !kinds?.contains(&INTERP))
}

const DYN: usize = 3;
const INTERP: usize = 3;
