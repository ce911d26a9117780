//! An HTTP client of a few lines over a socket, so that nothing of the crate helps the service to look right.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use rowhaul::service::{ClockKind, LocalService, ServiceConfig};
use serde_json::{Value, json};

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("answers are UTF-8")
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}

/// A service whose jobs are completed as they start.
pub(crate) fn instant() -> LocalService {
    with(ServiceConfig { clock: ClockKind::Instant, ..ServiceConfig::default() })
}

pub(crate) fn manual() -> LocalService {
    with(ServiceConfig { clock: ClockKind::Manual, job_seconds: Some(10.0), ..ServiceConfig::default() })
}

pub(crate) fn with(config: ServiceConfig) -> LocalService {
    LocalService::start(config).expect("a free port on loopback")
}

pub(crate) fn get(service: &LocalService, path: &str) -> Answer {
    send(service, "GET", path, &[], b"")
}

pub(crate) fn delete(service: &LocalService, path: &str) -> Answer {
    send(service, "DELETE", path, &[], b"")
}

pub(crate) fn post(service: &LocalService, path: &str, body: &Value) -> Answer {
    send(service, "POST", path, &[("Content-Type", "application/json")], body.to_string().as_bytes())
}

/// Starts a run and returns its answer.
pub(crate) fn run(service: &LocalService, agent: &str, params: &Value) -> Answer {
    post(service, &format!("/api/v1/agents/{agent}/run"), &json!({ "params": params }))
}

/// Starts a run that must be accepted and returns the job's id.
#[track_caller]
pub(crate) fn started(service: &LocalService, agent: &str, params: &Value) -> String {
    let answer = run(service, agent, params);
    assert_eq!(answer.status, 202, "{}", answer.text());
    answer.json()["job_id"].as_str().expect("a job id is text").to_owned()
}

/// The rows of a run on an instant clock.
#[track_caller]
pub(crate) fn rows(service: &LocalService, agent: &str, params: &Value) -> Vec<Value> {
    let id = started(service, agent, params);
    let results = get(service, &format!("/api/v1/jobs/{id}/results")).json();
    assert_eq!(results["status"], "completed");
    let data = results["data"].as_array().expect("data is an array").clone();
    assert_eq!(results["row_count"], data.len());
    data
}

/// Sends a request with the key.
pub(crate) fn send(service: &LocalService, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    let key = format!("Bearer {}", service.api_key());
    let all: Vec<_> = [("Authorization", key.as_str())].into_iter().chain(headers.iter().copied()).collect();
    send_as_is(service, method, path, &all, body)
}

/// Sends a request with these headers and no others than `Host`, `Connection` and the length.
pub(crate) fn send_as_is(
    service: &LocalService,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Answer {
    let host = service.url().strip_prefix("http://").expect("plain http on loopback");
    let length = body.len().to_string();
    let mut all = headers.to_vec();
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        all.push(("Host", host));
    }
    if !body.is_empty() {
        all.push(("Content-Length", &length));
    }
    let lines: Vec<String> = all.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n{}", lines.concat());
    raw(service, &[head.as_bytes(), b"\r\n", body].concat())
}

/// Sends bytes and reads until the service closes.
pub(crate) fn raw(service: &LocalService, bytes: &[u8]) -> Answer {
    let mut stream = connect(service);
    stream.write_all(bytes).expect("the service reads");
    let mut received = Vec::new();
    stream.read_to_end(&mut received).expect("the service answers and closes");
    parse(&received)
}

pub(crate) fn connect(service: &LocalService) -> TcpStream {
    let stream = TcpStream::connect(service.url().strip_prefix("http://").unwrap()).expect("the service listens");
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
}

fn parse(received: &[u8]) -> Answer {
    let end = received.windows(4).position(|window| window == b"\r\n\r\n").expect("a whole head");
    let head = std::str::from_utf8(&received[..end]).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok()).unwrap();
    let header = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_owned(), value.to_owned())).unwrap();
    let mut answer = Answer { status, headers: lines.map(header).collect(), body: received[end + 4..].to_vec() };
    if answer.header("transfer-encoding") == Some("chunked") && !answer.body.is_empty() {
        answer.body = unchunked(&answer.body);
    }
    answer
}

fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let line = rest.windows(2).position(|window| window == b"\r\n").expect("a chunk has a length");
        let length = usize::from_str_radix(std::str::from_utf8(&rest[..line]).unwrap(), 16).unwrap();
        if length == 0 {
            return body;
        }
        body.extend_from_slice(&rest[line + 2..line + 2 + length]);
        rest = &rest[line + 2 + length + 2..];
    }
}
