//! Who is believed, and which session is taken.

use std::process::Command;
use std::time::Duration;

use ql3_ops::exit::Exit;
use ql3_ops::ledger::Error;
use ql3_ops::ledger::Ledger;
use ql3_ops::time::Deadline;
use ql3_ops::tls::postgres;
use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use super::key;
use super::open;
use super::prepare;
use crate::support::postgres::Database;
use crate::support::postgres::deadline;
use crate::support::special::Special;
use crate::support::wire::Act;
use crate::support::wire::Rule;
use crate::support::wire::Side;
use crate::support::wire::Wire;

async fn refusal(settings: &ql3_ops::ledger::Settings) -> Error {
    Ledger::open(settings, deadline()).await.map(|_| ()).unwrap_err()
}

#[tokio::test]
async fn a_server_that_does_not_prove_itself_gets_no_login() {
    let plaintext = Special::start("plaintext");
    let expired = Special::start("expired");
    let wrong_name = Special::start("wrong-name");
    let database = Database::installed().await;
    let other_ca = expired.server.ca.to_str().unwrap();
    for (settings, expected) in [
        (plaintext.settings(&[]), postgres::Error::NotOffered),
        (expired.settings(&[]), postgres::Error::Expired),
        (wrong_name.settings(&[]), postgres::Error::Name),
        (database.settings_with(&[("QL3_POSTGRES_TLS_CA_FILE", other_ca)]), postgres::Error::Issuer),
        (
            database.settings_with(&[("QL3_POSTGRES_TLS_SERVERNAME", "db.elsewhere.test")]),
            postgres::Error::Name,
        ),
    ] {
        let refused = refusal(&settings).await;
        assert!(matches!(refused, Error::Tls(found) if found == expected), "{refused:?}");
        assert_eq!(refused.code().exit, Exit::Peer);
    }
    // The name that is verified is not the host that is dialled.
    open(&wrong_name.settings(&[("QL3_POSTGRES_TLS_SERVERNAME", "elsewhere.ql3.test")])).await;
}

#[tokio::test]
async fn a_standby_and_a_read_only_session_are_refused() {
    let standby = Special::start("standby");
    let refused = refusal(&standby.settings(&[])).await;
    assert!(matches!(refused, Error::Standby), "{refused}");
    assert_eq!(refused.code().exit, Exit::Unavailable);

    let database = Database::installed().await;
    let admin = database.admin().await;
    let mut opened_before = open(&database.settings()).await;
    let read_only = format!("ALTER ROLE {} SET default_transaction_read_only = on", database.name);
    admin.batch_execute(&read_only).await.unwrap();
    let refused = refusal(&database.settings()).await;
    assert!(matches!(refused, Error::ReadOnly), "{refused}");
    assert!(prepare(&mut opened_before, "one", 1).await.is_ok(), "its session is as it was");
}

#[tokio::test]
async fn a_primary_that_turns_read_only_is_noticed_inside_the_transaction() {
    let database = Database::installed().await;
    // A row that could be found by reading alone, and an order that has yet to be written.
    prepare(&mut open(&database.settings()).await, "one", 1).await.unwrap();
    // The same length, and another meaning: the transaction is opened as on a server that was demoted meanwhile.
    let rule = Rule {
        side: Side::Client,
        kind: b'Q',
        text: "BEGIN",
        act: Act::Replace("ISOLATION LEVEL SERIALIZABLE; SET", "READ ONLY                   ; SET"),
    };
    let wire = Wire::start(&database.server, vec![rule]).await;
    let mut ledger = open(&database.settings_through(wire.port)).await;
    let refused = prepare(&mut ledger, "one", 1).await.unwrap_err();
    assert!(matches!(refused, Error::ReadOnly), "{refused}");
    assert!(prepare(&mut ledger, "one", 1).await.is_ok());
}

#[tokio::test]
async fn a_pooler_that_drops_the_settings_is_noticed() {
    for (old, new, setting) in [
        ("search_path=ql3,pg_catalog", "search_path=pg_catalog,ql3", "search_path"),
        ("statement_timeout=15s", "statement_timeout=00s", "statement_timeout"),
        ("-c lock_timeout=5s", "                  ", "lock_timeout"),
        (
            "idle_in_transaction_session_timeout=15s",
            "idle_in_transaction_session_timeout=16s",
            "idle_in_transaction_session_timeout",
        ),
        ("client_min_messages=warning", "client_min_messages=notice ", "client_min_messages"),
        ("row_security=off", "row_security=on ", "row_security"),
        ("qinglong3-prompt-output", "qinglong4-prompt-output", "application_name"),
    ] {
        let database = Database::installed().await;
        let wire = Wire::rewriting_startup(&database.server, old, new).await;
        let refused = refusal(&database.settings_through(wire.port)).await;
        assert!(matches!(refused, Error::Settings(found) if found == setting), "{setting}: {refused}");
        assert_eq!(refused.code().exit, Exit::Config);
    }
}

#[tokio::test]
async fn a_transaction_leaves_nothing_behind_in_a_pooled_session() {
    let database = Database::installed().await;
    let mut ledger = open(&database.settings()).await;
    prepare(&mut ledger, "one", 1).await.unwrap();
    prepare(&mut ledger, "two", 1).await.unwrap_err();
    ledger.find(&key(), deadline()).await.unwrap();
    let admin = database.admin().await;
    let left = "SELECT (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database =
                           (SELECT oid FROM pg_database WHERE datname = current_database())),
                       (SELECT count(*) FROM pg_stat_activity
                         WHERE datname = current_database() AND state = 'idle in transaction')";
    let row = admin.query_one(left, &[]).await.unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (0, 0));
}

#[tokio::test]
async fn a_login_that_is_refused_says_so() {
    let database = Database::installed().await;
    let wrong = database.settings_with(&[("QL3_POSTGRES_AI_MAINTENANCE_PASSWORD", "wrong")]);
    let refused = refusal(&wrong).await;
    assert!(matches!(refused, Error::Login(state) if state.as_str() == "28P01"), "{refused}");
    assert_eq!(refused.code().exit, Exit::Denied);
    let unknown = database.settings_with(&[("QL3_POSTGRES_AI_MAINTENANCE_DATABASE", "no_such_database")]);
    let refused = refusal(&unknown).await;
    assert!(matches!(refused, Error::Schema(state) if state.as_str() == "3D000"), "{refused}");
    let admin = database.admin().await;
    admin.batch_execute(&format!("REVOKE CONNECT ON DATABASE {} FROM PUBLIC", database.name)).await.unwrap();
    let connect = format!("REVOKE CONNECT ON DATABASE {} FROM ql3_ai_maintenance", database.name);
    admin.batch_execute(&connect).await.unwrap();
    let refused = refusal(&database.settings()).await;
    assert!(matches!(refused, Error::Login(state) if state.as_str() == "42501"), "{refused}");
    admin.batch_execute(&format!("ALTER ROLE {} CONNECTION LIMIT 0", database.name)).await.unwrap();
    let refused = refusal(&database.settings()).await;
    assert!(matches!(refused, Error::Unready(state) if state.as_str() == "53300"), "{refused}");
}

#[tokio::test]
async fn nobody_a_silent_peer_and_an_unknown_name_each_end_in_time() {
    let database = Database::installed().await;
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let to = |host: &str, port: u16| {
        database.settings_with(&[
            ("QL3_POSTGRES_AI_MAINTENANCE_HOST", host),
            ("QL3_POSTGRES_AI_MAINTENANCE_PORT", &port.to_string()),
        ])
    };
    let soon = || Deadline::after(Duration::from_millis(300));
    let settings = to("127.0.0.1", silent.local_addr().unwrap().port());
    let refused = Ledger::open(&settings, soon()).await.map(|_| ()).unwrap_err();
    assert!(matches!(refused, Error::Silent), "{refused}");
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let refused = refusal(&to("127.0.0.1", closed)).await;
    assert!(matches!(refused, Error::Unreachable(std::io::ErrorKind::ConnectionRefused)), "{refused}");
    let refused = refusal(&to("no-such-host.invalid", 5432)).await;
    assert!(matches!(refused, Error::Name(_)), "{refused}");
    assert_eq!(refused.code().exit, Exit::Unavailable);
}

/// A stand-in: PgBouncer's own words for a startup parameter that it does not pass on.
#[tokio::test]
async fn a_pooler_that_refuses_the_settings_says_what_to_change() {
    let database = Database::installed().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let settings = database.settings_through(listener.local_addr().unwrap().port());
    let pooler = async {
        let (mut stream, _peer) = listener.accept().await.unwrap();
        let length = stream.read_u32().await.unwrap();
        let mut startup = vec![0; length as usize - 4];
        stream.read_exact(&mut startup).await.unwrap();
        let body = b"SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: options\0\0";
        stream.write_u8(b'E').await.unwrap();
        stream.write_u32(u32::try_from(body.len() + 4).unwrap()).await.unwrap();
        stream.write_all(body).await.unwrap();
        stream.flush().await.unwrap();
    };
    let (refused, ()) = tokio::join!(refusal(&settings), pooler);
    assert!(matches!(refused, Error::Settings("options")), "{refused}");
    assert_eq!(refused.code().exit, Exit::Config);
}

#[tokio::test]
async fn a_trusted_go_between_is_refused_because_the_channel_is_bound() {
    let database = Database::installed().await;
    let wire = Wire::impersonating(&database.server).await;
    let settings = database.settings_with(&[
        ("QL3_POSTGRES_AI_MAINTENANCE_HOST", "127.0.0.1"),
        ("QL3_POSTGRES_AI_MAINTENANCE_PORT", &wire.port.to_string()),
        ("QL3_POSTGRES_TLS_CA_FILE", wire.ca.path().to_str().unwrap()),
    ]);
    // TLS is content with it, for its authority is mounted; the password exchange covers the server's certificate.
    let refused = refusal(&settings).await;
    assert!(matches!(refused, Error::Login(state) if state.as_str() == "28000"), "{refused:?}");
}

/// The test's own process is the one whose environment is strange.
#[tokio::test]
async fn foreign_variables_have_no_effect_at_all() {
    const NAME: &str = "ledger::connect::foreign_variables_have_no_effect_at_all";
    let expired = std::env::var_os("SSL_CERT_FILE").is_some();
    let database = Database::installed().await;
    open(&database.settings()).await;
    if expired {
        return;
    }
    let fifo = tempfile::tempdir().unwrap();
    let fifo = fifo.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let strange = [
        ("PGHOST", "192.0.2.1"),
        ("PGHOSTADDR", "192.0.2.1"),
        ("PGPORT", "1"),
        ("PGDATABASE", "no"),
        ("PGUSER", "no"),
        ("PGPASSWORD", "no"),
        ("PGPASSFILE", "/no"),
        ("PGSSLMODE", "disable"),
        ("PGSSLROOTCERT", "/no"),
        ("PGOPTIONS", "-c default_transaction_read_only=on"),
        ("PGAPPNAME", "no"),
        ("PGSERVICE", "no"),
        ("PGTARGETSESSIONATTRS", "standby"),
        ("PGCHANNELBINDING", "disable"),
        ("PGCONNECT_TIMEOUT", "1"),
        ("SSL_CERT_DIR", "/no"),
        ("OPENSSL_CONF", "/no"),
        ("HTTP_PROXY", "http://192.0.2.1:1"),
        ("HTTPS_PROXY", "http://192.0.2.1:1"),
        ("ALL_PROXY", "socks5://192.0.2.1"),
        ("LOCALDOMAIN", "invalid"),
        ("RES_OPTIONS", "timeout:1 attempts:1"),
        ("HOSTALIASES", "/no"),
    ];
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME])
        .envs(strange)
        // A pipe that nobody writes to: whoever opens it hangs.
        .env("SSL_CERT_FILE", &fifo)
        .output()
        .unwrap();
    assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stdout));
}
