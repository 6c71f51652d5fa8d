//! A real PostgreSQL for each test: the lab's server with a database and a login of the test's own.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ql3_ops::ledger::Settings;
use ql3_ops::ledger::schema;
use ql3_ops::ledger::settings::Role;
use ql3_ops::time::Deadline;
use ql3_ops::tls::authority::Authorities;
use ql3_ops::tls::postgres::Identity;
use ql3_ops::tls::postgres::ServerName;
use tokio::sync::OnceCell;
use tokio_postgres::Client;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

use super::artifact::artifact;
use super::artifact::parents;

/// A variable of the lab; a test without its lab fails.
pub(crate) fn lab(name: &str) -> String {
    std::env::var(name)
        .unwrap_or_else(|_| panic!("{name} is not set: run `hack/lab up` and `eval \"$(hack/lab env)\"`"))
}

pub(crate) fn deadline() -> Deadline {
    Deadline::after(Duration::from_secs(30))
}

/// A server, its superuser, and how it proves who it is.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) ca: PathBuf,
    pub(crate) name: String,
    pub(super) superuser: Config,
}

impl Server {
    pub(crate) fn lab() -> Self {
        let superuser: Config = lab("QL3_LAB_DSN").parse().expect("QL3_LAB_DSN is a connection string");
        let port = *superuser.get_ports().first().expect("a port");
        Self { port, ca: lab("QL3_LAB_PG_CA").into(), name: lab("QL3_LAB_PG_SERVERNAME"), superuser }
    }

    pub(crate) fn host(&self) -> String {
        match self.superuser.get_hosts() {
            [Host::Tcp(host)] => host.clone(),
            _ => panic!("one TCP host"),
        }
    }

    pub(crate) fn identity(&self) -> Identity {
        let authorities = Authorities::read(&self.ca).expect("the lab's CA");
        Identity::new(&authorities, ServerName::parse(&self.name).expect("a name")).expect("an identity")
    }

    /// A superuser's session in one database.
    pub(crate) async fn admin(&self, database: &str) -> Client {
        let mut config = self.superuser.clone();
        config.dbname(database);
        connect(&config, self.identity()).await
    }

    fn password(&self) -> String {
        String::from_utf8(self.superuser.get_password().expect("a password").to_vec()).expect("UTF-8")
    }
}

async fn connect(config: &Config, identity: Identity) -> Client {
    let (client, connection) = config.connect(identity).await.expect("a session");
    tokio::spawn(connection);
    client
}

/// A database and a login that nobody else uses, gone when dropped.
pub(crate) struct Database {
    pub(crate) server: Server,
    pub(crate) name: String,
    pub(crate) password: String,
}

impl Database {
    /// With the ledger installed, and a login that is a member of `ql3_ai_maintenance`.
    pub(crate) async fn installed() -> Self {
        let server = Server::lab();
        let template = template(&server).await;
        Self::create(server, &format!("TEMPLATE {template}"), "IN ROLE ql3_ai_maintenance").await
    }

    /// Empty, and owned by its login.
    pub(crate) async fn empty() -> Self {
        let database = Self::create(Server::lab(), "TEMPLATE template0", "").await;
        let own = format!("ALTER DATABASE {0} OWNER TO {0}", database.name);
        database.server.admin("postgres").await.batch_execute(&own).await.expect("an owner");
        database
    }

    async fn create(server: Server, options: &str, role: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("ql3_test_{}_{number}", std::process::id());
        let password = "p@ss%word,€".to_owned();
        let admin = server.admin("postgres").await;
        for statement in [
            format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"),
            format!("DROP ROLE IF EXISTS {name}"),
            format!("CREATE ROLE {name} LOGIN PASSWORD '{password}' {role}"),
        ] {
            admin.batch_execute(&statement).await.expect("a role");
        }
        // One copy of a template at a time, over all processes that test here.
        admin.batch_execute("SELECT pg_advisory_lock(20812, 1)").await.expect("the lock");
        admin.batch_execute(&format!("CREATE DATABASE {name} {options}")).await.expect("a database");
        Self { server, name, password }
    }

    /// The environment with which our login reaches the database, with changes.
    pub(crate) fn environment(&self, changes: &[(&str, &str)]) -> HashMap<String, OsString> {
        let (port, ca) = (self.server.port.to_string(), self.server.ca.to_str().expect("UTF-8").to_owned());
        let values = [
            ("QL3_POSTGRES_AI_MAINTENANCE_HOST", self.server.host()),
            ("QL3_POSTGRES_AI_MAINTENANCE_PORT", port),
            ("QL3_POSTGRES_AI_MAINTENANCE_DATABASE", self.name.clone()),
            ("QL3_POSTGRES_AI_MAINTENANCE_USER", self.name.clone()),
            ("QL3_POSTGRES_AI_MAINTENANCE_PASSWORD", self.password.clone()),
            ("QL3_POSTGRES_TLS_CA_FILE", ca),
            ("QL3_POSTGRES_TLS_SERVERNAME", self.server.name.clone()),
        ];
        let changes = changes.iter().map(|(name, value)| (*name, (*value).to_owned()));
        values.into_iter().chain(changes).map(|(name, value)| (name.to_owned(), value.into())).collect()
    }

    pub(crate) fn settings(&self) -> Settings {
        self.settings_with(&[])
    }

    pub(crate) fn settings_with(&self, changes: &[(&str, &str)]) -> Settings {
        let environment = self.environment(changes);
        Settings::from_lookup(Role::Maintenance, |name| environment.get(name).cloned()).expect("settings")
    }

    /// Through a wire on this port, which ends TLS on its far side.
    pub(crate) fn settings_through(&self, port: u16) -> Settings {
        let environment = self.environment_through(port);
        Settings::from_lookup(Role::Maintenance, |name| environment.get(name).cloned()).expect("settings")
    }

    /// The environment with which our login reaches the database through a wire on this port.
    pub(crate) fn environment_through(&self, port: u16) -> HashMap<String, OsString> {
        self.environment(&[
            ("QL3_POSTGRES_AI_MAINTENANCE_HOST", "127.0.0.1"),
            ("QL3_POSTGRES_AI_MAINTENANCE_PORT", &port.to_string()),
            ("QL3_POSTGRES_TLS_MODE", "disable"),
            ("QL3_POSTGRES_ALLOW_INSECURE", "true"),
        ])
    }

    /// Puts one live ciphertext under a key.
    pub(crate) async fn live_artifact(&self, key: &str) {
        let admin = self.admin().await;
        parents(&admin, 1).await;
        admin.batch_execute(&artifact(1, key, "project", 1)).await.expect("an artifact");
    }

    /// A superuser's session in it.
    pub(crate) async fn admin(&self) -> Client {
        self.server.admin(&self.name).await
    }

    /// A session of our login in it, without the ledger.
    pub(crate) async fn client(&self) -> Client {
        let mut config = self.server.superuser.clone();
        config.dbname(&self.name).user(&self.name).password(&self.password);
        connect(&config, self.server.identity()).await
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let (server, name) = (self.server.clone(), self.name.clone());
        // On a thread of its own: the test's runtime may be ending, with its sessions still open.
        let work = move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let admin = server.admin("postgres").await;
                for statement in [format!("DROP DATABASE {name} WITH (FORCE)"), format!("DROP ROLE {name}")] {
                    admin.batch_execute(&statement).await.expect("gone");
                }
            });
        };
        std::thread::spawn(work).join().expect("the database is dropped");
    }
}

/// A database with the ledger installed, made once for each version of its SQL.
async fn template(server: &Server) -> &'static str {
    static NAME: OnceCell<String> = OnceCell::const_new();
    let make = || async {
        let version =
            schema::STEPS.iter().map(schema::Step::checksum).chain([schema::script()]).collect::<String>();
        let name = format!("ql3_template_{:016x}", hash(&version));
        let admin = server.admin("postgres").await;
        admin.batch_execute("SELECT pg_advisory_lock(20812, 1)").await.expect("the lock");
        let found =
            admin.query("SELECT FROM pg_database WHERE datname = $1", &[&name]).await.expect("an answer");
        if found.is_empty() {
            let making = format!("{name}_{}", std::process::id());
            admin
                .batch_execute(&format!("CREATE DATABASE {making} TEMPLATE template0"))
                .await
                .expect("a database");
            let installed = schema::install(&superuser_settings(server, &making), deadline()).await;
            assert!(matches!(installed, Ok(schema::Installed::Complete { .. })), "{installed:?}");
            admin.batch_execute(&format!("ALTER DATABASE {making} RENAME TO {name}")).await.expect("a name");
        }
        name
    };
    NAME.get_or_init(make).await
}

fn superuser_settings(server: &Server, database: &str) -> Settings {
    let lookup = |name: &str| {
        let value = match name {
            "QL3_POSTGRES_MIGRATION_HOST" => server.host(),
            "QL3_POSTGRES_MIGRATION_PORT" => server.port.to_string(),
            "QL3_POSTGRES_MIGRATION_DATABASE" => database.to_owned(),
            "QL3_POSTGRES_MIGRATION_USER" => server.superuser.get_user().expect("a user").to_owned(),
            "QL3_POSTGRES_MIGRATION_PASSWORD" => server.password(),
            "QL3_POSTGRES_TLS_CA_FILE" => server.ca.to_str().expect("UTF-8").to_owned(),
            "QL3_POSTGRES_TLS_SERVERNAME" => server.name.clone(),
            _ => return None,
        };
        Some(OsString::from(value))
    };
    Settings::from_lookup(Role::Migration, lookup).expect("settings")
}

fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
