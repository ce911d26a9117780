//! Connections that break, stall, lie or lead elsewhere, under requests that may be repeated.

use futures_util::FutureExt;
use rowhaul::client::{ErrorKind, Outcome};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::*;
use crate::support::script_server::{bytes, with_headers};

const ROWS: &str = r#"{"status": "completed", "row_count": 2, "data": [{"a": 1}, {"a": 2}]}"#;

async fn always(reply: Reply) -> ScriptServer {
    ScriptServer::play(move |_, _| reply.clone()).await
}

fn chunked() -> Vec<u8> {
    let (one, two) = ROWS.split_at(30);
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    format!("{head}{:x}\r\n{one}\r\n{:x}\r\n{two}\r\n0\r\n\r\n", one.len(), two.len()).into_bytes()
}

#[tokio::test]
async fn a_get_is_repeated_after_a_break_and_succeeds() {
    for fault in [Reply::Reset(Vec::new()), Reply::Close(Vec::new()), answer(500, ""), answer(408, "")] {
        let server =
            ScriptServer::play(move |request, before| if before < 3 { fault.clone() } else { well(request) }).await;
        assert_eq!(client(&server).balance().await.unwrap().to_string(), "12.5");
        assert_eq!(server.gets(), 4);
    }
}

#[tokio::test]
async fn what_follows_the_first_start_goes_over_its_connection_and_each_later_start_has_one_of_its_own() {
    let server = ScriptServer::play(|request, _| well(request)).await;
    let client = client(&server);
    run(&client).await.unwrap();
    assert!(server.seen().iter().all(|request| request.connection == 0), "{:?}", server.seen());
    run(&client).await.unwrap();
    run(&client).await.unwrap();
    let seen = server.seen();
    let of_starts: Vec<_> = seen.iter().filter(|request| request.is_start()).map(|start| start.connection).collect();
    assert_eq!(of_starts, [0, 1, 2]);
    assert!(seen.iter().all(|request| request.is_start() || request.connection == 0), "{seen:?}");
}

#[tokio::test]
async fn a_start_behind_another_request_has_a_connection_of_its_own() {
    let server = ScriptServer::play(|request, _| well(request)).await;
    let client = client(&server);
    client.balance().await.unwrap();
    start(&client).await.unwrap();
    assert_eq!(server.seen().iter().map(|request| request.connection).collect::<Vec<_>>(), [0, 1]);
}

#[tokio::test]
async fn what_is_asked_beside_the_first_start_has_a_connection_of_its_own() {
    let server =
        ScriptServer::play(|request, _| if request.is_start() { Reply::Stall(Vec::new()) } else { well(request) })
            .await;
    let client = patient(&server);
    let mut starting = Box::pin(start(&client));
    while server.starts() == 0 {
        assert!((&mut starting).now_or_never().is_none());
        tokio::task::yield_now().await;
    }
    client.balance().await.unwrap();
    client.balance().await.unwrap();
    assert_eq!(server.seen().iter().map(|request| request.connection).collect::<Vec<_>>(), [0, 1, 2]);
}

#[tokio::test]
async fn a_refused_connection_is_told_as_not_sent() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut config = config(&always(started()).await);
    config.base_url = format!("http://{}", closed.local_addr().unwrap());
    drop(closed);
    let error = scanned(Client::new(config).unwrap().balance().await.unwrap_err());
    assert!(matches!(error.kind(), ErrorKind::Connect) && error.is_temporary(), "{error:?}");
    assert_eq!((error.outcome(), error.attempts()), (Outcome::NotSent, 5));
}

#[tokio::test]
async fn a_failed_tls_handshake_is_permanent_and_hints_at_the_authority() {
    let mut config = config(&always(started()).await);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    config.base_url = format!("https://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut hello = [0; 4096];
            let _ = stream.read(&mut hello).await;
            let _ = stream.write_all(b"220 mail.example ESMTP\r\n").await;
            held.push(stream);
        }
    });
    let client = Client::new(config).unwrap();
    let error = scanned(client.balance().await.unwrap_err());
    assert!(matches!(error.kind(), ErrorKind::Connect), "{error:?}");
    assert_eq!((error.outcome(), error.attempts()), (Outcome::NotSent, 1), "{error:?}");
    assert!(error.hint().unwrap().contains("ca_file"), "{error}");
}

#[tokio::test]
async fn results_cut_at_any_byte_never_become_rows() {
    let head = "HTTP/1.1 200 OK\r\n\r\n".len();
    let close_delimited = format!("HTTP/1.1 200 OK\r\n\r\n{ROWS}").into_bytes();
    for whole in [bytes(answer(200, ROWS)), chunked(), close_delimited.clone()] {
        let server = always(Reply::Close(whole.clone())).await;
        assert_eq!(rows(&client(&server)).await.unwrap().1.len(), 2);
        for cut in 0..whole.len() {
            let server = always(Reply::Close(whole[..cut].to_vec())).await;
            let mut config = config(&server);
            config.retry.attempts_for_rows = 2;
            let error = rows(&Client::new(config).unwrap()).await.unwrap_err();
            // Nothing at all up to the end of the connection is an empty answer, not half of one.
            let is_empty = whole == close_delimited && cut == head;
            let is_told = if is_empty {
                matches!(error.kind(), ErrorKind::BadResponse)
            } else {
                matches!(error.kind(), ErrorKind::Read) && server.gets() == 2
            };
            assert!(is_told, "cut at {cut}: {error:?}");
            assert_eq!(error.job_id().unwrap().as_str(), "j1");
        }
    }
}

#[tokio::test]
async fn a_get_that_was_cut_is_fetched_again_from_the_beginning() {
    let whole = bytes(answer(200, ROWS));
    let server = ScriptServer::play(move |_, before| match before {
        0 => Reply::Close(whole[..whole.len() - 5].to_vec()),
        1 => Reply::Reset(whole[..whole.len() - 20].to_vec()),
        _ => Reply::Keep(whole.clone()),
    })
    .await;
    assert_eq!(rows(&client(&server)).await.unwrap().1.len(), 2);
}

#[tokio::test]
async fn a_malformed_head_is_bad_and_tried_once_more() {
    let many = "x-one: 1\r\n".repeat(150);
    for bytes in [
        "SMTP ready\r\n\r\n".to_owned(),
        "HTTP/1.1 abc\r\n\r\n".to_owned(),
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n".to_owned(),
        format!("HTTP/1.1 200 OK\r\n{many}content-length: 2\r\n\r\n{{}}"),
        format!("HTTP/1.1 200 OK\r\nx: {}\r\ncontent-length: 2\r\n\r\n{{}}", "y".repeat(4 << 20)),
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".to_owned(),
    ] {
        let server = always(Reply::Close(bytes.clone().into_bytes())).await;
        let error = scanned(client(&server).balance().await.unwrap_err());
        let shown = &bytes[..bytes.len().min(60)];
        assert!(matches!(error.kind(), ErrorKind::BadResponse), "{shown}: {error:?}");
        assert_eq!(server.gets(), 2, "{shown}");
    }
}

#[tokio::test]
async fn answers_that_only_announce_another_end_with_the_time_of_the_request() {
    let hints = b"HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n".to_vec();
    for reply in [Reply::Flood(Vec::new(), hints.clone()), Reply::Drip(hints, 1)] {
        let server = always(reply).await;
        let error = rows(&impatient(&server)).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::RequestTimeout), "{error:?}");
        assert_eq!((error.job_id().unwrap().as_str(), server.gets()), ("j1", 2));
    }
}

#[tokio::test]
async fn a_length_that_is_stated_twice_or_wrongly_is_bad_and_nothing_follows_on_its_connection() {
    let length = r#"{"usd_remaining": 666}"#.len();
    for lengths in [
        "content-length: -1\r\n".to_owned(),
        "content-length: 99999999999999999999\r\n".to_owned(),
        format!("content-length: {length}\r\ncontent-length: 3\r\n"),
        format!("content-length: {length}\r\ncontent-length: {length}\r\n"),
        format!("content-length: {length}, {length}\r\n"),
        format!("content-length: {length}\r\ntransfer-encoding: chunked\r\n"),
    ] {
        // The server keeps the connection, as if nothing were wrong.
        let told = format!("HTTP/1.1 200 OK\r\n{lengths}\r\n");
        let body = if lengths.contains("chunked") { "0\r\n\r\n" } else { r#"{"usd_remaining": 666}"# };
        let bad = Reply::Keep(format!("{told}{body}").into_bytes());
        let server =
            ScriptServer::play(move |request, before| if before == 1 { bad.clone() } else { well(request) }).await;
        let client = client(&server);
        client.balance().await.unwrap();
        let error = scanned(client.balance().await.unwrap_err());
        assert!(matches!(error.kind(), ErrorKind::BadResponse), "{lengths}: {error:?}");
        assert_eq!((error.attempts(), server.gets()), (1, 2), "{lengths}");
        assert_eq!(client.balance().await.unwrap().to_string(), "12.5");
        assert_eq!(server.seen().iter().map(|request| request.connection).collect::<Vec<_>>(), [0, 0, 1], "{lengths}");
    }
}

#[tokio::test]
async fn the_tail_of_an_answer_never_answers_another_request() {
    let forged = String::from_utf8(bytes(answer(200, r#"{"usd_remaining": 666}"#))).unwrap();
    let short = format!("HTTP/1.1 200 OK\r\ncontent-length: 22\r\n\r\n{{\"usd_remaining\": 1.25}}{forged}");
    let server = ScriptServer::play(move |request, before| match before % 2 {
        0 => Reply::Keep(short.clone().into_bytes()),
        _ => well(request),
    })
    .await;
    let client = client(&server);
    for _ in 0..100 {
        let first = client.balance().await;
        assert!(first.as_ref().is_ok_and(|usd| usd.to_string() == "1.25") || first.is_err(), "{first:?}");
        assert_eq!(client.balance().await.unwrap().to_string(), "12.5");
    }
}

#[tokio::test]
async fn a_huge_stated_length_reserves_nothing() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 9000000000000000000\r\n\r\n{\"data\": [";
    let server = always(Reply::Close(head.to_vec())).await;
    let error = rows(&impatient(&server)).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Read), "{error:?}");
}

#[tokio::test]
async fn a_stalled_answer_is_a_timeout_that_keeps_the_job() {
    let whole = bytes(answer(200, ROWS));
    for cut in [0, 10, whole.len() - 1] {
        let server = always(Reply::Stall(whole[..cut].to_vec())).await;
        let error = rows(&impatient(&server)).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::RequestTimeout), "{error:?}");
        assert_eq!((error.job_id().unwrap().as_str(), server.gets()), ("j1", 2));
    }
}

#[tokio::test]
async fn a_drip_of_single_bytes_is_no_answer() {
    let dripped = b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n                                        ";
    let server = always(Reply::Drip(dripped.to_vec(), 10)).await;
    let mut config = config(&server);
    config.request_timeout = Duration::from_millis(300);
    (config.retry.attempts, config.retry.attempts_for_rows) = (1, 1);
    let client = Client::new(config).unwrap();
    let error = rows(&client).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::RequestTimeout), "{error:?}");
    assert!(matches!(scanned(client.balance().await.unwrap_err()).kind(), ErrorKind::RequestTimeout));
}

#[tokio::test]
async fn a_redirect_of_a_get_is_not_followed_and_the_place_is_named_without_secrets() {
    let other = always(results(1)).await;
    for status in [301, 302, 303, 307, 308] {
        let location = format!("location: {}/moved?key=secret#secret\r\n", other.url.replace("//", "//user:secret@"));
        let server = always(with_headers(status, &location, b"")).await;
        let error = rows(&client(&server)).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::BadResponse), "{error:?}");
        assert!(error.message().contains(&format!("{}/moved", other.url)), "{error}");
        assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        assert_eq!((server.gets(), other.seen().len()), (1, 0));
    }
}

/// Run by the test below in a process of its own, with proxies in its environment; by itself it proves little.
#[tokio::test]
async fn the_loopback_address_is_reached() {
    let server = ScriptServer::play(|request, _| well(request)).await;
    assert_eq!(run(&client(&server)).await.unwrap().1.len(), 3);
}

#[test]
fn a_proxy_in_the_environment_is_not_asked_for_the_loopback_address() {
    let proxy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "client::transport::the_loopback_address_is_reached"]);
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        child.env(name, &address);
    }
    let output = child.env_remove("NO_PROXY").env_remove("no_proxy").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
    assert_eq!(proxy.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[tokio::test]
async fn many_failing_tasks_do_not_become_a_storm() {
    let server = always(answer(500, "")).await;
    let client = client(&server);
    let tasks: Vec<_> = (0..200)
        .map(|_| {
            tokio::spawn({
                let client = client.clone();
                async move { client.balance().await }
            })
        })
        .collect();
    for task in tasks {
        assert!(task.await.unwrap().is_err());
    }
    assert!(server.gets() <= 300, "{} requests", server.gets());
}
