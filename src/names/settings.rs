//! resolv.conf(5): whom to ask, and what to try.

use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::net::SocketAddr;
use std::net::SocketAddrV6;
use std::path::Path;

use resolv_conf::Config;
use resolv_conf::ParseError;
use resolv_conf::ScopedIp;

use super::Error;
use super::name::Name;
use crate::file;
use crate::file::Links;

/// Whom to ask, and what to try.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Settings {
    /// All of them are asked at once.
    pub(super) nameservers: Vec<SocketAddr>,
    /// Appended to a name, in this order.
    pub(super) search: Vec<String>,
    /// How many dots a name needs to be tried as it is first.
    pub(super) dots: usize,
}

impl Settings {
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        Self::parse(&content(path, FILE, MAX_FILE)?)
    }

    /// As the C library does: the first three servers, 127.0.0.1 where there is none, the last of `search` and
    /// `domain`, at most 15 dots. Directives and options that we have no use for are passed over, known or not.
    fn parse(text: &[u8]) -> Result<Self, Error> {
        let (config, faults) = Config::parse_with_errors(text);
        if let Some(line) = faults.iter().find_map(fault) {
            return Err(malformed(line + 1));
        }
        let servers = config.nameservers.iter().take(MAX_SERVERS).map(server).collect::<Option<Vec<_>>>();
        let mut nameservers = servers.ok_or_else(|| malformed(last(text, &["nameserver"])))?;
        if nameservers.is_empty() {
            nameservers.push((Ipv4Addr::LOCALHOST, PORT).into());
        }
        let domains =
            config.get_last_search_or_domain().map(|domain| domain.trim_end_matches('.').to_owned());
        let search: Vec<_> = domains.collect();
        // The domain `.` is the root: the name as it is.
        if search.iter().any(|domain| !domain.is_empty() && Name::new(domain).is_err()) {
            return Err(malformed(last(text, &["search", "domain"])));
        }
        Ok(Self {
            nameservers,
            search,
            dots: usize::try_from(config.ndots).unwrap_or(MAX_DOTS).min(MAX_DOTS),
        })
    }
}

/// The line of a fault, counted from 0, if it is one to stop at.
fn fault(error: &ParseError) -> Option<usize> {
    match error {
        ParseError::InvalidOption(_) | ParseError::InvalidDirective(_) => None,
        ParseError::InvalidUtf8(line, _)
        | ParseError::InvalidIp(line, _)
        | ParseError::InvalidValue(line)
        | ParseError::InvalidOptionValue(line)
        | ParseError::ExtraData(line) => Some(*line),
    }
}

/// A zone must be a number: the names of interfaces are not looked up.
fn server(address: &ScopedIp) -> Option<SocketAddr> {
    match address {
        ScopedIp::V4(address) => Some((IpAddr::V4(*address), PORT).into()),
        ScopedIp::V6(address, zone) => {
            let zone = zone.as_deref().map_or(Some(0), |zone| zone.parse().ok())?;
            Some(SocketAddrV6::new(*address, PORT, 0, zone).into())
        }
    }
}

/// The last line that starts with one of the keywords, counted from 1.
fn last(text: &[u8], keywords: &[&str]) -> usize {
    let starts =
        |line: &[u8]| keywords.iter().any(|word| line.trim_ascii_start().starts_with(word.as_bytes()));
    let lines: Vec<_> = text.split(|byte| *byte == b'\n').collect();
    lines.iter().rposition(|line| starts(line)).map_or(1, |index| index + 1)
}

const fn malformed(line: usize) -> Error {
    Error::Malformed { file: FILE, line }
}

/// A file's bytes; none where it is absent or empty.
pub(super) fn content(path: &Path, name: &'static str, limit: usize) -> Result<Vec<u8>, Error> {
    match file::read(path, limit, Links::Follow) {
        Ok(content) => Ok(content.bytes.expose().to_vec()),
        Err(file::Error::Absent | file::Error::Size { size: 0, .. }) => Ok(Vec::new()),
        Err(source) => Err(Error::Unreadable { file: name, source }),
    }
}

const FILE: &str = "resolv.conf";
const MAX_FILE: usize = 64 * 1024;
const MAX_SERVERS: usize = 3;
const MAX_DOTS: usize = 15;
const PORT: u16 = 53;

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> (Vec<String>, Vec<String>, usize) {
        let Settings { nameservers, search, dots } = Settings::parse(text.as_bytes()).unwrap();
        (nameservers.iter().map(ToString::to_string).collect(), search, dots)
    }

    #[test]
    fn a_pods_file_is_understood() {
        let text = "search ns.svc.cluster.local svc.cluster.local cluster.local.\n\
                    nameserver 10.96.0.10\noptions ndots:5 edns0 made-up:7\n";
        let (servers, search, dots) = parse(text);
        assert_eq!(servers, ["10.96.0.10:53"]);
        assert_eq!(search, ["ns.svc.cluster.local", "svc.cluster.local", "cluster.local"]);
        assert_eq!(dots, 5);
    }

    #[test]
    fn what_is_missing_or_too_much_is_as_in_the_c_library() {
        assert_eq!(parse(""), (vec!["127.0.0.1:53".to_owned()], vec![], 1));
        let many = "nameserver ::1\nnameserver fe80::1%2 ; why\nnameserver 192.0.2.1\nnameserver 192.0.2.2\n";
        assert_eq!(parse(many).0, ["[::1]:53", "[fe80::1%2]:53", "192.0.2.1:53"]);
        assert_eq!(parse("search a b\ndomain c\n").1, ["c"]);
        assert_eq!(parse("domain c\nsearch .\n").1, [""]);
        assert_eq!(parse("options ndots:99\n").2, 15);
        assert_eq!(parse("options ndots:0\nsortlist-of-mine x\n").2, 0);
    }

    #[test]
    fn a_line_that_says_something_else_is_named() {
        for (text, line) in [
            ("nameserver 10.0.0\n", 1),
            ("search a\nnameserver\n", 2),
            ("nameserver 192.0.2.1 192.0.2.2\n", 1),
            ("\nnameserver fe80::1%eth0\n", 2),
            ("options ndots:many\n", 1),
            ("search a\nsearch b c..d\n# end\n", 2),
        ] {
            assert_eq!(Settings::parse(text.as_bytes()), Err(malformed(line)), "{text}");
        }
    }
}
