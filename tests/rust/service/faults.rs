//! Faults on request, seen from the other end of the socket.

use super::http::{connect, get, instant, manual, post, send, started, with};
use rowhaul::service::faults::Injection;
use rowhaul::service::{ClockKind, Injected, LocalService, ServiceConfig};
use serde_json::{Value, json};
use std::io::{ErrorKind, Read, Write};
use std::time::Duration;

const RUN: &str = "/api/v1/agents/events/events/run";
const BALANCE: &str = "/api/v1/balance";

fn inject(service: &LocalService, text: &str) -> Injected {
    service.inject(text.parse::<Injection>().unwrap()).unwrap()
}

fn params() -> Value {
    json!({"params": {"searchQueries": ["jazz"], "maxResults": 3}})
}

/// Everything that comes back until the connection ends, and how it ends.
fn exchange(service: &LocalService, method: &str, path: &str, body: &str) -> (Vec<u8>, Option<ErrorKind>) {
    let mut stream = connect(service);
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        service.url().strip_prefix("http://").unwrap(),
        service.api_key(),
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    let mut received = Vec::new();
    let end = stream.read_to_end(&mut received).err().map(|error| error.kind());
    (received, end)
}

fn body(received: &[u8]) -> &[u8] {
    let end = received.windows(4).position(|window| window == b"\r\n\r\n").expect("a whole head");
    &received[end + 4..]
}

#[test]
fn a_reset_comes_before_or_after_the_start_is_counted_as_it_was_asked() {
    let service = instant();
    inject(&service, "on=run,reset");
    assert_eq!(exchange(&service, "POST", RUN, &params().to_string()), (vec![], Some(ErrorKind::ConnectionReset)));
    assert_eq!((service.starts().len(), service.charges().len()), (0, 0));
    inject(&service, "on=run,reset,applied=true");
    assert_eq!(exchange(&service, "POST", RUN, &params().to_string()), (vec![], Some(ErrorKind::ConnectionReset)));
    assert_eq!((service.starts().len(), service.charges().len()), (1, 1));
    let seen: Vec<_> = service.requests().into_iter().map(|request| (request.status, request.fault)).collect();
    assert_eq!(seen, [(None, Some("reset")), (None, Some("reset"))]);
    assert_eq!(post(&service, RUN, &params()).status, 202);
}

#[test]
fn a_connection_that_is_closed_ends_in_good_order_without_a_byte() {
    let service = instant();
    inject(&service, "on=balance,close");
    assert_eq!(exchange(&service, "GET", BALANCE, ""), (vec![], None));
    inject(&service, "on=run,close");
    assert_eq!(exchange(&service, "POST", RUN, &params().to_string()), (vec![], None));
    assert!(service.starts().is_empty());
}

#[test]
fn any_status_comes_with_its_body_and_retry_after_in_any_form() {
    let service = instant();
    let cases = [
        (
            "status,code=503,retry_after=1",
            503,
            Some("1"),
            json!({"error": "service_unavailable", "message": "503 Service Unavailable, on request"}),
        ),
        (
            "status,code=429,body=detail,retry_after=soon",
            429,
            Some("soon"),
            json!({"detail": "429 Too Many Requests, on request"}),
        ),
        (
            "status,code=429,retry_after=7,retry_after_in=body",
            429,
            None,
            json!({"error": "too_many_requests", "message": "429 Too Many Requests, on request", "retry_after": 7}),
        ),
        (r#"status,code=999,text="[1]""#, 999, None, json!([1])),
    ];
    for (fault, status, retry_after, body) in cases {
        inject(&service, &format!("on=balance,{fault}"));
        let answer = get(&service, BALANCE);
        assert_eq!(
            (answer.status, answer.header("retry-after"), answer.json()),
            (status, retry_after, body),
            "{fault}"
        );
    }
    inject(&service, "status,code=502,body=html");
    let page = get(&service, BALANCE);
    assert!(page.header("content-type").unwrap().starts_with("text/html") && page.text().contains("<title>502"));
    inject(&service, "status,code=204,body=empty");
    assert_eq!(get(&service, BALANCE).body, b"");
    inject(&service, r#"status,code=429,retry_after=["1","2"]"#);
    let twice = get(&service, BALANCE);
    let told: Vec<_> = twice.headers.iter().filter(|(name, _)| name == "retry-after").map(|(_, value)| value).collect();
    assert_eq!(told, ["1", "2"]);
    inject(&service, r#"status,code=307,headers={"Location": "http://elsewhere.example/"}"#);
    assert_eq!(get(&service, BALANCE).header("location"), Some("http://elsewhere.example/"));
    assert_eq!(get(&service, BALANCE).status, 200);
}

#[test]
fn a_body_is_cut_at_any_byte_in_any_framing() {
    let service = instant();
    let whole = get(&service, BALANCE).text();
    for at in 0..whole.len() {
        inject(&service, &format!("on=balance,cut,at={at}"));
        let (received, end) = exchange(&service, "GET", BALANCE, "");
        assert_eq!((body(&received), end), (&whole.as_bytes()[..at], None), "{at}");
        assert!(String::from_utf8_lossy(&received).contains(&format!("content-length: {}\r\n", whole.len())));
    }
    inject(&service, "on=balance,cut,framing=chunked,at=0.5");
    let (received, _) = exchange(&service, "GET", BALANCE, "");
    assert!(String::from_utf8_lossy(&received).contains("transfer-encoding: chunked"));
    assert_eq!(body(&received), format!("{:x}\r\n{}", whole.len(), &whole[..whole.len() / 2]).as_bytes());
    inject(&service, "on=balance,cut,framing=close,at=3");
    let (received, _) = exchange(&service, "GET", BALANCE, "");
    assert!(!String::from_utf8_lossy(&received).contains("content-length"));
    assert_eq!(body(&received), &whole.as_bytes()[..3]);
}

#[test]
fn a_body_that_stalls_goes_on_when_the_clock_is_advanced() {
    let service = manual();
    inject(&service, "on=balance,stall,at=5,seconds=3600");
    let mut stream = connect(&service);
    let host = service.url().strip_prefix("http://").unwrap().to_owned();
    let head = format!("GET {BALANCE} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}\r\n\r\n", service.api_key());
    stream.write_all(head.as_bytes()).unwrap();
    let mut received = Vec::new();
    while !received.ends_with(b"\r\n\r\n{\"usd") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        received.push(byte[0]);
    }
    service.advance(Duration::from_secs(3600));
    stream.read_to_end(&mut received).unwrap();
    assert_eq!(body(&received), br#"{"usd_remaining":100}"#);
    let seen = &service.requests()[0];
    assert_eq!((seen.status, seen.fault), (Some(200), Some("stall")));
}

#[test]
fn an_answer_that_never_comes_ends_with_its_caller_or_with_the_service() {
    let service = manual();
    inject(&service, "on=balance,hang,times=2");
    let mut waiting = connect(&service);
    let host = service.url().strip_prefix("http://").unwrap().to_owned();
    let head = format!("GET {BALANCE} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}\r\n\r\n", service.api_key());
    waiting.write_all(head.as_bytes()).unwrap();
    let mut leaving = connect(&service);
    leaving.write_all(head.as_bytes()).unwrap();
    while service.requests().iter().filter(|request| request.fault.is_some()).count() < 2 {
        std::thread::yield_now();
    }
    drop(leaving);
    assert_eq!(get(&service, BALANCE).status, 200);
    service.stop();
    let mut rest = Vec::new();
    let _ = waiting.read_to_end(&mut rest);
    assert!(rest.is_empty());
}

#[test]
fn a_dripping_body_is_whole_in_the_end() {
    let service = with(ServiceConfig { clock: ClockKind::Instant, ..ServiceConfig::default() });
    inject(&service, "on=balance,drip,bytes=2,every=0.001");
    assert_eq!(body(&exchange(&service, "GET", BALANCE, "").0), br#"{"usd_remaining":100}"#);
}

#[test]
fn encoded_bodies_are_what_they_say_unless_they_are_to_lie_or_to_be_broken() {
    let service = instant();
    let read = |answer: &super::http::Answer| {
        let mut text = String::new();
        flate2::read::GzDecoder::new(answer.body.as_slice()).read_to_string(&mut text).map(|_| text)
    };
    inject(&service, "on=balance,encoding,coding=gzip");
    let honest = get(&service, BALANCE);
    assert_eq!(honest.header("content-encoding"), Some("gzip"));
    assert_eq!(read(&honest).unwrap(), r#"{"usd_remaining":100}"#);
    inject(&service, "on=balance,encoding,coding=gzip,declared=br");
    let lying = get(&service, BALANCE);
    assert_eq!(lying.header("content-encoding"), Some("br"));
    assert!(read(&lying).is_ok());
    inject(&service, "on=balance,encoding,coding=gzip,corrupt=true");
    assert!(read(&get(&service, BALANCE)).is_err());
    inject(&service, "on=balance,encoding,coding=zstd");
    let zstd = zstd::decode_all(get(&service, BALANCE).body.as_slice()).unwrap();
    assert_eq!(zstd, br#"{"usd_remaining":100}"#);
    inject(&service, "on=balance,bomb,bytes=10000000");
    let bomb = get(&service, BALANCE);
    assert!(bomb.body.len() < 100_000);
    assert_eq!(read(&bomb).unwrap().len(), 10_000_000);
}

#[test]
fn members_of_an_answer_are_changed_or_missing_as_asked() {
    let service = instant();
    let id = started(&service, "events/events", &params()["params"]);
    let (job, results) = (format!("/api/v1/jobs/{id}"), format!("/api/v1/jobs/{id}/results"));
    for status in [json!("COMPLETED"), json!(""), json!(null), json!(7)] {
        inject(&service, &format!("on=status,fields,status={status}"));
        assert_eq!(get(&service, &job).json()["status"], status);
    }
    inject(&service, "on=results,fields,row_count=7");
    assert_eq!(get(&service, &results).json()["row_count"], 7);
    inject(&service, "on=run,missing,names=job_id");
    assert_eq!(post(&service, RUN, &params()).json().get("job_id"), None);
    inject(&service, "on=results,content_type,value=text/html");
    assert_eq!(get(&service, &results).header("content-type"), Some("text/html"));
    inject(&service, "on=results,content_type");
    assert_eq!(get(&service, &results).header("content-type"), None);
    inject(&service, "on=results,too_early");
    assert_eq!(get(&service, &results).status, 404);
    inject(&service, "on=results,too_early,code=200");
    assert_eq!(get(&service, &results).json(), json!({"status": "running", "row_count": 0, "data": []}));
    assert_eq!(get(&service, &results).json()["row_count"], 3);
}

#[test]
fn a_slow_job_takes_its_time_and_a_failed_one_costs_nothing() {
    let service = instant();
    inject(&service, "on=run,slow,seconds=7200");
    let slow = post(&service, RUN, &params()).json();
    assert_eq!(slow["status"], "queued");
    service.advance(Duration::from_secs(7200));
    let status = |id: &Value| get(&service, &format!("/v1/jobs/{}", id.as_str().unwrap())).json();
    assert_eq!(status(&slow["job_id"])["status"], "completed");
    inject(&service, "on=run,fail,error=blocked");
    let failed = post(&service, RUN, &params()).json();
    let record = status(&failed["job_id"]);
    assert_eq!(
        (&record["status"], &record["error"], &record["row_count"]),
        (&json!("failed"), &json!("blocked"), &json!(null))
    );
    let results = get(&service, &format!("/v1/jobs/{}/results", failed["job_id"].as_str().unwrap()));
    assert_eq!((results.status, &results.json()["error"]), (404, &json!("job_failed")));
    assert_eq!((service.starts().len(), service.charges().len()), (2, 1));
    assert_eq!(service.balance_usd().to_string(), "99.97");
}

#[test]
fn answers_that_are_not_http_are_not() {
    let service = instant();
    let cases = [
        ("status_line", "HTTP/1.1 fine OK\r\n"),
        ("header", "this line has no colon\r\n"),
        ("double_length", "Content-Length: 21\r\nContent-Length: 28\r\n"),
        ("negative_length", "Content-Length: -1\r\n"),
        ("short_length", "}HTTP/1.1 200 OK\r\n"),
        ("length_and_chunks", "Content-Length: 21\r\nTransfer-Encoding: chunked\r\n"),
        ("chunk_size", "\r\nmany\r\n"),
        ("many_headers", "X-Header-999: 999\r\n"),
        ("long_header", "X-Long: xxxx"),
        ("noise", "no HTTP at all"),
    ];
    for (how, shown) in cases {
        inject(&service, &format!("on=balance,malformed,how={how}"));
        let (received, _) = exchange(&service, "GET", BALANCE, "");
        assert!(String::from_utf8_lossy(&received).contains(shown), "{how}");
    }
    inject(&service, "on=balance,malformed,how=endless_hints");
    let mut stream = connect(&service);
    let host = service.url().strip_prefix("http://").unwrap();
    let head = format!("GET {BALANCE} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}\r\n\r\n", service.api_key());
    stream.write_all(head.as_bytes()).unwrap();
    let mut hints = vec![0; 100_000];
    stream.read_exact(&mut hints).unwrap();
    assert!(hints.starts_with(b"HTTP/1.1 103 Early Hints\r\n"));
    drop(stream);
    assert_eq!(get(&service, BALANCE).status, 200);
}

#[test]
fn a_fault_for_one_job_or_agent_leaves_the_others_alone_and_ends_when_it_is_removed() {
    let service = instant();
    let one = started(&service, "events/events", &params()["params"]);
    let other = started(&service, "events/events", &params()["params"]);
    let fault = inject(&service, &format!("on=status,status,code=500,times=null,job={one}"));
    let status = |id: &str| get(&service, &format!("/api/v1/jobs/{id}")).status;
    assert_eq!((status(&one), status(&other), status(&one)), (500, 200, 500));
    fault.remove();
    assert_eq!((status(&one), fault.hits()), (200, 2));
    inject(&service, "on=any,status,code=500,agent=events/events,after=1");
    assert_eq!((get(&service, BALANCE).status, status(&one), status(&other)), (200, 200, 500));
}

#[test]
fn a_fault_is_played_exactly_as_often_as_asked_however_many_race_for_it() {
    let service = instant();
    let fault = inject(&service, "on=balance,status,code=500,times=20");
    let failed: usize = std::thread::scope(|scope| {
        let ask = || (0..20).filter(|_| get(&service, BALANCE).status == 500).count();
        let asking: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        asking.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert_eq!((failed, fault.hits()), (20, 20));
}

#[test]
fn a_request_asks_for_its_own_fault_by_a_header() {
    let service = instant();
    let ask = |fault: &str| send(&service, "GET", BALANCE, &[("Rowhaul-Fault", fault)], b"");
    assert_eq!(ask("status,code=503").status, 503);
    assert_eq!(get(&service, BALANCE).status, 200);
    let unknown = ask("explode");
    assert_eq!((unknown.status, &unknown.json()["error"]), (400, &json!("bad_fault")));
    assert!(unknown.text().contains("too_early"));
    let bare = with(ServiceConfig { extras: "none".parse().unwrap(), ..ServiceConfig::default() });
    assert_eq!(send(&bare, "GET", BALANCE, &[("Rowhaul-Fault", "status,code=503")], b"").status, 200);
}

#[test]
fn a_fault_needs_the_key_and_waits_for_who_has_it() {
    let service = instant();
    let fault = inject(&service, "status,code=500");
    assert_eq!(super::http::send_as_is(&service, "GET", BALANCE, &[("Rowhaul-Fault", "reset")], b"").status, 401);
    assert_eq!(fault.hits(), 0);
    assert_eq!(get(&service, BALANCE).status, 500);
}
