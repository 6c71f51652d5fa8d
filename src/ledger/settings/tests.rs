//! Every way to say where the database is, and every way to say it wrongly.

use std::os::unix::fs::PermissionsExt;

use super::*;

const PREFIX: &str = "QL3_POSTGRES_AI_MAINTENANCE_";

fn settings(values: &[(&str, &str)]) -> Result<Target, Error> {
    let lookup = |name: &str| {
        let plain = [("QL3_POSTGRES_TLS_MODE", "disable"), ("QL3_POSTGRES_ALLOW_INSECURE", "true")];
        let mut all = values.iter().map(|(name, value)| (format!("{PREFIX}{name}"), *value));
        all.find(|(known, _)| known == name)
            .map(|(_, value)| value)
            .or_else(|| plain.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
            .map(OsString::from)
    };
    Settings::from_lookup(Role::Maintenance, lookup).map(|settings| settings.target)
}

fn url(text: &str) -> Result<(String, u16, String, String, String), Fault> {
    match settings(&[("URL", text)]) {
        Ok(Target { host, port, database, user, password }) => {
            Ok((host, port, database, user, password.expose_str().unwrap().to_owned()))
        }
        Err(Error::Url(fault)) => Err(fault),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_url_is_taken_apart_exactly() {
    let read = |text, host: &str, port, password: &str| {
        let expected = (host.to_owned(), port, "qinglong".to_owned(), "ql3".to_owned(), password.to_owned());
        assert_eq!(url(text), Ok(expected), "{text}");
    };
    read("postgres://ql3:pw@db.svc/qinglong", "db.svc", 5432, "pw");
    read("PostgreSQL://ql3:a:b;c=d@10.0.0.1:05432/qinglong", "10.0.0.1", 5432, "a:b;c=d");
    read("postgres://ql3:%40%25%2c%2F%C3%A9@[fd00::1]:6432/qing%6Cong", "fd00::1", 6432, "@%,/é");
    read("postgres://ql3:pw@[::1]/qinglong", "::1", 5432, "pw");
}

#[test]
fn a_url_that_could_be_read_in_two_ways_is_refused() {
    for (text, fault) in [
        ("mysql://u:p@h/d", Fault::Scheme),
        ("u:p@h/d", Fault::Scheme),
        ("postgres://u:p@x@h/d", Fault::RawAt),
        ("postgres://u:p%zz@h/d", Fault::Encoding),
        ("postgres://u:100%@h/d", Fault::Encoding),
        ("postgres://u:p%F@h/d", Fault::Encoding),
        ("postgres://u:p%FF@h/d", Fault::Encoding),
        ("postgres://u:é@h/d", Fault::Encoding),
        ("postgres://u:p,q@h/d", Fault::Comma),
        ("postgres://u:p@h,i/d", Fault::Comma),
        ("postgres://u:p/q@h/d", Fault::User),
        ("postgres://u:p?q@h/d", Fault::Query),
        ("postgres://u:p#q@h/d", Fault::Fragment),
        ("postgres://u:p@h/d#", Fault::Fragment),
        ("postgres://h/d", Fault::User),
        ("postgres://u@h/d", Fault::Password),
        ("postgres://u:@h/d", Fault::Password),
        ("postgres://u:%00@h/d", Fault::Password),
        ("postgres://:p@h/d", Fault::User),
        ("postgres://u:p@h", Fault::Database),
        ("postgres://u:p@h/", Fault::Database),
        ("postgres://u:p@h/d/e", Fault::Encoding),
        ("postgres://u:p@/d", Fault::Host),
        ("postgres://u:p@%2Fvar%2Frun/d", Fault::Host),
        ("postgres://u:p@::1/d", Fault::Host),
        ("postgres://u:p@[::1/d", Fault::Host),
        ("postgres://u:p@[::1]x/d", Fault::Host),
        ("postgres://u:p@[::1%25eth0]/d", Fault::Host),
        ("postgres://u:p@[h]/d", Fault::Host),
        ("postgres://u:p@h:/d", Fault::Port),
        ("postgres://u:p@h:0/d", Fault::Port),
        ("postgres://u:p@h:+443/d", Fault::Port),
        ("postgres://u:p@h:65536/d", Fault::Port),
        ("postgres://u:p@h:1:2/d", Fault::Port),
        ("postgres://u:p@h/d?", Fault::Query),
        ("postgres://u:p@h/d?host=i", Fault::Query),
        ("postgres://u:p@h/d?options=-c%20x", Fault::Query),
        ("postgres://u:p@h/d?target_session_attrs=any", Fault::Query),
        ("postgres://u:p@h/d?a=b&SSLmode=disable", Fault::TlsParameter),
        ("postgres://u:p@h/d?sslnegotiation=direct", Fault::TlsParameter),
    ] {
        assert_eq!(url(text).unwrap_err(), fault, "{text}");
    }
}

const DISCRETE: [(&str, &str); 4] = [("HOST", "h"), ("DATABASE", "d"), ("USER", "u"), ("PASSWORD", "p@%,")];

fn with<'a>(extra: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let kept = DISCRETE.iter().filter(|(name, _)| extra.iter().all(|(other, _)| other != name));
    kept.chain(extra).copied().collect()
}

#[test]
fn discrete_values_have_one_default_and_one_form_each() {
    let Target { host, port, .. } = settings(&DISCRETE).unwrap();
    assert_eq!((host.as_str(), port), ("h", 5432));
    assert_eq!(settings(&with(&[("PORT", ""), ("URL", "")])).unwrap().port, 5432);
    assert_eq!(settings(&with(&[("HOST", "fd00::1")])).unwrap().host, "fd00::1");
    let malformed = [
        ("HOST", "/var/run"),
        ("HOST", "[::1]"),
        ("HOST", "a b"),
        ("HOST", "-h"),
        ("HOST", &"h".repeat(254)),
        ("PORT", "0"),
        ("PORT", "+443"),
        ("PORT", "tcp://1.2.3.4:5"),
        ("PORT", "65536"),
        ("PORT", "000443"),
        ("DATABASE", "my-db"),
        ("DATABASE", "1db"),
        ("USER", "ü"),
        ("USER", &"u".repeat(64)),
        ("PASSWORD", "a\nb"),
        ("PASSWORD", "a\rb"),
        ("PASSWORD", "a\0b"),
        ("PASSWORD", &"p".repeat(1025)),
    ];
    for (name, value) in malformed {
        let error = settings(&with(&[(name, value)])).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), format!("{PREFIX}{name} is malformed"), "{value:?}");
    }
    for (name, _) in DISCRETE {
        let error = settings(&with(&[(name, "")])).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), format!("{PREFIX}{name} is not set"));
        assert_eq!(error.code().name, "PostgresConnectionEnvironmentError");
    }
}

#[test]
fn two_sources_of_one_thing_are_refused() {
    for (name, value) in DISCRETE.into_iter().chain([("PORT", "1"), ("URL_FILE", "/f")]) {
        let error = settings(&[("URL", "postgres://u:p@h/d"), (name, value)]).map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::Both(..)), "{name}");
    }
    let error = settings(&with(&[("PASSWORD_FILE", "/f")])).map(|_| ()).unwrap_err();
    assert!(matches!(error, Error::Both(..)));
}

#[test]
fn a_mounted_secret_is_one_line_with_or_without_its_end() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("password");
    let read = |bytes: &[u8], mode| {
        std::fs::write(&path, bytes).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        settings(&with(&[("PASSWORD", ""), ("PASSWORD_FILE", path.to_str().unwrap())]))
            .map(|target| target.password)
    };
    for bytes in [&b"p w"[..], b"p w\n", b"p w\r\n"] {
        assert_eq!(read(bytes, 0o440).unwrap(), Hidden::from("p w"));
    }
    for bytes in [&b"\n"[..], b"a\nb\n", b"a\n\n", b"\xff", &[b'p'; 1025]] {
        assert!(matches!(read(bytes, 0o600), Err(Error::Malformed(_))), "{bytes:?}");
    }
    assert!(matches!(read(b"p", 0o620), Err(Error::Writable(_))));
    assert!(matches!(read(b"", 0o600), Err(Error::File { source: file::Error::Size { .. }, .. })));
}

fn tls(values: &[(&str, &str)]) -> Result<(), Error> {
    let lookup = |name: &str| {
        let found = values.iter().find(|(known, _)| format!("QL3_POSTGRES_{known}") == name)?;
        Some(OsString::from(found.1))
    };
    Mode::read(&lookup)?.identity().map(|_| ())
}

#[test]
fn plaintext_needs_two_words_and_everything_else_an_identity() {
    assert_eq!(tls(&[("TLS_MODE", "disable"), ("ALLOW_INSECURE", "true")]), Ok(()));
    for word in ["", "1", "TRUE", "true "] {
        assert_eq!(tls(&[("TLS_MODE", "disable"), ("ALLOW_INSECURE", word)]), Err(Error::Insecure));
    }
    for mode in ["", "require", "VERIFY-FULL", "prefer"] {
        assert_eq!(tls(&[("TLS_MODE", mode), ("ALLOW_INSECURE", "true")]), Err(Error::Mode));
    }
    assert_eq!(tls(&[]), Err(Error::TlsMissing("QL3_POSTGRES_TLS_CA_FILE")));
    assert_eq!(tls(&[("TLS_CA_FILE", "/ca")]), Err(Error::TlsMissing("QL3_POSTGRES_TLS_SERVERNAME")));
    let named = |ca, name| tls(&[("TLS_MODE", "verify-full"), ("TLS_CA_FILE", ca), ("TLS_SERVERNAME", name)]);
    assert!(matches!(named("/ca", "10.0.0.1"), Err(Error::Identity(_))));
    assert_eq!(named("/no/such/ca", "a.b").map_err(|e| e.code().code), Err("QL3_POSTGRES_CA_UNAVAILABLE"));
}
