//! HTTP/1.1 by hand: enough of it, and every fault.

use std::fmt::Write;

use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use super::Answer;
use super::Play;
use super::Seen;
use super::Shared;
use super::chunk;
use super::cut;

pub(super) async fn serve(mut stream: TlsStream<TcpStream>, connection: usize, shared: Shared) {
    while let Some(seen) = read(&mut stream, connection).await {
        let sent = match shared.play(&seen) {
            Play::Answer(answer) => stream.write_all(&bytes(&answer)).await,
            Play::AnswerAndLeave(answer) => {
                stream.write_all(&bytes(&answer)).await.unwrap();
                stream.shutdown().await.unwrap();
                return;
            }
            Play::Drop | Play::RefuseStream => {
                cut(&stream);
                return;
            }
            Play::Endless => {
                let head =
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
                let mut sent = stream.write_all(head.as_bytes()).await;
                while sent.is_ok() {
                    let piece = [b"4000\r\n", chunk().as_ref(), b"\r\n"].concat();
                    sent = stream.write_all(&piece).await;
                }
                sent
            }
            Play::Half(answer) => {
                stream.write_all(&half(&answer)).await.unwrap();
                stream.shutdown().await.unwrap();
                return;
            }
            Play::Pause(answer) => {
                stream.write_all(&half(&answer)).await.unwrap();
                std::future::pending().await
            }
            Play::Freeze | Play::Stall => std::future::pending().await,
        };
        if sent.is_err() {
            return;
        }
    }
}

async fn read(stream: &mut TlsStream<TcpStream>, connection: usize) -> Option<Seen> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).unwrap();
    let mut lines = head.trim_end().split("\r\n");
    let mut first = lines.next().unwrap().split(' ');
    let (method, target) = (first.next().unwrap().to_owned(), first.next().unwrap().to_owned());
    let headers: Vec<_> = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _value)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_name, value)| value.parse().unwrap())];
    stream.read_exact(&mut body).await.ok()?;
    Some(Seen { method, target, headers, body, connection })
}

fn bytes(answer: &Answer) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {} X\r\ncontent-length: {}\r\n", answer.status, answer.body.len());
    for (name, value) in &answer.headers {
        write!(head, "{name}: {value}\r\n").unwrap();
    }
    [head.as_bytes(), b"\r\n", &answer.body].concat()
}

fn half(answer: &Answer) -> Vec<u8> {
    let mut bytes = bytes(answer);
    bytes.truncate(bytes.len() - answer.body.len() / 2);
    bytes
}
