//! Where the database is, as whom we log in and who must answer: the environment of the deployment bundle.
//!
//! The names are the bundle's contract (ADR-0262). `..._URL_FILE` and `..._PASSWORD_FILE` are ours: they keep
//! secrets out of the environment. Nothing else of the environment counts: no `PG*`, no `SSL_*`.

mod error;
mod mode;
mod url;

use std::ffi::OsString;
use std::fmt;
use std::net::IpAddr;
use std::path::Path;

use crate::file;
use crate::file::Links;
use crate::hidden::Hidden;
use crate::tls::postgres::Identity;

use mode::Mode;
use mode::TLS;

pub use error::CODES;
pub use error::Error;
pub use url::Fault;

/// As whom the session is opened: each has variables of its own.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Role {
    /// `ql3_ai_maintenance`, which may record retirements and change none.
    Maintenance,
    /// The owner of the tables, for `ledger install` alone.
    Migration,
}

/// A complete description of one session. It prints nothing of itself.
#[derive(Clone)]
pub struct Settings {
    pub(super) target: Target,
    /// `None` where plaintext was demanded twice, by mode and by permission.
    pub(super) identity: Option<Identity>,
}

/// The server, the database in it and the login.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) database: String,
    pub(super) user: String,
    pub(super) password: Hidden,
}

impl Settings {
    /// Every variable that is looked up for a role.
    pub fn variables(role: Role) -> [&'static str; 12] {
        let Names { url, url_file, host, port, database, user, password, password_file } = names(role);
        let [mode, insecure, ca, server] = TLS;
        [url, url_file, host, port, database, user, password, password_file, mode, insecure, ca, server]
    }

    /// Reads the variables through `lookup`, and the files they name. Nothing is dialled.
    pub fn from_lookup(role: Role, lookup: impl Fn(&str) -> Option<OsString>) -> Result<Self, Error> {
        let given = Given::read(&names(role), &lookup)?;
        let target = given.assemble(&names(role))?;
        let identity = Mode::read(&lookup)?.identity()?;
        Ok(Self { target, identity })
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Settings(..)")
    }
}

/// The variables of one role.
struct Names {
    url: &'static str,
    url_file: &'static str,
    host: &'static str,
    port: &'static str,
    database: &'static str,
    user: &'static str,
    password: &'static str,
    password_file: &'static str,
}

/// What the variables of a role and their files hold; an empty value is no value.
struct Given {
    url: Option<Hidden>,
    host: Option<String>,
    port: Option<String>,
    database: Option<String>,
    user: Option<String>,
    password: Option<Hidden>,
}

impl Given {
    fn read(names: &Names, lookup: &impl Fn(&str) -> Option<OsString>) -> Result<Self, Error> {
        let plain = |name, limit| text(name, limit, lookup(name));
        let secret = |name, limit, twin| -> Result<Option<Hidden>, Error> {
            let direct = text(name, limit, lookup(name))?.map(|value| Hidden::new(value.into_bytes()));
            match (direct, text(twin, file::MAX_PATH, lookup(twin))?) {
                (Some(_), Some(_)) => Err(Error::Both(name, twin)),
                (None, Some(path)) => secret_file(twin, limit, Path::new(&path)).map(Some),
                (direct, None) => Ok(direct),
            }
        };
        Ok(Self {
            url: secret(names.url, MAX_URL, names.url_file)?,
            host: plain(names.host, MAX_HOST)?,
            port: plain(names.port, MAX_PORT)?,
            database: plain(names.database, MAX_NAME)?,
            user: plain(names.user, MAX_NAME)?,
            password: secret(names.password, MAX_PASSWORD, names.password_file)?,
        })
    }

    /// Either the URL alone, or the discrete values, of which only the port has a default.
    fn assemble(self, names: &Names) -> Result<Target, Error> {
        let discrete = [
            (self.host.is_some(), names.host),
            (self.port.is_some(), names.port),
            (self.database.is_some(), names.database),
            (self.user.is_some(), names.user),
            (self.password.is_some(), names.password),
        ];
        if let Some(url) = &self.url {
            let second = discrete.into_iter().find(|(is_set, _name)| *is_set);
            return match second {
                Some((_set, name)) => Err(Error::Both(names.url, name)),
                None => url::parse(url.expose_str().unwrap_or_default()).map_err(Error::Url),
            };
        }
        Ok(Target {
            host: check(names.host, self.host, is_host)?,
            port: match self.port {
                None => DEFAULT_PORT,
                Some(text) => port(&text).ok_or(Error::Malformed(names.port))?,
            },
            database: check(names.database, self.database, is_identifier)?,
            user: check(names.user, self.user, is_identifier)?,
            password: self.password.ok_or(Error::Missing(names.password))?,
        })
    }
}

fn check(name: &'static str, value: Option<String>, fits: fn(&str) -> bool) -> Result<String, Error> {
    let value = value.ok_or(Error::Missing(name))?;
    if fits(&value) { Ok(value) } else { Err(Error::Malformed(name)) }
}

/// A value of at most `limit` characters on one line; empty counts as absent.
fn text(name: &'static str, limit: usize, value: Option<OsString>) -> Result<Option<String>, Error> {
    let Some(value) = value.filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let value = value.into_string().map_err(|_not_unicode| Error::Malformed(name))?;
    if is_line(&value, limit) { Ok(Some(value)) } else { Err(Error::Malformed(name)) }
}

/// A mounted secret: one line, with or without its end.
fn secret_file(name: &'static str, limit: usize, path: &Path) -> Result<Hidden, Error> {
    let content = file::read(path, limit * MAX_UTF8 + 2, Links::Follow)
        .map_err(|source| Error::File { name, source })?;
    if content.mode & 0o022 != 0 {
        return Err(Error::Writable(name));
    }
    let value = content.bytes.expose_str().ok_or(Error::Malformed(name))?;
    let value = value.strip_suffix('\n').map_or(value, |line| line.strip_suffix('\r').unwrap_or(line));
    if value.is_empty() || !is_line(value, limit) {
        return Err(Error::Malformed(name));
    }
    Ok(Hidden::from(value))
}

fn is_line(value: &str, limit: usize) -> bool {
    value.chars().count() <= limit && !value.contains(['\0', '\r', '\n'])
}

/// A host name or the literal of an address, without brackets.
fn is_host(text: &str) -> bool {
    let name = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    let begins = text.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_');
    text.parse::<IpAddr>().is_ok() || (name && begins)
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_$".contains(&byte))
}

fn port(text: &str) -> Option<u16> {
    let digits = text.len() <= MAX_PORT && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|port| digits && *port != 0)
}

fn names(role: Role) -> Names {
    macro_rules! names {
        ($prefix:literal) => {
            Names {
                url: concat!($prefix, "_URL"),
                url_file: concat!($prefix, "_URL_FILE"),
                host: concat!($prefix, "_HOST"),
                port: concat!($prefix, "_PORT"),
                database: concat!($prefix, "_DATABASE"),
                user: concat!($prefix, "_USER"),
                password: concat!($prefix, "_PASSWORD"),
                password_file: concat!($prefix, "_PASSWORD_FILE"),
            }
        };
    }
    match role {
        Role::Maintenance => names!("QL3_POSTGRES_AI_MAINTENANCE"),
        Role::Migration => names!("QL3_POSTGRES_MIGRATION"),
    }
}

const DEFAULT_PORT: u16 = 5432;
const MAX_HOST: usize = 253;
const MAX_NAME: usize = 63;
const MAX_PASSWORD: usize = 1024;
const MAX_PORT: usize = 5;
const MAX_URL: usize = 4096;
const MAX_UTF8: usize = 4;

#[cfg(test)]
mod tests;
