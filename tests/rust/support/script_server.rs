//! A raw TCP server that plays answers byte for byte, and counts what it was asked.
//!
//! It runs on the test's own runtime and ends with it; an answer that stalls is held open until then. No HTTP library
//! stands in between, so that answers no library would send can be sent.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// One request as it was received.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) path: String,
    /// The whole head in lower case, header names and values.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// Which connection of the server it came on, the first being 0.
    pub(crate) connection: usize,
}

impl Seen {
    pub(crate) fn is_start(&self) -> bool {
        self.method == "POST"
    }

    pub(crate) fn is_results(&self) -> bool {
        self.path.ends_with("/results")
    }
}

/// What happens on the connection after a request.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// The bytes; the connection stays open for the next request.
    Keep(Vec<u8>),
    /// The bytes, then the connection is closed in order.
    Close(Vec<u8>),
    /// The bytes, then the connection is reset.
    Reset(Vec<u8>),
    /// The bytes, then nothing until the test ends.
    Stall(Vec<u8>),
    /// The first bytes, then the second ones over and over until the other side goes away.
    Flood(Vec<u8>, Vec<u8>),
    /// The bytes one at a time, with this many milliseconds in between, and then over again.
    Drip(Vec<u8>, u64),
}

pub(crate) struct ScriptServer {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl ScriptServer {
    /// Serves on a free port of the loopback address. The script gets each request and how many came before it.
    pub(crate) async fn play(script: impl FnMut(&Seen, usize) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (log, script) = (Arc::clone(&seen), Arc::new(Mutex::new(script)));
        tokio::spawn(async move {
            for connection in 0.. {
                let Ok((stream, _)) = listener.accept().await else { return };
                let (log, script) = (Arc::clone(&log), Arc::clone(&script));
                tokio::spawn(converse(stream, connection, move |request| {
                    let mut log = log.lock().unwrap();
                    let reply = (script.lock().unwrap())(&request, log.len());
                    log.push(request);
                    reply
                }));
            }
        });
        Self { url, seen }
    }

    /// Answers every start with `answer`, and everything else with a 404.
    pub(crate) async fn answering_starts_with(answer: Reply) -> Self {
        Self::play(move |request, _| if request.is_start() { answer.clone() } else { json(404, "{}") }).await
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn starts(&self) -> usize {
        self.seen().iter().filter(|request| request.is_start()).count()
    }

    pub(crate) fn gets(&self) -> usize {
        self.seen().iter().filter(|request| request.method == "GET").count()
    }
}

/// A well-formed answer with a JSON body.
pub(crate) fn json(status: u16, body: &str) -> Reply {
    with_headers(status, "content-type: application/json\r\n", body.as_bytes())
}

/// A well-formed answer with these header lines, each ended by CR LF.
pub(crate) fn with_headers(status: u16, headers: &str, body: &[u8]) -> Reply {
    let head = format!("HTTP/1.1 {status} Because\r\n{headers}content-length: {}\r\n\r\n", body.len());
    Reply::Keep([head.as_bytes(), body].concat())
}

/// The bytes of such an answer, to be cut or closed after.
pub(crate) fn bytes(reply: Reply) -> Vec<u8> {
    match reply {
        Reply::Keep(bytes)
        | Reply::Close(bytes)
        | Reply::Reset(bytes)
        | Reply::Stall(bytes)
        | Reply::Flood(bytes, _)
        | Reply::Drip(bytes, _) => bytes,
    }
}

async fn converse(mut stream: TcpStream, connection: usize, mut respond: impl FnMut(Seen) -> Reply) {
    let mut received = Vec::new();
    while let Some(request) = receive(&mut stream, connection, &mut received).await {
        match respond(request) {
            Reply::Keep(bytes) => {
                if stream.write_all(&bytes).await.is_err() {
                    return;
                }
            }
            Reply::Close(bytes) => {
                let _ = stream.write_all(&bytes).await;
                let _ = stream.shutdown().await;
                return;
            }
            Reply::Reset(bytes) => {
                let _ = stream.write_all(&bytes).await;
                let _ = stream.flush().await;
                stream.set_zero_linger().unwrap();
                return;
            }
            Reply::Stall(bytes) => {
                let _ = stream.write_all(&bytes).await;
                return std::future::pending().await;
            }
            Reply::Flood(bytes, more) => {
                let _ = stream.write_all(&bytes).await;
                while stream.write_all(&more).await.is_ok() {}
                return;
            }
            Reply::Drip(bytes, pause) => {
                for byte in bytes.iter().cycle() {
                    if stream.write_all(&[*byte]).await.is_err() {
                        return;
                    }
                    tokio::time::sleep(std::time::Duration::from_millis(pause)).await;
                }
            }
        }
    }
}

/// The next request of a connection, its body included; `None` at its end.
async fn receive(stream: &mut TcpStream, connection: usize, received: &mut Vec<u8>) -> Option<Seen> {
    loop {
        if let Some(ends) = received.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4) {
            let head = String::from_utf8_lossy(&received[..ends]).into_owned();
            let lower = head.to_ascii_lowercase();
            let length = lower.lines().find_map(|line| line.strip_prefix("content-length:"));
            let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
            if received.len() >= ends + length {
                let body = received[ends..ends + length].to_vec();
                received.drain(..ends + length);
                let mut words = head.split(' ').map(str::to_owned);
                let (method, path) = (words.next().unwrap(), words.next().unwrap());
                return Some(Seen { method, path, head: lower, body, connection });
            }
        }
        let mut buffer = [0; 2048];
        match stream.read(&mut buffer).await {
            Ok(count) if count > 0 => received.extend_from_slice(&buffer[..count]),
            _ => return None,
        }
    }
}
