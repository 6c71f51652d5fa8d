//! The URL form, read more strictly than drivers do (RFC 3986).
//!
//! Drivers guess what a raw `@` or `%` in a password means, and guess differently. Here it is refused before
//! anyone is dialled with half of a password as host name.

use std::net::Ipv6Addr;

use super::DEFAULT_PORT;
use super::MAX_HOST;
use super::MAX_NAME;
use super::MAX_PASSWORD;
use super::Target;
use super::is_host;
use super::is_line;
use super::port;
use crate::hidden::Hidden;

/// What a URL has that ours may not have, or lacks.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Fault {
    /// One server, one port.
    #[error("a comma: name one server, and write a comma in a password as %2C")]
    Comma,
    /// One path segment of 1 to 63 bytes.
    #[error("no single database of 1 to 63 bytes in its path")]
    Database,
    /// A percent sign, or a character that must be written with one.
    #[error("a raw character in user, password or database that must be percent-encoded")]
    Encoding,
    /// Everything after `#` would be dropped.
    #[error("a fragment: write # in a password as %23")]
    Fragment,
    /// A name, an IPv4 address, or an IPv6 address in brackets.
    #[error("no valid host: an IPv6 address needs brackets, and a socket path is not taken")]
    Host,
    /// 1 to 1024 characters between `:` and `@`.
    #[error("no password of 1 to 1024 characters")]
    Password,
    /// 1 to 65535.
    #[error("a port that is not 1 to 65535")]
    Port,
    /// The session's settings are ours.
    #[error("parameters: none are taken, and ? in a password is written as %3F")]
    Query,
    /// Two of them: which one ends the password?
    #[error("more than one @: write @ in a password as %40")]
    RawAt,
    /// Not `postgres` or `postgresql`.
    #[error("another scheme than postgres or postgresql")]
    Scheme,
    /// TLS is configured by `QL3_POSTGRES_TLS_*` alone.
    #[error("a parameter that would change TLS")]
    TlsParameter,
    /// 1 to 63 bytes before `:`.
    #[error("no user of 1 to 63 bytes")]
    User,
}

pub(super) fn parse(url: &str) -> Result<Target, Fault> {
    let (scheme, rest) = url.split_once("://").ok_or(Fault::Scheme)?;
    if !["postgres", "postgresql"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
        return Err(Fault::Scheme);
    }
    let rest = match rest.split_once('?') {
        Some((_before, query)) => return Err(judge_query(query)),
        None => rest,
    };
    if rest.contains('#') {
        return Err(Fault::Fragment);
    }
    let (authority, path) = rest.split_once('/').ok_or(Fault::Database)?;
    if authority.contains(',') {
        return Err(Fault::Comma);
    }
    let (login, server) = authority.split_once('@').ok_or(Fault::User)?;
    if server.contains('@') {
        return Err(Fault::RawAt);
    }
    let (user, password) = login.split_once(':').ok_or(Fault::Password)?;
    let (host, port) = split_server(server)?;
    Ok(Target {
        host,
        port,
        database: name(path, Fault::Database)?,
        user: name(user, Fault::User)?,
        password: Some(decode(password)?)
            .filter(|password| !password.is_empty() && is_line(password, MAX_PASSWORD))
            .map(|password| Hidden::new(password.into_bytes()))
            .ok_or(Fault::Password)?,
    })
}

fn judge_query(query: &str) -> Fault {
    let is_tls = |parameter: &str| {
        parameter.bytes().zip(b"ssl").filter(|(found, wanted)| found.eq_ignore_ascii_case(wanted)).count()
            == 3
    };
    if query.split('&').any(is_tls) { Fault::TlsParameter } else { Fault::Query }
}

fn split_server(server: &str) -> Result<(String, u16), Fault> {
    let (host, rest) = match server.strip_prefix('[') {
        Some(literal) => {
            let (address, rest) = literal.split_once(']').ok_or(Fault::Host)?;
            address.parse::<Ipv6Addr>().map_err(|_invalid| Fault::Host)?;
            (address, rest)
        }
        None => server.find(':').map_or((server, ""), |colon| server.split_at(colon)),
    };
    if host.is_empty() || host.len() > MAX_HOST || !is_host(host) {
        return Err(Fault::Host);
    }
    let port = match rest.strip_prefix(':') {
        Some(digits) => port(digits).ok_or(Fault::Port)?,
        None if rest.is_empty() => DEFAULT_PORT,
        None => return Err(Fault::Host),
    };
    Ok((host.to_owned(), port))
}

fn name(encoded: &str, fault: Fault) -> Result<String, Fault> {
    let name = decode(encoded)?;
    let fits = (1..=MAX_NAME).contains(&name.len()) && is_line(&name, MAX_NAME);
    if fits { Ok(name) } else { Err(fault) }
}

/// Undoes percent-encoding; only what RFC 3986 lets stand raw in a login may stand raw.
fn decode(text: &str) -> Result<String, Fault> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let mut digit = || {
                    let byte = bytes.next().filter(u8::is_ascii_hexdigit)?;
                    char::from(byte).to_digit(16).and_then(|value| u8::try_from(value).ok())
                };
                let (high, low) = (digit().ok_or(Fault::Encoding)?, digit().ok_or(Fault::Encoding)?);
                high * 16 + low
            }
            raw if raw.is_ascii_alphanumeric() || RAW.contains(&raw) => raw,
            _ => return Err(Fault::Encoding),
        });
    }
    String::from_utf8(decoded).map_err(|_invalid| Fault::Encoding)
}

const RAW: &[u8] = b"-._~!$&'()*+;=:";
