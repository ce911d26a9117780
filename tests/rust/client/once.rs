//! Every fault that a start can meet, in one table: how many starts the service sees, and what is told.
//!
//! The numbers are those of the list of faults that the client is built against. Faults of anything but a start come
//! with a start that went well, and the run is counted as a whole.

use rowhaul::client::{ErrorKind, Outcome};
use rowhaul::wire::JobId;
use serde_json::json;

use super::*;
use crate::support::script_server::{bytes, with_headers};

/// What the caller of a start has in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Started,
    /// Certainly nothing runs.
    Refused,
    Uncertain,
}

use End::{Refused, Started, Uncertain};

/// A fault, how it is answered, and how many starts the service has seen at most: more than one only where it has
/// refused the others and asked for them again.
type Case = (&'static str, Reply, usize, End);

fn raw(bytes: &[u8]) -> Reply {
    Reply::Close(bytes.to_vec())
}

fn cut(reply: Reply, at: usize) -> Vec<u8> {
    let mut whole = bytes(reply);
    whole.truncate(at);
    whole
}

fn id(id: &serde_json::Value) -> Reply {
    answer(202, &json!({"job_id": id, "status": "queued"}).to_string())
}

fn transport() -> Vec<Case> {
    let (near_end, bomb) = (bytes(started()).len() - 1, [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
    vec![
        ("1 a proxy that wants credentials", answer(407, ""), 1, Refused),
        ("1 a proxy without a service behind it", answer(502, ""), 1, Uncertain),
        ("2 reset before the answer", Reply::Reset(Vec::new()), 1, Uncertain),
        ("2 end before the answer", Reply::Close(Vec::new()), 1, Uncertain),
        ("2 no first byte", Reply::Stall(Vec::new()), 1, Uncertain),
        ("2 request timeout", answer(408, "{}"), 1, Uncertain),
        ("3 closed after the answer", Reply::Close(bytes(started())), 1, Started),
        ("4 malformed status line", raw(b"SMTP ready\r\n\r\n"), 1, Uncertain),
        ("4 endless head", Reply::Flood(b"HTTP/1.1 200 OK\r\n".to_vec(), b"x: and another\r\n".to_vec()), 1, Uncertain),
        (
            "4 endless announcements",
            Reply::Flood(Vec::new(), b"HTTP/1.1 102 Processing\r\n\r\n".to_vec()),
            1,
            Uncertain,
        ),
        ("5 body cut by an end", Reply::Close(cut(started(), near_end)), 1, Uncertain),
        ("5 body cut by a reset", Reply::Reset(cut(started(), near_end)), 1, Uncertain),
        ("5 chunks cut", raw(b"HTTP/1.1 202 OK\r\ntransfer-encoding: chunked\r\n\r\n12\r\n{\"job_id\""), 1, Uncertain),
        ("5 cut without a length", raw(b"HTTP/1.1 202 OK\r\n\r\n{\"job_id\": \"j1\""), 1, Uncertain),
        ("6 length too short", raw(b"HTTP/1.1 202 OK\r\ncontent-length: 9\r\n\r\n{\"job_id\": \"j1\"}"), 1, Uncertain),
        (
            "6 length and chunks",
            raw(b"HTTP/1.1 202 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
            1,
            Uncertain,
        ),
        ("6 negative length", raw(b"HTTP/1.1 202 OK\r\ncontent-length: -5\r\n\r\n"), 1, Uncertain),
        ("7 stall in the body", Reply::Stall(cut(started(), near_end)), 1, Uncertain),
        ("7 a byte now and then", Reply::Drip(bytes(started()), 20), 1, Uncertain),
        ("8 corrupt encoding", with_headers(202, "content-encoding: gzip\r\n", &bomb), 1, Uncertain),
        ("8 unknown encoding", with_headers(202, "content-encoding: lzma, gzip\r\n", b"{}"), 1, Uncertain),
        ("9 redirect that names another address", with_headers(307, "location: /elsewhere\r\n", b""), 1, Refused),
        ("9 redirect after the start was taken", with_headers(303, "location: /elsewhere\r\n", b""), 1, Uncertain),
    ]
}

fn statuses() -> Vec<Case> {
    let mut cases: Vec<Case> = [400, 401, 402, 403, 404, 405, 409, 410, 411, 413, 414, 415, 422, 431]
        .map(|status| ("14 17 a refusal", answer(status, "{}"), 1, Refused))
        .into();
    cases.extend([500, 501, 502, 503, 504, 520, 599].map(|status| ("19", answer(status, "{}"), 1, Uncertain)));
    cases.extend([600, 999].map(|status| ("20", answer(status, "{}"), 1, Uncertain)));
    let attempts = 20;
    cases.extend([
        ("18 a pause of nothing", with_headers(429, "retry-after: 0\r\n", b""), attempts, Refused),
        ("18 a pause in the past", with_headers(429, "retry-after: -7\r\n", b""), attempts, Refused),
        ("18 junk for a pause", with_headers(429, "retry-after: soon\r\n", b""), attempts, Refused),
        ("18 two pauses", with_headers(429, "retry-after: 0\r\nretry-after: 0\r\n", b""), attempts, Refused),
        ("18 a pause of a life", with_headers(429, "retry-after: 1000000000\r\n", b""), 1, Refused),
        (
            "18 a pause beyond numbers",
            with_headers(429, "retry-after: 18446744073709551616\r\n", b""),
            attempts,
            Refused,
        ),
        ("18 a pause in the body", answer(429, r#"{"retry_after": 0}"#), attempts, Refused),
        ("19 come back later", with_headers(503, "retry-after: 0\r\n", b""), attempts, Refused),
        ("19 junk for later", with_headers(503, "retry-after: soon\r\n", b""), 1, Uncertain),
        ("20 an endless error", Reply::Flood(b"HTTP/1.1 500 No\r\n\r\n".to_vec(), vec![b'x'; 4096]), 1, Uncertain),
    ]);
    cases
}

fn bodies() -> Vec<Case> {
    let page = b"<html><title>Welcome to the Hotel</title></html>";
    vec![
        ("22 a page", with_headers(200, "content-type: text/html\r\n", page), 1, Uncertain),
        ("22 nothing", with_headers(200, "", b""), 1, Uncertain),
        ("22 no content", with_headers(204, "", b""), 1, Uncertain),
        (
            "23 a wrong content type",
            with_headers(200, "content-type: text/plain\r\n", br#"{"job_id": "j1"}"#),
            1,
            Started,
        ),
        ("24 deep", answer(200, &"[".repeat(100_000)), 1, Uncertain),
        ("24 no object", answer(200, "[]"), 1, Uncertain),
        ("25 a strange status", answer(202, r#"{"job_id": "j1", "status": "COMPLETED"}"#), 1, Started),
        ("25 no status", answer(202, r#"{"job_id": "j1", "status": 7}"#), 1, Started),
        ("27 no id", answer(200, "{}"), 1, Uncertain),
        ("27 null", id(&json!(null)), 1, Uncertain),
        ("27 a number", id(&json!(7)), 1, Uncertain),
        ("27 an empty id", id(&json!("")), 1, Uncertain),
        ("27 an id of dots", id(&json!("..")), 1, Uncertain),
        ("27 an id of lines", id(&json!("a\r\nb")), 1, Uncertain),
        ("27 a huge id", id(&json!("x".repeat(10 << 20))), 1, Uncertain),
        ("27 an id that is a path", id(&json!("../x?y#z")), 1, Started),
    ]
}

#[tokio::test]
async fn no_fault_ever_starts_twice() {
    for (fault, reply, most, end) in [transport(), statuses(), bodies()].concat() {
        let shown = format!("{fault}: {:?}", String::from_utf8_lossy(&cut(reply.clone(), 80)));
        let server = ScriptServer::answering_starts_with(reply).await;
        let came = start(&impatient(&server)).await;
        let told = match &came {
            Ok(_) => Started,
            Err(error) if matches!(error.kind(), ErrorKind::StartUncertain) => Uncertain,
            Err(error) => {
                assert!(matches!(error.outcome(), Outcome::NotSent | Outcome::Rejected), "{shown}: {error:?}");
                Refused
            }
        };
        assert_eq!(told, end, "{shown}: {came:?}");
        let starts = server.starts();
        assert!((1..=most).contains(&starts), "{starts} starts: {shown}");
        if end == Uncertain {
            assert_eq!(came.unwrap_err().outcome(), Outcome::Unknown, "{shown}");
        }
    }
}

#[tokio::test]
async fn no_fault_of_what_comes_after_it_repeats_a_start() {
    let faults = [
        ("2 reset", Reply::Reset(Vec::new())),
        ("2 silence", Reply::Stall(Vec::new())),
        ("4 malformed", raw(b"SMTP ready\r\n\r\n")),
        ("5 cut", Reply::Close(cut(results(3), 60))),
        ("9 redirect", with_headers(302, "location: /elsewhere\r\n", b"")),
        ("14 a key that is not accepted", answer(401, "{}")),
        ("15 no such job", answer(404, "{}")),
        ("16 gone", answer(410, "{}")),
        ("18 too many requests", with_headers(429, "retry-after: 0\r\n", b"")),
        ("19 down", answer(503, "{}")),
        ("20 no status", answer(999, "{}")),
        ("22 a page", with_headers(200, "content-type: text/html\r\n", b"<title>Hotel</title>")),
        ("25 no word", answer(200, r#"{"job_id": "j1", "status": null}"#)),
        ("26 another job", answer(200, r#"{"job_id": "j2", "status": "completed"}"#)),
    ];
    for (fault, reply) in faults {
        for breaks_results in [false, true] {
            let reply = reply.clone();
            let server = ScriptServer::play(move |request, _| match (request.is_start(), request.is_results()) {
                (true, _) => started(),
                (_, is_results) if is_results == breaks_results => reply.clone(),
                _ => status("completed"),
            })
            .await;
            let options = RunOptions { timeout: Some(Duration::from_millis(500)), ..RunOptions::default() };
            let ran = impatient(&server).run(&request(), &options, &Progress::new()).await;
            let error = ran.map(|(job, _)| job).map_err(scanned).unwrap_err();
            assert_eq!(server.starts(), 1, "{fault}: {error:?}");
            assert_eq!(error.job_id().map(JobId::as_str), Some("j1"), "{fault}: {error:?}");
            assert_eq!(error.outcome(), Outcome::Accepted, "{fault}: {error:?}");
        }
    }
}
