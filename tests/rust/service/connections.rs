//! Connections: kept alive, pipelined, dripping, and far too many of them.

use super::http::{connect, get, instant};
use std::io::{Read, Write};

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
