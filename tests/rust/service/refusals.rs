//! Bad requests: each gets the status that says what is wrong, and none a 500.

use super::http::{Answer, get, instant, raw, run, send, with};
use rowhaul::service::{ClockKind, LocalService, ServiceConfig};
use serde_json::{Value, json};

const RUN: &str = "/api/v1/agents/events/events/run";

fn sent(service: &LocalService, body: &[u8]) -> Answer {
    send(service, "POST", RUN, &[("Content-Type", "application/json")], body)
}

#[test]
fn parameters_that_break_a_rule_are_422_with_the_field_and_the_rule() {
    let service = instant();
    let bad_numbers = ["-1", "1.5", "1.0", "\"10\"", "true", "null", "9223372036854775808", "1e400", "[]", "{}"];
    let events =
        bad_numbers.map(|number| (RUN, format!(r#"{{"searchQueries":["a"],"maxResults":{number}}}"#), "maxResults"));
    let cases = [
        (RUN, "{}", "searchQueries"),
        (RUN, r#"{"searchQueries":[],"startUrls":[]}"#, "searchQueries"),
        (RUN, r#"{"searchQueries":"a"}"#, "searchQueries"),
        (RUN, r#"{"searchQueries":[1]}"#, "searchQueries"),
        (RUN, r#"{"searchQueries":["\ud800"]}"#, "searchQueries"),
        (RUN, r#"{"searchQueries":["a"],"maxResult":1}"#, "maxResult"),
        (RUN, r#"{"searchQueries":["a"],"maxResults":1,"maxResults":2}"#, "maxResults"),
        ("/v1/data/events/events/run", r#"{"searchQueries":["a"]}"#, "searchQueries"),
        ("/api/v1/agents/video/channel-scraper/run", r#"{"startUrls":[{"url":"https://v.example/@a"}]}"#, "maxResults"),
        (
            "/api/v1/agents/video/shorts-scraper/run",
            r#"{"channels":["a"],"maxResultsShorts":1,"sortChannelShortsBy":"newest"}"#,
            "sortChannelShortsBy",
        ),
        (
            "/api/v1/agents/video/comment-scraper/run",
            r#"{"startUrls":[{"url":"https://v.example/1","x":1}],"maxComments":1}"#,
            "startUrls",
        ),
        (
            "/api/v1/agents/retail/bestsellers-scraper/run",
            r#"{"categoryUrls":["https://s.example/zgbs/a"],"maxItemsPerStartUrl":101}"#,
            "maxItemsPerStartUrl",
        ),
        (
            "/api/v1/agents/retail/bestsellers-scraper/run",
            r#"{"categoryUrls":["https://s.example/a"],"maxItemsPerStartUrl":1}"#,
            "categoryUrls",
        ),
        (
            "/api/v1/agents/retail/pincode-scraper/run",
            r#"{"products":["B0ABCDEFGH"],"pincodes":["11000"]}"#,
            "pincodes",
        ),
        (
            "/api/v1/agents/retail/pincode-scraper/run",
            r#"{"products":["B0ABCDEFG"],"pincodes":["110001"]}"#,
            "products",
        ),
    ];
    let cases = cases.map(|(path, params, field)| (path, params.to_owned(), field));
    for (path, params, field) in cases.into_iter().chain(events) {
        let body = format!(r#"{{"params":{params}}}"#);
        let answer = send(&service, "POST", path, &[("Content-Type", "application/json")], body.as_bytes());
        assert_eq!(answer.status, 422, "{body}: {}", answer.text());
        let answer = answer.json();
        assert_eq!(
            (&answer["error"], &answer["details"]["field"]),
            (&json!("invalid_params"), &json!(field)),
            "{body}"
        );
        assert!(answer["details"]["reason"].is_string());
    }
    assert_eq!(service.starts(), []);
}

#[test]
fn a_body_that_is_not_the_one_key_params_with_an_object_is_400_or_422() {
    let service = instant();
    let deep = [&b"{\"params\":{\"a\":"[..], &b"[".repeat(100_000), &b"]".repeat(100_000), b"}}"].concat();
    for not_json in [&b""[..], b"{", b"nope", b"{\"params\":{}}x", b"\xff\xfe", b"{\"params\":NaN}", &deep] {
        assert_eq!(sent(&service, not_json).status, 400);
    }
    let missing = ["[]", "1", "null", "{}", r#"{"params":[]}"#, r#"{"params":null}"#, r#"{"params":{},"params":{}}"#];
    for missing in missing {
        let answer = sent(&service, missing.as_bytes());
        assert_eq!((answer.status, &answer.json()["details"]["field"]), (422, &json!("params")), "{missing}");
    }
    assert_eq!(sent(&service, br#"{"params":{},"webhook":1}"#).json()["details"]["field"], "webhook");
}

#[test]
fn bodies_that_are_too_long_compressed_or_not_json_by_name_are_refused() {
    let service = instant();
    let spaces = vec![b' '; 20_000_000];
    let answer = sent(&service, &spaces);
    assert_eq!((answer.status, &answer.json()["error"]), (413, &json!("body_too_large")));
    let good = br#"{"params":{"searchQueries":["a"],"maxResults":1}}"#;
    let status = |headers: &[(&str, &str)]| send(&service, "POST", RUN, headers, good).status;
    assert_eq!(status(&[("Content-Type", "application/json"), ("Content-Encoding", "gzip")]), 415);
    assert_eq!(status(&[("Content-Type", "text/plain")]), 415);
    assert_eq!(status(&[("Content-Type", "application/json; charset=utf-8"), ("Content-Encoding", "identity")]), 202);
    assert_eq!(status(&[]), 202);
}

#[test]
fn endless_bodies_end_at_the_limit() {
    let service = instant();
    let host = service.url().strip_prefix("http://").unwrap();
    let head = format!(
        "POST {RUN} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n",
        service.api_key()
    );
    let chunk = [&b"100000\r\n"[..], &vec![b' '; 0x10_0000], b"\r\n"].concat();
    let body = [head.as_bytes(), &chunk.repeat(5), b"0\r\n\r\n"].concat();
    assert_eq!(raw(&service, &body).status, 413);
}

#[test]
fn ids_that_are_none_are_404_and_all_404s_are_the_same_bytes() {
    let service = instant();
    let long = "x".repeat(60_000);
    let ids = ["nobody", "..", ".", "%2e%2e", "%00", "%ff", "%C3%A9", "..%2Fbalance", "%20", "job_'\"", &long];
    for id in ids {
        for path in [format!("/api/v1/jobs/{id}"), format!("/v1/jobs/{id}/results")] {
            let answer = get(&service, &path);
            assert_eq!(answer.status, 404, "{}", &path[..path.len().min(80)]);
            assert_eq!(answer.text(), r#"{"error":"job_not_found","message":"there is no such job"}"#);
        }
    }
    assert_eq!(get(&service, &format!("/api/v1/jobs/{}", "x".repeat(1_000_000))).status, 414);
    assert_eq!(get(&service, "/api/v1/jobs/../balance").status, 404);
}

#[test]
fn an_unknown_agent_is_404_before_its_body_is_looked_at() {
    let service = instant();
    for agent in ["events/nothing", "nobody/events", "..%2F..%2Fx/events", "%ff/events"] {
        let answer = run(&service, agent, &json!(1));
        assert_eq!((answer.status, &answer.json()["error"]), (404, &json!("agent_not_found")), "{agent}");
    }
}

#[test]
fn a_head_that_is_malformed_or_ends_in_two_places_is_400() {
    let service = instant();
    let host = service.url().strip_prefix("http://").unwrap();
    let key = service.api_key();
    let head = format!("GET /api/v1/balance HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\n");
    let two_lengths = format!("{head}Content-Length: 5\r\nContent-Length: 6\r\n\r\n");
    let two_hosts = format!("{head}Host: {host}\r\nConnection: close\r\n\r\n");
    let no_host = "GET /api/v1/balance HTTP/1.1\r\nConnection: close\r\n\r\n";
    for bad in [two_lengths.as_str(), &two_hosts, no_host, "nonsense\r\n\r\n"] {
        assert_eq!(raw(&service, bad.as_bytes()).status, 400, "{bad}");
    }
}

#[test]
fn a_request_that_names_a_length_and_chunks_is_refused_and_its_connection_ends() {
    let service = instant();
    let host = service.url().strip_prefix("http://").unwrap();
    let key = service.api_key();
    let (length, chunks) = ("Content-Length: 44\r\n", "Transfer-Encoding: chunked\r\n");
    for lines in [format!("{length}{chunks}"), format!("{chunks}{length}")] {
        let smuggled = format!(
            "POST {RUN} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\n{lines}\r\n0\r\n\r\nGET /api/v1/balance HTTP/1.1\r\nHost: {host}\r\n\r\n"
        );
        let answer = raw(&service, smuggled.as_bytes());
        assert_eq!((answer.status, answer.header("connection")), (400, Some("close")), "{lines}");
        assert_eq!(answer.json()["error"], "bad_request");
    }
    assert!(service.requests().is_empty());
}

#[test]
fn a_head_that_is_refused_before_it_is_read_is_refused_in_json_too() {
    let service = instant();
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "X: y\r\n".repeat(200));
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(100_000));
    for (head, status, error) in [
        ("nonsense\r\n\r\n".to_owned(), 400, "bad_request"),
        (many, 431, "head_too_large"),
        (long, 414, "uri_too_long"),
    ] {
        let answer = raw(&service, head.as_bytes());
        assert_eq!((answer.status, &answer.json()["error"]), (status, &json!(error)));
        assert_eq!(answer.header("content-type"), Some("application/json"));
    }
}

#[test]
fn what_was_asked_is_in_the_log_and_the_key_is_not() {
    let service = instant();
    run(&service, "events/events", &json!({"searchQueries": ["a"], "maxResults": 1}));
    run(&service, "events/events", &json!({"searchQueries": [service.api_key()], "maxResults": -1}));
    get(&service, "/api/v1/balance?x=1");
    let requests = service.requests();
    let seen: Vec<_> =
        requests.iter().map(|request| (request.method.as_str(), request.path.as_str(), request.status)).collect();
    let expected = [("POST", RUN, Some(202)), ("POST", RUN, Some(422)), ("GET", "/api/v1/balance", Some(200))];
    assert_eq!(seen, expected);
    assert_eq!(requests[0].agent.as_deref(), Some("events/events"));
    let params = requests[0].params.clone().map(Value::Object);
    assert_eq!(params, Some(json!({"searchQueries": ["a"], "maxResults": 1})));
    assert!(!format!("{requests:?}").contains(service.api_key()));
    assert_eq!(service.starts().len(), 1);
}

#[test]
fn a_key_in_parameters_or_a_path_is_kept_nowhere_however_it_is_spelt() {
    let folder = tempfile::tempdir().unwrap();
    let service = with(ServiceConfig {
        api_key: Some(r#"live_ab"cd\ef"#.to_owned()),
        data_dir: Some(folder.path().to_owned()),
        clock: ClockKind::Instant,
        ..ServiceConfig::default()
    });
    let key = service.api_key();
    let asked = json!({"searchQueries": [format!("x {key}")], "maxResults": 1});
    let id = super::http::started(&service, "events/events", &asked);
    assert_eq!(get(&service, &format!("/v1/jobs/{id}/results")).json()["row_count"], 1);
    let kept = json!({"searchQueries": ["x ***"], "maxResults": 1});
    assert_eq!(Value::Object(service.starts()[0].params.clone()), kept);
    assert_eq!(service.requests()[0].params.clone().map(Value::Object), Some(kept));
    get(&service, "/api/v1/jobs/live%5fab%22cd%5Cef.x/results");
    assert_eq!(service.requests().last().unwrap().path, "/api/v1/jobs/***/results");
    service.stop();
    let written: Vec<u8> = std::fs::read_dir(folder.path())
        .unwrap()
        .filter_map(|file| std::fs::read(file.unwrap().path()).ok())
        .flatten()
        .collect();
    assert!(!String::from_utf8_lossy(&written).contains("live_ab"));
}
