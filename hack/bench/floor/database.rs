//! The database's own protocol over one TLS connection.

use std::fs;
use std::io::Read;
use std::io::Write;
use std::net::TcpStream;
use std::path::PathBuf;

use bytes::BytesMut;
use postgres_protocol::IsNull;
use postgres_protocol::authentication::sasl::ChannelBinding;
use postgres_protocol::authentication::sasl::ScramSha256;
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;
use serde::Deserialize;
use sha2::Digest;
use sha2::Sha256;

use super::Result;
use super::tls;

/// The database and who asks it.
#[derive(Deserialize)]
pub(crate) struct Target {
    host: String,
    port: u16,
    /// PEM file of the one authority.
    ca: PathBuf,
    /// The name in the server's certificate.
    server_name: String,
    database: String,
    user: String,
    /// File with the password.
    password: PathBuf,
    /// The session's settings, as the startup packet takes them.
    options: String,
}

#[derive(Deserialize)]
pub(crate) struct Statement {
    text: String,
    /// In text form, each with the number of its type, or 0.
    values: Vec<(u32, String)>,
}

pub(crate) struct Database {
    stream: tls::Stream,
    sending: BytesMut,
    received: BytesMut,
}

impl Database {
    pub(crate) fn connect(target: &Target) -> Result<Self> {
        let mut socket = TcpStream::connect((target.host.as_str(), target.port))?;
        socket.set_nodelay(true)?;
        let (mut sending, received) = (BytesMut::new(), BytesMut::new());
        frontend::ssl_request(&mut sending);
        socket.write_all(&sending.split())?;
        let mut answer = [0];
        socket.read_exact(&mut answer)?;
        if answer != *b"S" {
            return Err("the database speaks no TLS".into());
        }
        let stream = tls::handshake(&target.ca, &target.server_name, socket)?;
        let mut database = Self { stream, sending, received };
        database.log_in(target)?;
        Ok(database)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "what the server says beside it is not asked for")]
    fn log_in(&mut self, target: &Target) -> Result<()> {
        let parameters = [
            ("user", target.user.as_str()),
            ("database", target.database.as_str()),
            ("client_encoding", "UTF8"),
            ("options", target.options.as_str()),
        ];
        frontend::startup_message(parameters, &mut self.sending)?;
        let password = fs::read_to_string(&target.password)?;
        let certificate = self.stream.conn.peer_certificates().and_then(<[_]>::first);
        let end_point = Sha256::digest(certificate.ok_or("the database shows no certificate")?);
        let binding = ChannelBinding::tls_server_end_point(end_point.to_vec());
        let mut scram = ScramSha256::new(password.trim_end().as_bytes(), binding);
        self.flush()?;
        loop {
            match self.next()? {
                Message::AuthenticationSasl(_) => {
                    frontend::sasl_initial_response(
                        "SCRAM-SHA-256-PLUS",
                        scram.message(),
                        &mut self.sending,
                    )?;
                    self.flush()?;
                }
                Message::AuthenticationSaslContinue(challenge) => {
                    scram.update(challenge.data())?;
                    frontend::sasl_response(scram.message(), &mut self.sending)?;
                    self.flush()?;
                }
                Message::AuthenticationSaslFinal(proof) => scram.finish(proof.data())?,
                Message::ReadyForQuery(_) => return Ok(()),
                _ => {}
            }
        }
    }

    /// Sends it in one flight and waits until the server is ready for the next.
    pub(crate) fn send(&mut self, statement: &Statement) -> Result<()> {
        let Statement { text, values } = statement;
        if values.is_empty() {
            frontend::query(text, &mut self.sending)?;
        } else {
            frontend::parse("", text, values.iter().map(|(number, _)| *number), &mut self.sending)?;
            let value = |(_, value): &(u32, String), buffer: &mut BytesMut| {
                buffer.extend_from_slice(value.as_bytes());
                Ok(IsNull::No)
            };
            frontend::bind("", "", [], values, value, [], &mut self.sending)
                .map_err(|_oversized| "a value is too long")?;
            frontend::execute("", 0, &mut self.sending)?;
            frontend::sync(&mut self.sending);
        }
        self.flush()?;
        while !matches!(self.next()?, Message::ReadyForQuery(_)) {}
        Ok(())
    }

    pub(crate) fn close(mut self) -> Result<()> {
        frontend::terminate(&mut self.sending);
        self.flush()
    }

    fn flush(&mut self) -> Result<()> {
        Ok(self.stream.write_all(&self.sending.split())?)
    }

    fn next(&mut self) -> Result<Message> {
        let mut chunk = [0; 16 * 1024];
        loop {
            match Message::parse(&mut self.received)? {
                Some(Message::ErrorResponse(_)) => return Err("the database refused".into()),
                Some(message) => return Ok(message),
                None => {}
            }
            let length = self.stream.read(&mut chunk)?;
            let some = chunk.get(..length).filter(|some| !some.is_empty()).ok_or("the database hung up")?;
            self.received.extend_from_slice(some);
        }
    }
}
