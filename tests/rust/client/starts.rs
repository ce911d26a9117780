//! At most one billable start, whatever comes back.

use rowhaul::client::{ErrorKind, Outcome, Progress};
use serde_json::{Value, json};

use super::*;
use crate::support::script_server::{bytes, with_headers};

/// The start comes back uncertain, and the server has seen exactly one: whether it opens the client's first connection
/// or one beside it.
async fn is_uncertain(reply: Reply) -> Error {
    let server = ScriptServer::answering_starts_with(reply).await;
    let [first, later] = [impatient(&server), impatient(&server)];
    later.balance().await.unwrap_err();
    let mut told = Vec::new();
    for (client, starts) in [(first, 1), (later, 2)] {
        let error = start(&client).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::StartUncertain), "{error:?}");
        assert_eq!((error.outcome(), error.attempts(), server.starts()), (Outcome::Unknown, 1, starts), "{error:?}");
        told.push(error);
    }
    assert_eq!(told[0].to_string(), told[1].to_string());
    told.remove(0)
}

#[tokio::test]
async fn a_reset_after_the_start_is_sent_never_starts_twice() {
    is_uncertain(Reply::Reset(Vec::new())).await;
}

#[tokio::test]
async fn an_end_of_the_connection_before_the_answer_never_starts_twice() {
    is_uncertain(Reply::Close(Vec::new())).await;
}

#[tokio::test]
async fn silence_after_the_start_never_starts_twice() {
    let error = is_uncertain(Reply::Stall(Vec::new())).await;
    assert!(error.message().contains("no answer came within"), "{error}");
}

#[tokio::test]
async fn an_answer_cut_at_any_byte_never_starts_twice() {
    let whole = bytes(started());
    for cut in 0..whole.len() {
        is_uncertain(Reply::Close(whole[..cut].to_vec())).await;
    }
    for cut in [1, whole.len() / 2, whole.len() - 1] {
        is_uncertain(Reply::Reset(whole[..cut].to_vec())).await;
        is_uncertain(Reply::Stall(whole[..cut].to_vec())).await;
    }
}

#[tokio::test]
async fn a_server_error_or_a_408_never_starts_twice() {
    for status in [408, 500, 501, 502, 503, 504, 520, 599, 600, 999] {
        is_uncertain(answer(status, r#"{"error": "oops"}"#)).await;
    }
    is_uncertain(with_headers(503, "retry-after: soon\r\n", b"")).await;
}

#[tokio::test]
async fn a_malformed_answer_never_starts_twice() {
    let garbage: [&[u8]; 5] = [
        b"SMTP ready\r\n\r\n",
        b"HTTP/1.1 2OO OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}",
    ];
    for bytes in garbage {
        is_uncertain(Reply::Close(bytes.to_vec())).await;
    }
    is_uncertain(Reply::Flood(b"HTTP/1.1 200 OK\r\n".to_vec(), b"x-header: and another one\r\n".to_vec())).await;
    is_uncertain(Reply::Flood(Vec::new(), b"HTTP/1.1 102 Processing\r\n\r\n".to_vec())).await;
}

#[tokio::test]
async fn a_success_without_a_usable_job_id_is_uncertain_and_shows_what_came_back() {
    let bodies = [
        json!({}),
        json!([]),
        json!({"id": "j1"}),
        json!({"job_id": null}),
        json!({"job_id": 7}),
        json!({"job_id": ""}),
        json!({"job_id": ".."}),
        json!({"job_id": "a\r\nb"}),
        json!({"job_id": "x".repeat(513)}),
    ];
    for body in bodies {
        let error = is_uncertain(answer(200, &body.to_string())).await;
        let excerpt = error.excerpt().unwrap();
        assert!(excerpt.starts_with(&body.to_string()[..2]) && excerpt.len() <= 512, "{excerpt}");
    }
    is_uncertain(answer(200, &json!({"job_id": "x".repeat(10 << 20)}).to_string())).await;
    for (status, headers, body) in [
        (200, "content-type: text/html\r\n", "<html><title>Welcome to the Hotel</title>"),
        (200, "", ""),
        (204, "", ""),
    ] {
        is_uncertain(with_headers(status, headers, body.as_bytes())).await;
    }
    let error = is_uncertain(with_headers(200, "content-type: text/html\r\n", b"<title>Hotel</title>")).await;
    assert!(error.message().contains("`text/html`, titled `Hotel`"), "{error}");
}

#[tokio::test]
async fn an_odd_but_usable_job_id_is_a_start_and_stays_in_its_path() {
    for (id, path) in [("../x", "/api/v1/jobs/..%2Fx"), ("a?b#c", "/api/v1/jobs/a%3Fb%23c")] {
        let server = ScriptServer::play(move |request, _| {
            if request.is_start() {
                answer(201, &json!({"job_id": id}).to_string())
            } else {
                answer(200, r#"{"status": "running"}"#)
            }
        })
        .await;
        let client = client(&server);
        let job = start(&client).await.unwrap();
        assert_eq!((job.id().as_str(), job.status().as_str()), (id, "unknown"));
        refresh(&client, &job).await.unwrap();
        assert_eq!(server.seen()[1].path, path);
    }
}

#[tokio::test]
async fn a_refused_start_is_typed_and_not_repeated() {
    for status in [400, 401, 402, 403, 404, 405, 409, 410, 411, 413, 414, 415, 422, 431, 418] {
        let server =
            ScriptServer::answering_starts_with(answer(status, r#"{"error": "no", "message": "just no"}"#)).await;
        let error = start(&client(&server)).await.unwrap_err();
        assert_eq!((error.status_code(), error.outcome(), server.starts()), (Some(status), Outcome::Rejected, 1));
        assert!(error.message().contains("just no"), "{error}");
    }
}

#[tokio::test]
async fn a_redirect_of_the_start_is_not_followed() {
    let other = ScriptServer::play(|_, _| started()).await;
    for status in [301, 307, 308, 302, 303] {
        let location = format!("location: {}/elsewhere?token=secret\r\n", other.url);
        let server = ScriptServer::answering_starts_with(with_headers(status, &location, b"")).await;
        let error = start(&client(&server)).await.unwrap_err();
        let is_certain = matches!(status, 301 | 307 | 308);
        assert_eq!(error.outcome() == Outcome::Rejected, is_certain, "{error:?}");
        assert_eq!(matches!(error.kind(), ErrorKind::StartUncertain), !is_certain, "{error:?}");
        assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        assert!(error.message().contains("/elsewhere"), "{error}");
        assert_eq!((server.starts(), other.seen().len()), (1, 0));
    }
}

#[tokio::test]
async fn a_start_that_was_never_sent_is_repeated_and_then_told_as_not_sent() {
    let server = ScriptServer::play(|_, _| started()).await;
    let mut config = config(&server);
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    config.base_url = format!("http://{}", closed.local_addr().unwrap());
    drop(closed);
    let error = start(&Client::new(config).unwrap()).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Connect), "{error:?}");
    assert_eq!((error.outcome(), error.attempts()), (Outcome::NotSent, 5));
}

#[tokio::test]
async fn a_connection_that_hangs_while_it_is_made_is_told_as_not_sent() {
    let server = ScriptServer::play(|_, _| started()).await;
    // Takes connections and never answers the first message of TLS.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut config = config(&server);
    config.base_url = format!("https://{}", silent.local_addr().unwrap());
    config.request_timeout = Duration::from_millis(200);
    config.retry.attempts = 2;
    assert!(config.connect_timeout > config.request_timeout);
    let error = start(&Client::new(config).unwrap()).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Connect), "{error:?}");
    assert_eq!((error.outcome(), error.attempts()), (Outcome::NotSent, 2));
}

#[tokio::test]
async fn a_throttled_start_is_repeated_until_it_is_taken() {
    for throttle in [
        with_headers(429, "retry-after: 0\r\n", b""),
        answer(429, r#"{"error": "rate", "retry_after": 0.001}"#),
        answer(429, ""),
        with_headers(503, "retry-after: 0\r\n", b""),
    ] {
        let server = ScriptServer::play(move |_, before| if before < 3 { throttle.clone() } else { started() }).await;
        assert_eq!(start(&client(&server)).await.unwrap().id().as_str(), "j1");
        assert_eq!(server.starts(), 4);
    }
}

#[tokio::test]
async fn a_connection_that_closes_between_requests_never_doubles_a_start() {
    let server = ScriptServer::play(|request, _| Reply::Close(bytes(well(request)))).await;
    let client = client(&server);
    for n in 1..=200 {
        start(&client).await.unwrap();
        client.balance().await.unwrap();
        assert_eq!(server.starts(), n);
    }
}

#[tokio::test]
async fn a_proxy_that_wants_credentials_has_passed_nothing_on() {
    let server = ScriptServer::answering_starts_with(answer(407, "")).await;
    let error = start(&client(&server)).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Connect), "{error:?}");
    assert_eq!((error.outcome(), server.starts()), (Outcome::NotSent, 1));
    assert!(error.hint().unwrap().contains("HTTPS_PROXY"), "{error:?}");
}

#[tokio::test]
async fn the_start_carries_the_key_in_one_header_and_the_parameters_in_the_body() {
    let server = ScriptServer::play(|request, _| well(request)).await;
    let progress = Progress::new();
    client(&server).start(&request(), None, &progress).await.unwrap();
    let seen = server.seen().remove(0);
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("POST", "/api/v1/agents/events/events/run"));
    assert_eq!(seen.head.matches("authorization:").count(), 1);
    assert!(seen.head.contains(&format!("authorization: bearer {CANARY}\r\n")));
    assert!(seen.head.contains("content-type: application/json\r\n"));
    let body: Value = serde_json::from_slice(&seen.body).unwrap();
    assert_eq!(body, json!({"params": {"searchQueries": ["jazz"], "maxResults": 3}}));
    assert_eq!(progress.job_id().unwrap().as_str(), "j1");
}
