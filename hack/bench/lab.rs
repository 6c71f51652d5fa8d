//! The lab, by the variables of `hack/lab env`, and the people's tools that come with it.

use std::env;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::process::Stdio;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::Result;

pub(crate) struct Lab {
    pub(crate) audit_log: PathBuf,
    pub(crate) postgres_ca: PathBuf,
    pub(crate) postgres_port: u16,
    pub(crate) server_name: String,
    pub(crate) maintenance_password: PathBuf,
    pub(crate) migration_password: PathBuf,
    kubeconfig: PathBuf,
    /// Of the superuser.
    dsn: String,
}

/// Where the API server is and whom to believe.
pub(crate) struct ApiServer {
    pub(crate) host: String,
    pub(crate) port: u16,
    /// PEM.
    pub(crate) ca: Vec<u8>,
}

impl Lab {
    pub(crate) fn from_environment() -> Result<Self> {
        Ok(Self {
            audit_log: variable("AUDIT_LOG")?.into(),
            postgres_ca: variable("PG_CA")?.into(),
            postgres_port: variable("PG_PORT")?.parse()?,
            server_name: variable("PG_SERVERNAME")?,
            maintenance_password: variable("MAINTENANCE_PASSWORD_FILE")?.into(),
            migration_password: variable("MIGRATION_PASSWORD_FILE")?.into(),
            kubeconfig: variable("KUBECONFIG")?.into(),
            dsn: variable("DSN")?,
        })
    }

    pub(crate) fn api_server(&self) -> Result<ApiServer> {
        let config: Value =
            serde_json::from_str(&self.kubectl(&["config", "view", "--raw", "-o", "json"], "")?)?;
        let cluster = config.pointer("/clusters/0/cluster").ok_or("the kubeconfig names no cluster")?;
        let text =
            |name: &str| cluster.get(name).and_then(Value::as_str).ok_or("the kubeconfig says too little");
        let (host, port) = text("server")?
            .strip_prefix("https://")
            .and_then(|server| server.rsplit_once(':'))
            .ok_or("the API server's address is not understood")?;
        let ca = STANDARD.decode(text("certificate-authority-data")?)?;
        Ok(ApiServer { host: host.to_owned(), port: port.parse()?, ca })
    }

    pub(crate) fn kubectl(&self, arguments: &[&str], input: &str) -> Result<String> {
        run(Command::new("kubectl").arg("--kubeconfig").arg(&self.kubeconfig).args(arguments), input)
    }

    /// As the superuser, in a database of that name.
    pub(crate) fn psql(&self, database: &str, sql: &str) -> Result<String> {
        let (server, rest) = self.dsn.rsplit_once('/').ok_or("the DSN names no database")?;
        let parameters = rest.split_once('?').map_or("", |(_, parameters)| parameters);
        let dsn = format!("{server}/{database}?{parameters}");
        run(Command::new("psql").args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", &dsn]), sql)
    }
}

/// Runs it with text on stdin to its good end, and returns what it printed.
pub(crate) fn run(command: &mut Command, input: &str) -> Result<String> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes())?;
    }
    let output = child.wait_with_output()?;
    if !output.status.success() {
        let program = command.get_program().to_string_lossy().into_owned();
        return Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn variable(name: &str) -> Result<String> {
    let name = format!("QL3_LAB_{name}");
    env::var(&name).map_err(|_absent| format!("{name} is not set: eval \"$(hack/lab env)\"").into())
}
