//! A service that asks to wait: how long is waited, and for whom.

use rowhaul::client::{Outcome, RunOptions};

use super::*;
use crate::support::script_server::with_headers;

fn throttle(retry_after: &str) -> Reply {
    with_headers(429, &format!("retry-after: {retry_after}\r\n"), b"")
}

#[tokio::test]
async fn a_pause_beyond_two_minutes_is_told_at_once() {
    for (text, seconds) in [("121", 121), ("1000000000", 1_000_000_000), ("18446744073709551616", 10_000_000_000)] {
        let server = ScriptServer::play(move |_, _| throttle(text)).await;
        let error = start(&client(&server)).await.unwrap_err();
        assert_eq!((error.status_code(), error.outcome()), (Some(429), Outcome::Rejected));
        assert_eq!((error.retry_after(), server.starts()), (Some(Duration::from_secs(seconds)), 1));
    }
}

#[tokio::test]
async fn a_pause_beyond_the_callers_deadline_is_told_at_once() {
    let server = ScriptServer::play(|_, _| throttle("60")).await;
    let options = RunOptions { timeout: Some(Duration::from_secs(5)), ..RunOptions::default() };
    let error = scanned(client(&server).run(&request(), &options, &Progress::new()).await.unwrap_err());
    assert_eq!(
        (error.status_code(), error.retry_after(), server.starts()),
        (Some(429), Some(Duration::from_secs(60)), 1)
    );
}

#[tokio::test]
async fn no_pause_a_past_date_junk_and_a_pause_in_the_body_are_repeated() {
    for reply in [
        throttle("0"),
        throttle("-5"),
        throttle("Sun, 06 Nov 1994 08:49:37 GMT"),
        throttle("Sunday, 06-Nov-94 08:49:37 GMT"),
        throttle("Sun Nov  6 08:49:37 1994"),
        throttle("soon"),
        with_headers(429, "retry-after: 0\r\nretry-after: 0.001\r\n", b""),
        answer(429, r#"{"retry_after": 0.001}"#),
    ] {
        let server =
            ScriptServer::play(move |request, before| if before < 2 { reply.clone() } else { well(request) }).await;
        client(&server).balance().await.unwrap();
        assert_eq!(server.gets(), 3);
    }
}

#[tokio::test]
async fn a_date_is_read_against_the_servers_own_clock() {
    let headers = "date: Sun, 06 Nov 1994 08:49:37 GMT\r\nretry-after: Sun, 06 Nov 1994 08:59:37 GMT\r\n";
    let reply = with_headers(429, headers, b"");
    let server = ScriptServer::play(move |_, _| reply.clone()).await;
    let error = start(&client(&server)).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(600)));
}

#[tokio::test]
async fn endless_throttling_ends() {
    let server = ScriptServer::play(|_, _| throttle("0")).await;
    let mut config = config(&server);
    config.retry.attempts = 2;
    let error = start(&Client::new(config).unwrap()).await.unwrap_err();
    assert_eq!((error.status_code(), server.starts()), (Some(429), 4));
}

#[tokio::test]
async fn one_refusal_makes_the_whole_client_wait() {
    let server = ScriptServer::play(|request, before| if before == 0 { throttle("60") } else { well(request) }).await;
    let client = client(&server);
    let options = RunOptions { timeout: Some(Duration::from_secs(5)), ..RunOptions::default() };
    client.run(&request(), &options, &Progress::new()).await.unwrap_err();
    let error = scanned(client.run(&request(), &options, &Progress::new()).await.unwrap_err());
    assert_eq!((error.outcome(), server.seen().len()), (Outcome::NotSent, 1));
    assert!(error.retry_after().is_some_and(|pause| pause > Duration::from_secs(50)), "{error:?}");
}
