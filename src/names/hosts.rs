//! hosts(5): an address and its names on each line.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::Path;

use super::Error;
use super::name::Name;
use super::settings;

/// Names whose addresses are known without asking.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Hosts(Vec<(String, IpAddr)>);

impl Hosts {
    /// Reads the lines. Comments start with `#`; an address with a zone (`fe80::1%eth0`) is left out, for what we
    /// hand out has none.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        let mut hosts = Vec::new();
        for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
            let malformed = Error::Malformed { file: FILE, line: index + 1 };
            // A comment may be in any encoding.
            let line = line.split(|byte| *byte == b'#').next().unwrap_or_default();
            let mut words =
                std::str::from_utf8(line).map_err(|_encoding| malformed)?.split_ascii_whitespace();
            let Some(first) = words.next() else { continue };
            if first.contains('%') {
                continue;
            }
            let address: IpAddr = first.parse().map_err(|_syntax| malformed)?;
            hosts.extend(words.map(|name| (name.to_owned(), address)));
        }
        Ok(Self(hosts))
    }

    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        Self::parse(&settings::content(path, FILE, MAX_FILE)?)
    }

    /// Every address of the name, in whichever lines they stand.
    pub(super) fn of(&self, name: &Name) -> BTreeSet<IpAddr> {
        let entries = self.0.iter().filter(|(listed, _)| {
            listed.strip_suffix('.').unwrap_or(listed).eq_ignore_ascii_case(name.text())
        });
        entries.map(|(_, address)| *address).collect()
    }
}

const FILE: &str = "the hosts file";
const MAX_FILE: usize = 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, name: &str) -> Vec<String> {
        let found = Hosts::parse(text.as_bytes()).unwrap().of(&Name::new(name).unwrap());
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_address_of_a_name_is_found() {
        let text = "# kubelet\n192.0.2.2\tdb.example  DB # db2\n\n2001:db8::1 db\r\nfe80::1%eth0 db\n192.0.2.1 x db\n";
        assert_eq!(of(text, "db"), ["192.0.2.1", "192.0.2.2", "2001:db8::1"]);
        assert_eq!(of(text, "Db.Example."), ["192.0.2.2"]);
        for absent in ["db2", "d", "example", "db.ns"] {
            assert!(of(text, absent).is_empty(), "{absent}");
        }
    }

    #[test]
    fn a_line_without_an_address_is_named() {
        for (text, line) in [(&b"127.0.0.1 a\nlocalhost b\n"[..], 2), (b"127.0.0.1 \xff\n", 1)] {
            assert_eq!(Hosts::parse(text), Err(Error::Malformed { file: FILE, line }));
        }
        assert!(Hosts::parse(b"127.0.0.1 a # \xff\n").is_ok(), "a comment in another encoding");
    }
}
