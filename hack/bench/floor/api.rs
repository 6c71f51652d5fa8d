//! HTTP/1.1 over one TLS connection.

use std::io::Read;
use std::io::Write;
use std::net::TcpStream;
use std::path::PathBuf;

use serde::Deserialize;

use super::Result;
use super::tls;

/// The API server and who asks it.
#[derive(Deserialize)]
pub(crate) struct Target {
    host: String,
    port: u16,
    /// PEM file of the one authority.
    ca: PathBuf,
    /// File with the bearer token.
    token: PathBuf,
}

#[derive(Deserialize)]
pub(crate) struct Request {
    method: String,
    /// With its query.
    path: String,
    #[serde(default)]
    body: String,
}

pub(crate) struct Api {
    stream: tls::Stream,
    /// The lines that every request repeats.
    headers: String,
    received: Vec<u8>,
}

impl Api {
    pub(crate) fn connect(target: &Target) -> Result<Self> {
        let socket = TcpStream::connect((target.host.as_str(), target.port))?;
        socket.set_nodelay(true)?;
        let stream = tls::handshake(&target.ca, &target.host, socket)?;
        let token = std::fs::read_to_string(&target.token)?;
        let headers = format!(
            "host: {}:{}\r\naccept: application/json, */*;q=0.8\r\nuser-agent: floor\r\nauthorization: Bearer {}\r\n",
            target.host,
            target.port,
            token.trim_end()
        );
        Ok(Self { stream, headers, received: Vec::new() })
    }

    /// Sends it and waits for the last byte of the answer, which must be a success.
    pub(crate) fn send(&mut self, request: &Request) -> Result<()> {
        let Request { method, path, body } = request;
        let content = match body.len() {
            0 => String::new(),
            length => format!("content-type: application/json\r\ncontent-length: {length}\r\n"),
        };
        let bytes = format!("{method} {path} HTTP/1.1\r\n{}{content}\r\n{body}", self.headers);
        self.stream.write_all(bytes.as_bytes())?;
        self.receive()
    }

    fn receive(&mut self) -> Result<()> {
        self.received.clear();
        let mut chunk = [0; 16 * 1024];
        loop {
            let length = self.stream.read(&mut chunk)?;
            self.received
                .extend(chunk.get(..length).filter(|some| !some.is_empty()).ok_or("the API server hung up")?);
            let Some(end) = position(&self.received, b"\r\n\r\n") else {
                continue;
            };
            let (head, body) = self.received.split_at(end + 4);
            let head = str::from_utf8(head)?;
            let whole = match content_length(head) {
                Some(length) => body.len() >= length.parse()?,
                None => body.ends_with(b"0\r\n\r\n"),
            };
            if whole {
                return match head.get(..10) {
                    Some("HTTP/1.1 2") => Ok(()),
                    _ => {
                        Err(format!("the API server answered {}", head.lines().next().unwrap_or_default())
                            .into())
                    }
                };
            }
        }
    }
}

fn content_length(head: &str) -> Option<&str> {
    head.lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .map(|(_, value)| value)
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}
