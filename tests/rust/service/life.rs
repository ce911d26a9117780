//! Start and stop.

use super::http::{connect, get, instant, raw, send, started, with};
use rowhaul::service::{LocalService, ServiceConfig};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Stopping takes a second at most; a machine that is busy gets more.
const SOON: Duration = Duration::from_secs(30);

fn port(service: &LocalService) -> u16 {
    service.url().rsplit(':').next().unwrap().parse().unwrap()
}

#[test]
fn it_binds_to_loopback_and_takes_a_free_port() {
    let (one, other) = (instant(), instant());
    assert!(one.url().starts_with("http://127.0.0.1:"));
    assert_ne!(one.url(), other.url());
    let six = LocalService::start(ServiceConfig { host: "::1".parse().unwrap(), ..ServiceConfig::default() });
    if let Ok(six) = six {
        assert!(six.url().starts_with("http://[::1]:"));
        assert_eq!(get(&six, "/api/v1/balance").status, 200);
    }
}

#[test]
fn a_service_for_the_network_is_asked_for_by_its_host_and_reached_on_loopback_too() {
    let service = with(ServiceConfig { host: "0.0.0.0".parse().unwrap(), ..ServiceConfig::default() });
    assert!(service.url().starts_with("http://127.0.0.1:"));
    assert_eq!(get(&service, "/api/v1/balance").status, 200);
}

#[test]
fn stopping_closes_the_port_soon_even_with_connections_open_and_twice_is_as_good_as_once() {
    let service = instant();
    let mut idle = connect(&service);
    idle.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    assert_eq!(get(&service, "/api/v1/balance").status, 200);
    let begun = Instant::now();
    service.stop();
    service.stop();
    assert!(begun.elapsed() < SOON);
    let mut rest = Vec::new();
    // Reset or closed: nobody answers half a request.
    let _ = idle.read_to_end(&mut rest);
    assert!(rest.is_empty(), "{}", String::from_utf8_lossy(&rest));
    assert!(TcpStream::connect(("127.0.0.1", port(&service))).is_err());
    assert_eq!(service.requests().len(), 1);
}

#[test]
fn stopping_does_not_wait_for_a_caller_who_does_not_read_on() {
    let service = instant();
    let id = started(&service, "events/events", &json!({"searchQueries": ["a"], "maxResults": 10_000}));
    let (host, key) = (service.url().strip_prefix("http://").unwrap(), service.api_key());
    let mut stream = connect(&service);
    let head = format!("GET /v1/jobs/{id}/results HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    stream.read_exact(&mut [0; 1000]).unwrap();
    let begun = Instant::now();
    service.stop();
    assert!(begun.elapsed() < SOON);
}

#[test]
fn a_dropped_service_leaves_its_port_free_for_the_next() {
    let first = instant();
    let port = port(&first);
    get(&first, "/api/v1/balance");
    drop(first);
    let second = with(ServiceConfig { port, ..ServiceConfig::default() });
    assert_eq!(get(&second, "/api/v1/balance").status, 200);
    let taken = LocalService::start(ServiceConfig { port, ..ServiceConfig::default() }).unwrap_err();
    assert!(!taken.is_config() && taken.to_string().contains("cannot listen on 127.0.0.1"));
}

#[tokio::test]
async fn a_service_can_be_started_and_dropped_inside_another_runtime() {
    let service = instant();
    drop(service);
}

#[test]
fn it_speaks_to_clients_of_http_1_0_that_name_a_host() {
    let service = instant();
    let host = service.url().strip_prefix("http://").unwrap();
    let old =
        format!("GET /api/v1/balance HTTP/1.0\r\nHost: {host}\r\nAuthorization: Bearer {}\r\n\r\n", service.api_key());
    assert_eq!(raw(&service, old.as_bytes()).status, 200);
    assert_eq!(send(&service, "GET", "/api/v1/balance", &[], b"").header("cache-control"), Some("no-store"));
}

#[test]
fn job_ids_follow_from_the_seed_unless_they_are_asked_to_be_others_at_each_start() {
    let first_id = |fresh_ids| {
        let service = with(ServiceConfig { fresh_ids, ..ServiceConfig::default() });
        started(&service, "events/events", &json!({"searchQueries": ["a"], "maxResults": 1}))
    };
    assert_eq!(first_id(false), first_id(false));
    assert_ne!(first_id(true), first_id(true));
}
