//! Who is let in.

use std::io::{Read, Write};

use super::http::{connect, get, instant, send_as_is, with};
use rowhaul::service::ServiceConfig;

const BALANCE: &str = "/api/v1/balance";

#[test]
fn anything_but_one_whole_bearer_header_is_401_on_every_path() {
    let service = instant();
    let key = service.api_key().to_owned();
    let (good, doubled) = (format!("Bearer {key}"), format!("Bearer {key}, Bearer {key}"));
    let (longer, basic, blanks) = (format!("Bearer {key}x"), format!("Basic {key}"), format!("Bearer  {key}"));
    let refused: [&[(&str, &str)]; 10] = [
        &[],
        &[("Authorization", "")],
        &[("Authorization", "Bearer")],
        &[("Authorization", "Bearer wrong")],
        &[("Authorization", &longer)],
        &[("Authorization", &basic)],
        &[("Authorization", &blanks)],
        &[("Authorization", &key)],
        &[("Authorization", &doubled)],
        &[("Authorization", &good), ("Authorization", &good)],
    ];
    for headers in refused {
        for (method, path) in [("GET", BALANCE), ("GET", "/nowhere"), ("POST", "/api/v1/agents/events/events/run")] {
            let answer = send_as_is(&service, method, path, headers, b"");
            assert_eq!((answer.status, answer.header("www-authenticate")), (401, Some("Bearer")), "{headers:?} {path}");
            assert_eq!(answer.json()["error"], "unauthorized");
        }
    }
    assert_eq!(send_as_is(&service, "GET", &format!("{BALANCE}?api_key={key}"), &[], b"").status, 401);
    assert_eq!(send_as_is(&service, "GET", BALANCE, &[("authorization", &good)], b"").status, 200);
}

#[test]
fn the_key_is_checked_before_the_body_is_there() {
    let service = instant();
    let host = service.url().strip_prefix("http://").unwrap();
    let mut stream = connect(&service);
    let head =
        format!("POST /api/v1/agents/events/events/run HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut start = [0; 12];
    stream.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 401");
}

#[test]
fn a_caller_who_is_refused_in_the_middle_of_a_long_body_still_gets_the_answer() {
    let service = instant();
    let answer = send_as_is(&service, "POST", "/api/v1/agents/events/events/run", &[], &vec![b' '; 5_000_000]);
    assert_eq!(answer.status, 401);
}

#[test]
fn a_foreign_host_is_refused_even_with_the_key() {
    let service = instant();
    let port = service.url().rsplit(':').next().unwrap().to_owned();
    let key = format!("Bearer {}", service.api_key());
    let status =
        |host: &str| send_as_is(&service, "GET", BALANCE, &[("Authorization", &key), ("Host", host)], b"").status;
    for own in [format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")] {
        assert_eq!(status(&own), 200, "{own}");
    }
    for foreign in ["evil.example".to_owned(), format!("evil.example:{port}"), format!("127.0.0.1.evil.example:{port}")]
    {
        assert_eq!(status(&foreign), 403, "{foreign}");
    }
}

#[test]
fn a_service_for_the_network_answers_to_numbers_and_to_its_configured_names() {
    let host = "0.0.0.0".parse().unwrap();
    let names = vec!["double.test".to_owned()];
    let service = with(ServiceConfig { host, names, ..ServiceConfig::default() });
    let key = format!("Bearer {}", service.api_key());
    let status =
        |host: &str| send_as_is(&service, "GET", BALANCE, &[("Authorization", &key), ("Host", host)], b"").status;
    for own in ["double.test", "double.test:8080", "192.0.2.7:80"] {
        assert_eq!(status(own), 200, "{own}");
    }
    for foreign in ["evil.example", "double.test.evil.example", "192.0.2.7.evil.example"] {
        assert_eq!(status(foreign), 403, "{foreign}");
    }
}

#[test]
fn no_answer_lets_other_sites_read_it_and_none_holds_the_key() {
    let service = instant();
    let answer = get(&service, BALANCE);
    assert_eq!(answer.header("access-control-allow-origin"), None);
    let key = service.api_key().to_owned();
    let echoed = get(&service, &format!("/{key}?key={key}"));
    assert!(!echoed.text().contains(&key) && !format!("{:?}", echoed.headers).contains(&key));
    assert!(!format!("{:?} {service:?}", service.requests()).contains(&key));
}

#[test]
fn keys_are_made_up_when_none_is_given_and_kept_when_one_is() {
    let (one, other) = (instant(), instant());
    assert!(one.api_key().starts_with("rh_live_") && one.api_key() != other.api_key());
    let given = with(ServiceConfig { api_key: Some("my-key".to_owned()), ..ServiceConfig::default() });
    assert_eq!(given.api_key(), "my-key");
    assert_eq!(get(&given, BALANCE).status, 200);
}
