//! HTTP/2 over the library's frames, with GOAWAY and refused streams at hand.

use std::sync::Arc;

use bytes::Bytes;
use h2::Reason;
use h2::RecvStream;
use h2::SendStream;
use h2::server::SendResponse;
use http::Request;
use http::Response;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio_rustls::server::TlsStream;

use super::Answer;
use super::Play;
use super::Seen;
use super::Shared;
use super::chunk;

#[derive(Default)]
struct Ends {
    cut: Notify,
    freeze: Notify,
    leave: Notify,
}

pub(super) async fn serve(stream: TlsStream<TcpStream>, number: usize, shared: Shared) {
    let mut connection = h2::server::handshake(stream).await.unwrap();
    let ends = Arc::new(Ends::default());
    loop {
        let accepted = tokio::select! {
            accepted = connection.accept() => accepted,
            () = ends.cut.notified() => {
                connection.abrupt_shutdown(Reason::NO_ERROR);
                continue;
            }
            () = ends.freeze.notified() => std::future::pending().await,
            () = ends.leave.notified() => {
                connection.graceful_shutdown();
                continue;
            }
        };
        let Some(Ok((request, respond))) = accepted else {
            return;
        };
        tokio::spawn(stream_of(request, respond, number, shared.clone(), Arc::clone(&ends)));
    }
}

async fn stream_of(
    request: Request<RecvStream>,
    mut respond: SendResponse<Bytes>,
    number: usize,
    shared: Shared,
    ends: Arc<Ends>,
) {
    let Some(seen) = read(request, number).await else {
        return;
    };
    match shared.play(&seen) {
        Play::Answer(answer) => drop(send(&mut respond, &answer, answer.body.len())),
        Play::AnswerAndLeave(answer) => {
            send(&mut respond, &answer, answer.body.len());
            ends.leave.notify_one();
        }
        Play::Drop => {
            ends.cut.notify_one();
            std::future::pending::<()>().await;
        }
        Play::Endless => {
            let answer = Answer::json(200, &serde_json::Value::Null);
            let mut stream = head(&mut respond, &answer);
            loop {
                stream.reserve_capacity(chunk().len());
                match std::future::poll_fn(|cx| stream.poll_capacity(cx)).await {
                    Some(Ok(capacity)) => {
                        stream.send_data(chunk().slice(..capacity.min(chunk().len())), false)
                    }
                    Some(Err(_)) | None => return,
                }
                .unwrap();
            }
        }
        Play::Freeze => {
            ends.freeze.notify_one();
            std::future::pending::<()>().await;
        }
        Play::Half(answer) => {
            let mut stream = send(&mut respond, &answer, answer.body.len() / 2);
            // A reset overtakes frames that are not written yet: let the connection's task write them.
            tokio::task::yield_now().await;
            stream.send_reset(Reason::INTERNAL_ERROR);
        }
        Play::Pause(answer) => {
            let _stream = send(&mut respond, &answer, answer.body.len() / 2);
            std::future::pending::<()>().await;
        }
        Play::RefuseStream => respond.send_reset(Reason::REFUSED_STREAM),
        Play::Stall => std::future::pending().await,
    }
}

async fn read(request: Request<RecvStream>, connection: usize) -> Option<Seen> {
    let (head, mut stream) = request.into_parts();
    let mut body = Vec::new();
    while let Some(data) = stream.data().await {
        let data = data.ok()?;
        stream.flow_control().release_capacity(data.len()).ok()?;
        body.extend_from_slice(&data);
    }
    let target = head.uri.path_and_query().unwrap().to_string();
    let headers = head
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8(value.as_bytes().to_vec()).unwrap()));
    Some(Seen { method: head.method.to_string(), target, headers: headers.collect(), body, connection })
}

fn head(respond: &mut SendResponse<Bytes>, answer: &Answer) -> SendStream<Bytes> {
    let mut head = Response::builder().status(answer.status);
    for (name, value) in &answer.headers {
        head = head.header(*name, value);
    }
    respond.send_response(head.body(()).unwrap(), false).unwrap()
}

/// Sends the head and the first bytes of the body; all of it ends the stream.
fn send(respond: &mut SendResponse<Bytes>, answer: &Answer, length: usize) -> SendStream<Bytes> {
    let mut stream = head(respond, answer);
    let body = Bytes::copy_from_slice(&answer.body[..length]);
    stream.send_data(body, length == answer.body.len()).unwrap();
    stream
}
