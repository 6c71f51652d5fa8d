//! A host name that may be asked for, and the names that are tried for it.

use std::net::IpAddr;
use std::net::Ipv6Addr;

use super::Error;

/// A host name within the limits of RFC 1035: 1 to 253 characters, labels of 1 to 63.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Name {
    /// Without the trailing dot.
    text: String,
    /// Whether it had one: then no search domain is added.
    absolute: bool,
}

/// The address that a host is if it needs no look-up.
pub(super) fn address(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(inner) => inner.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => host.parse().ok(),
    }
}

impl Name {
    /// Takes letters, digits, dashes and underscores. A last label of digits alone is a mistyped address, never a
    /// name (RFC 1123, section 2.1).
    pub(super) fn new(host: &str) -> Result<Self, Error> {
        let text = host.strip_suffix('.').unwrap_or(host);
        let plain = |label: &str| {
            (1..=MAX_LABEL).contains(&label.len())
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        };
        let numeric = text.rsplit('.').next().is_some_and(|label| label.bytes().all(|b| b.is_ascii_digit()));
        if numeric || text.len() > MAX_NAME || !text.split('.').all(plain) {
            return Err(Error::Invalid);
        }
        Ok(Self { text: text.to_owned(), absolute: text.len() < host.len() })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// What to ask for, in order, none twice. A candidate that is longer than a name can be is left out.
    pub(super) fn candidates(&self, search: &[String], dots: usize) -> Vec<String> {
        let found = self.text.bytes().filter(|byte| *byte == b'.').count();
        let searched = search.iter().map(|domain| format!("{}.{domain}", self.text));
        let searched: Vec<_> = searched
            .map(|candidate| candidate.trim_end_matches('.').to_owned())
            .filter(|candidate| candidate.len() <= MAX_NAME)
            .collect();
        let as_it_is = [self.text.clone()];
        let all: Vec<_> = match (self.absolute, found >= dots) {
            (true, _) => as_it_is.into(),
            (false, true) => as_it_is.into_iter().chain(searched).collect(),
            (false, false) => searched.into_iter().chain(as_it_is).collect(),
        };
        let mut candidates: Vec<String> = Vec::new();
        for candidate in all {
            if !candidates.iter().any(|earlier| earlier.eq_ignore_ascii_case(&candidate)) {
                candidates.push(candidate);
            }
        }
        candidates
    }
}

const MAX_LABEL: usize = 63;
/// In text, without the trailing dot: 255 bytes on the wire.
const MAX_NAME: usize = 253;

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(host: &str, search: &[&str], dots: usize) -> Vec<String> {
        let search: Vec<_> = search.iter().map(|domain| (*domain).to_owned()).collect();
        Name::new(host).unwrap().candidates(&search, dots)
    }

    #[test]
    fn an_address_is_itself() {
        for (host, expected) in [
            ("192.0.2.1", Some("192.0.2.1")),
            ("2001:db8::1", Some("2001:db8::1")),
            ("[2001:db8::1]", Some("2001:db8::1")),
            ("[192.0.2.1]", None),
            ("192.0.2.1.", None),
            ("host", None),
        ] {
            assert_eq!(address(host), expected.map(|text| text.parse().unwrap()), "{host}");
        }
    }

    #[test]
    fn what_is_no_host_name_is_refused() {
        let label = "a".repeat(63);
        let longest = format!("{label}.{label}.{label}.{}", "a".repeat(61));
        for host in ["a", "A-1.b_c.", "_x._tcp.example", "1.web.ns.svc", label.as_str(), longest.as_str()] {
            assert!(Name::new(host).is_ok(), "{host}");
        }
        let (long_label, long) = (format!("{label}a"), format!("{longest}a"));
        let wrong =
            ["", ".", "..", "a..b", ".a", "a..", "a b", "a/b", "h\u{f6}st", "a\0", "*.a", "fe80::1%lo"];
        let addresses = ["192.0.2.256", "127.1", "192.0.2.1.", "7"];
        for host in wrong.into_iter().chain(addresses).chain([long_label.as_str(), long.as_str()]) {
            assert_eq!(Name::new(host), Err(Error::Invalid), "{host:?}");
        }
    }

    #[test]
    fn few_dots_are_searched_first_and_many_last() {
        let search = ["ns.svc.cluster.local", "svc.cluster.local"];
        assert_eq!(
            candidates("db.ns", &search, 5),
            ["db.ns.ns.svc.cluster.local", "db.ns.svc.cluster.local", "db.ns"]
        );
        assert_eq!(
            candidates("db.ns", &search, 1),
            ["db.ns", "db.ns.ns.svc.cluster.local", "db.ns.svc.cluster.local"]
        );
        assert_eq!(candidates("db.ns.", &search, 5), ["db.ns"]);
        assert_eq!(candidates("db", &[], 5), ["db"]);
    }

    #[test]
    fn a_candidate_is_tried_once_and_never_too_long() {
        assert_eq!(candidates("a.b", &["", "C", "c"], 5), ["a.b", "a.b.C"]);
        assert_eq!(candidates("a", &["b".repeat(253).as_str()], 5), ["a"]);
        assert_eq!(candidates("a", &["b".repeat(251).as_str()], 5).len(), 2);
    }
}
