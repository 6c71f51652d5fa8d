//! One session: dialled, proven, set up and read back within five seconds, and gone when it is dropped.

use std::future::Future;
use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::io::AsyncRead;
use tokio::io::AsyncWrite;
use tokio::task::JoinHandle;
use tokio_postgres::AsyncMessage;
use tokio_postgres::Client;
use tokio_postgres::Config;
use tokio_postgres::NoTls;
use tokio_postgres::config::ChannelBinding;
use tokio_postgres::config::SslMode;
use tokio_postgres::error::Severity;

use super::Error;
use super::Settings;
use super::fault::Fault;
use super::fault::Sqlstate;
use super::settings::Target;
use crate::names;
use crate::time::Deadline;
use crate::tls::postgres;

/// A session with a primary that takes writes.
pub(super) struct Connection {
    client: Client,
    driver: Driver,
}

impl Connection {
    /// Dials, verifies, logs in and reads the session's settings back.
    pub(super) async fn open(
        settings: &Settings,
        application: &str,
        deadline: Deadline,
    ) -> Result<Self, Error> {
        let deadline = deadline.slice(CONNECT);
        let connection =
            deadline.bound(dial(settings, application, deadline)).await.map_err(|_late| Error::Silent)??;
        connection.verify(application, deadline).await?;
        tracing::debug!("database session opened");
        Ok(connection)
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Waits for one answer, at most as long as the server itself may work on it and a second more.
    pub(super) async fn answer<T>(
        &self,
        deadline: Deadline,
        work: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Fault> {
        match deadline.slice(STATEMENT).bound(work).await {
            Ok(outcome) => outcome.map_err(|error| self.read(&error)),
            Err(_late) => Err(Fault::Silent),
        }
    }

    /// Reads the driver's error, together with why the session ended: the client only sees that it did.
    pub(super) fn read(&self, error: &tokio_postgres::Error) -> Fault {
        let fault = Fault::read(error);
        if fault == Fault::Lost(None) { self.driver.reason.get().copied().unwrap_or(fault) } else { fault }
    }

    /// How many warnings the server has sent so far.
    pub(super) fn warnings(&self) -> u64 {
        self.driver.warnings.load(Ordering::Relaxed)
    }

    /// Says goodbye and waits until the socket is closed.
    pub(super) async fn close(self, deadline: Deadline) -> Result<(), Error> {
        let Self { client, mut driver } = self;
        drop(client);
        match deadline.slice(CONNECT).bound(&mut driver.task).await {
            Ok(Ok(())) => driver.reason.get().map_or(Ok(()), |fault| Err(Error::from_fault(*fault))),
            Ok(Err(_aborted)) => Err(Error::Lost(None)),
            Err(_late) => Err(Error::Silent),
        }
    }

    /// A pooler may drop what the startup message asked for and say nothing.
    async fn verify(&self, application: &str, deadline: Deadline) -> Result<(), Error> {
        let wanted: Vec<_> = SESSION.into_iter().chain([("application_name", application)]).collect();
        let question = read_back(wanted.iter().map(|(name, _value)| *name));
        let row = self.answer(deadline, self.client.query_typed_one(&question, &[])).await;
        let row = row.map_err(Error::from_fault)?;
        let text = |index| row.try_get::<_, &str>(index).map_err(|_shape| Error::Spoken);
        for (index, (name, value)) in wanted.into_iter().enumerate() {
            if text(index + WRITABLE.len())? != value {
                return Err(Error::Settings(name));
            }
        }
        check_writable(text(0)?, text(1)?)
    }
}

/// A standby reads on and answers locks; only it says so itself. Asked at connect and in each writing transaction.
pub(super) fn check_writable(in_recovery: &str, read_only: &str) -> Result<(), Error> {
    match (in_recovery, read_only) {
        ("false", "off") => Ok(()),
        ("false", "on") => Err(Error::ReadOnly),
        ("true", _) => Err(Error::Standby),
        _ => Err(Error::Spoken),
    }
}

/// [`WRITABLE`], and behind it each of the settings.
fn read_back<'a>(settings: impl Iterator<Item = &'a str>) -> String {
    let settings = settings.map(|name| format!("pg_catalog.current_setting('{name}')"));
    let columns: Vec<_> = WRITABLE.map(str::to_owned).into_iter().chain(settings).collect();
    format!("SELECT {}", columns.join(", "))
}

async fn dial(settings: &Settings, application: &str, deadline: Deadline) -> Result<Connection, Error> {
    let host = &settings.target.host;
    let mut addresses = names::resolve(host, deadline).await.map_err(Error::Name)?;
    addresses.truncate(MAX_ADDRESSES);
    let mut config = config(&settings.target, application);
    for address in &addresses {
        config.host(host).hostaddr(*address);
    }
    // A silent first address must leave time for the next.
    let share = u32::try_from(addresses.len()).unwrap_or(1).max(1);
    config.connect_timeout(deadline.left() / share);
    let opened = if let Some(identity) = settings.identity.clone() {
        let opened = config.ssl_mode(SslMode::Require).connect(identity).await;
        opened.map(|(client, connection)| (client, Driver::start(connection)))
    } else {
        let opened = config.ssl_mode(SslMode::Disable).connect(NoTls).await;
        opened.map(|(client, connection)| (client, Driver::start(connection)))
    };
    opened.map(|(client, driver)| Connection { client, driver }).map_err(refusal)
}

fn config(target: &Target, application: &str) -> Config {
    let options: Vec<String> = SESSION.iter().map(|(name, value)| format!("-c {name}={value}")).collect();
    let mut config = Config::new();
    config
        .port(target.port)
        .user(&target.user)
        .password(target.password.expose())
        .dbname(&target.database)
        .application_name(application)
        .options(options.join(" "))
        .channel_binding(ChannelBinding::Prefer)
        .keepalives(true)
        .keepalives_idle(KEEPALIVE);
    config
}

/// Why no session came about.
fn refusal(error: tokio_postgres::Error) -> Error {
    if let Some(answer) = error.as_db_error() {
        let state = Sqlstate::new(answer.code().code());
        return match state.as_str() {
            "28000" | "28P01" | "42501" => Error::Login(state),
            "3D000" => Error::Schema(state),
            // How PgBouncer says that it does not pass `options`.
            "08P01" => Error::Settings("options"),
            _ => Error::Unready(state),
        };
    }
    let is_plain_answer = error.to_string().contains("TLS");
    match error.into_source() {
        Some(source) => match source.downcast::<postgres::Error>() {
            Ok(proof) => Error::Tls(*proof),
            Err(_other) if is_plain_answer => Error::Tls(postgres::Error::NotOffered),
            Err(other) => {
                other.downcast_ref::<io::Error>().map_or(Error::Spoken, |e| Error::Unreachable(e.kind()))
            }
        },
        None => Error::Lost(None),
    }
}

/// The task that carries the bytes. It ends with its owner.
struct Driver {
    task: JoinHandle<()>,
    reason: Arc<OnceLock<Fault>>,
    warnings: Arc<AtomicU64>,
}

impl Driver {
    #[expect(clippy::disallowed_methods, reason = "the session's one task; dropping its owner aborts it")]
    fn start<S, T>(mut connection: tokio_postgres::Connection<S, T>) -> Self
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let reason = Arc::new(OnceLock::new());
        let warnings = Arc::new(AtomicU64::new(0));
        let (ended, warned) = (Arc::clone(&reason), Arc::clone(&warnings));
        let task = tokio::spawn(async move {
            loop {
                match poll_fn(|cx| connection.poll_message(cx)).await {
                    None => break,
                    Some(Ok(AsyncMessage::Notice(notice))) => {
                        if notice.parsed_severity() == Some(Severity::Warning) {
                            warned.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                    Some(Ok(_)) => {}
                    Some(Err(error)) => {
                        // Set before the connection is dropped, which is when the client learns of it.
                        ended.get_or_init(|| Fault::read(&error));
                        break;
                    }
                }
            }
        });
        Self { task, reason, warnings }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The session's settings, in the spelling in which the server shows them.
const SESSION: [(&str, &str); 6] = [
    ("search_path", "ql3,pg_catalog"),
    ("statement_timeout", "15s"),
    ("lock_timeout", "5s"),
    ("idle_in_transaction_session_timeout", "15s"),
    // That a commit was not replicated is said in a warning, which a role may be set not to hear.
    ("client_min_messages", "warning"),
    // A query from which a policy would hide rows is refused: no ciphertext counts only if none could be hidden.
    ("row_security", "off"),
];
/// What [`check_writable`] judges.
const WRITABLE: [&str; 2] =
    ["pg_catalog.pg_is_in_recovery()::text", "pg_catalog.current_setting('transaction_read_only')"];
const CONNECT: Duration = Duration::from_secs(5);
const STATEMENT: Duration = Duration::from_secs(16);
const KEEPALIVE: Duration = Duration::from_secs(1);
const MAX_ADDRESSES: usize = 16;
