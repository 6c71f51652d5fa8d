//! The names that look most like one that is not known.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::cli::codes;
use crate::exit::Exit;

/// At most three, the nearest first; none where nothing is alike.
pub(super) fn to(asked: &str) -> Vec<&'static str> {
    let printed = codes().flat_map(|code| [code.code, code.printed()]);
    let names: BTreeSet<&'static str> = printed.chain(Exit::ALL.iter().map(|exit| exit.name())).collect();
    let mut names: Vec<_> = names.into_iter().map(|name| (likeness(name, asked), name)).collect();
    names.retain(|(likeness, _name)| *likeness >= LEAST);
    names.sort_by_key(|(likeness, _name)| Reverse(*likeness));
    names.into_iter().take(MOST).map(|(_likeness, name)| name).collect()
}

/// Characters in common: at the start, past what all codes start with, and of words that begin alike.
fn likeness(name: &str, asked: &str) -> usize {
    let [name, asked] = [name, asked].map(str::to_ascii_uppercase);
    let [name, asked] = [&name, &asked].map(|text| text.strip_prefix(OURS).unwrap_or(text));
    let start = name.bytes().zip(asked.bytes()).take_while(|(one, other)| one == other).count();
    let words = asked.split('_').filter(|word| word.len() >= LEAST);
    let shared = words.filter(|word| name.split('_').any(|other| other.starts_with(*word)));
    start + shared.map(str::len).sum::<usize>()
}

const OURS: &str = "QL3_";
const LEAST: usize = 3;
const MOST: usize = 3;
