//! Connections: kept alive, pipelined, dripping, and far too many of them.

use super::http::{connect, get, instant, with};
use rowhaul::service::ServiceConfig;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

#[test]
fn requests_on_one_connection_are_answered_in_order_also_when_they_come_at_once() {
    let service = instant();
    let host = service.url().strip_prefix("http://").unwrap();
    let key = service.api_key();
    let request = |path: &str, close: &str| {
        format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\nConnection: {close}\r\n\r\n")
    };
    let all = [
        request("/api/v1/balance", "keep-alive"),
        request("/nowhere", "keep-alive"),
        request("/api/v1/agents", "close"),
    ];
    let mut stream = connect(&service);
    stream.write_all(all.concat().as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let statuses: Vec<_> = text.match_indices("HTTP/1.1 ").map(|(at, _)| &text[at + 9..at + 12]).collect();
    assert_eq!(statuses, ["200", "404", "200"]);
}

#[test]
fn idle_and_dripping_connections_do_not_keep_others_out() {
    let service = instant();
    // More than are open at once, fewer than a process may commonly open.
    let mut idle: Vec<_> = (0..400).map(|_| connect(&service)).collect();
    for stream in &mut idle {
        let _ = stream.write_all(b"GET /api/v1/balance HT");
    }
    assert_eq!(get(&service, "/api/v1/balance").status, 200);
}

/// Whether the service has hung up without a word.
fn is_hung_up(mut stream: TcpStream) -> bool {
    match stream.read(&mut [0]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}

#[test]
fn a_head_that_does_not_come_to_its_end_in_time_ends_the_connection_and_so_does_silence() {
    let head_time = Duration::from_millis(100);
    let service = with(ServiceConfig { head_time, ..ServiceConfig::default() });
    let silent = connect(&service);
    let mut half = connect(&service);
    half.write_all(b"GET /api/v1/balance HT").unwrap();
    assert!(is_hung_up(half));
    assert!(is_hung_up(silent));
    assert_eq!(get(&service, "/api/v1/balance").status, 200);
}

#[test]
fn beyond_the_bound_the_connection_that_has_been_idle_longest_makes_room() {
    let service = with(ServiceConfig { max_connections: 3, ..ServiceConfig::default() });
    let idle: Vec<_> = (0..3).map(|_| connect(&service)).collect();
    let [oldest, _second, _third] = <[TcpStream; 3]>::try_from(idle).unwrap();
    assert_eq!(get(&service, "/api/v1/balance").status, 200);
    assert!(is_hung_up(oldest));
}
