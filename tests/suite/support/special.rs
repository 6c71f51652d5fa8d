//! A server of a kind that the lab's is not, started for one test.

use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;

use ql3_ops::ledger::Settings;
use ql3_ops::ledger::settings::Role;
use tempfile::TempDir;
use tokio_postgres::Config;

use super::postgres::Server;
use super::postgres::lab;

/// A server that the lab starts for one test: `plaintext`, `expired`, `wrong-name` or `standby`.
pub(crate) struct Special {
    pub(crate) server: Server,
    pid: String,
    directory: TempDir,
}

impl Special {
    pub(crate) fn start(kind: &str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let place = directory.path().join("postgres");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("hack/lab.d/postgres.sh");
        let primary = PathBuf::from(lab("QL3_LAB_PG_CA")).parent().expect("the lab's folder").to_owned();
        let mut command = Command::new(script);
        command.arg(&place).arg(kind);
        if kind == "standby" {
            command.arg(primary);
        }
        let output = command.output().expect("hack/lab.d/postgres.sh runs");
        let said = String::from_utf8(output.stdout).expect("UTF-8");
        let [pid, port] = said.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("no server of kind {kind}: {said} {}", String::from_utf8_lossy(&output.stderr))
        };
        let lab = Server::lab();
        let mut superuser = Config::new();
        superuser.host("127.0.0.1").port(port.parse().expect("a port")).user("postgres");
        superuser
            .password(std::fs::read_to_string(place.join("postgres.password")).expect("a password").trim());
        let server =
            Server { port: port.parse().expect("a port"), ca: place.join("ca.crt"), superuser, ..lab };
        Self { server, pid: pid.to_owned(), directory }
    }

    /// How our role would reach it.
    pub(crate) fn settings(&self, changes: &[(&str, &str)]) -> Settings {
        let password = self.directory.path().join("postgres/ql3_ai_maintenance.password");
        let lookup = |name: &str| {
            let value = match name {
                "QL3_POSTGRES_AI_MAINTENANCE_HOST" => "127.0.0.1".to_owned(),
                "QL3_POSTGRES_AI_MAINTENANCE_PORT" => self.server.port.to_string(),
                "QL3_POSTGRES_AI_MAINTENANCE_DATABASE" => "qinglong".to_owned(),
                "QL3_POSTGRES_AI_MAINTENANCE_USER" => "ql3_ai_maintenance".to_owned(),
                "QL3_POSTGRES_AI_MAINTENANCE_PASSWORD_FILE" => password.to_str().expect("UTF-8").to_owned(),
                "QL3_POSTGRES_TLS_CA_FILE" => self.server.ca.to_str().expect("UTF-8").to_owned(),
                "QL3_POSTGRES_TLS_SERVERNAME" => self.server.name.clone(),
                _ => String::new(),
            };
            let other =
                changes.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
            other.or(Some(value)).filter(|value| !value.is_empty()).map(OsString::from)
        };
        Settings::from_lookup(Role::Maintenance, lookup).expect("settings")
    }
}

impl Drop for Special {
    fn drop(&mut self) {
        let killed = Command::new("kill").args(["-INT", &self.pid]).status();
        assert!(killed.is_ok_and(|status| status.success()), "the server is told to stop");
    }
}
