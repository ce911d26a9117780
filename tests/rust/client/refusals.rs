//! Answers that say no: typed, with what they say, and nothing more than is safe to read of them.

use rowhaul::client::{ErrorKind, Outcome};

use super::*;
use crate::support::script_server::with_headers;

async fn refused(reply: Reply) -> Error {
    let server = ScriptServer::play(move |_, _| reply.clone()).await;
    start(&client(&server)).await.unwrap_err()
}

#[tokio::test]
async fn a_401_shows_only_a_short_hash_of_the_key() {
    let error =
        refused(answer(401, &json!({"error": "unauthorized", "message": format!("bad key {CANARY}")}).to_string()))
            .await;
    let hash = ApiKey::new(CANARY).unwrap().fingerprint();
    assert!(error.hint().unwrap().contains(&hash), "{error}");
    assert!(error.message().contains("[redacted]"), "{error}");
}

#[tokio::test]
async fn a_402_shows_what_is_required_and_what_is_there() {
    let body =
        r#"{"error": "insufficient_credits", "message": "top up", "credits_required": 300, "credits_available": 12.5}"#;
    let error = refused(answer(402, body)).await;
    assert!(error.message().contains("required: 300 credits; available: 12.5 credits"), "{error}");
    assert_eq!(error.outcome(), Outcome::Rejected);
}

#[tokio::test]
async fn a_404_for_an_agent_suggests_near_names() {
    let server = ScriptServer::play(|_, _| answer(404, "")).await;
    let client = client(&server);
    let misspelt = of("video/coment-scraper", &json!({}));
    let error = client.start(&misspelt, None, &Progress::new()).await.unwrap_err();
    assert!(error.hint().unwrap().contains("`video/comment-scraper`"), "{error}");
    let error = client.agent("event/events").await.unwrap_err();
    assert!(error.hint().unwrap().contains("`events/events`"), "{error}");
}

#[tokio::test]
async fn a_422_names_the_field_and_the_rule_in_either_form() {
    for body in [
        r#"{"error": "validation", "message": "invalid", "details": {"field": "maxResults", "reason": "too large"}}"#,
        r#"{"detail": [{"loc": ["body", "params", "maxResults"], "msg": "too large"}]}"#,
    ] {
        let error = refused(answer(422, body)).await;
        assert!(error.message().contains("maxResults") && error.message().contains("too large"), "{error}");
    }
}

#[tokio::test]
async fn code_message_and_request_id_are_kept() {
    let headers = "x-request-id: req-7\r\ncontent-type: application/json\r\n";
    let error = refused(with_headers(409, headers, br#"{"error": "busy", "message": "one at a time"}"#)).await;
    let ErrorKind::Api { status: 409, code, message, request_id } = error.kind() else { panic!("{error:?}") };
    assert_eq!(
        (code.as_deref(), message.as_deref(), request_id.as_deref()),
        (Some("busy"), Some("one at a time"), Some("req-7"))
    );
}

#[tokio::test]
async fn a_page_instead_of_an_error_body_is_named_by_its_title() {
    let error = refused(with_headers(403, "content-type: text/html\r\n", b"<title>Forbidden City</title>")).await;
    assert!(error.message().contains("Forbidden City"), "{error}");
}

#[tokio::test]
async fn a_page_where_the_service_should_be_asks_whether_the_address_is_right() {
    let page = b"<!doctype html><html><head><title>Welcome</title></head></html>";
    for status in [200, 404, 405] {
        let server = ScriptServer::play(move |_, _| with_headers(status, "content-type: text/html\r\n", page)).await;
        let error = scanned(client(&server).balance().await.unwrap_err());
        assert!(error.hint().unwrap().contains("is `base_url` right"), "{status}: {error}");
    }
    let server = ScriptServer::play(|_, _| answer(404, r#"{"error": "unknown"}"#)).await;
    assert_eq!(
        scanned(client(&server).balance().await.unwrap_err()).hint(),
        Some(format!("is `base_url` right (`{}`)?", server.url).as_str())
    );
}

#[tokio::test]
async fn of_an_endless_error_body_only_the_beginning_is_read() {
    let flood = Reply::Flood(b"HTTP/1.1 400 No\r\ncontent-length: 1000000000\r\n\r\n{".to_vec(), vec![b'x'; 64 << 10]);
    let error = refused(flood).await;
    assert_eq!((error.status_code(), error.excerpt().unwrap().len()), (Some(400), 512));
}

#[tokio::test]
async fn a_status_beyond_599_is_bad_and_not_repeated() {
    for status in [600, 742, 999] {
        let server = ScriptServer::play(move |_, _| answer(status, "")).await;
        let error = scanned(client(&server).balance().await.unwrap_err());
        assert!(matches!(error.kind(), ErrorKind::BadResponse), "{error:?}");
        assert_eq!(server.gets(), 1);
    }
}

#[tokio::test]
async fn a_server_error_on_a_get_is_repeated_and_then_told() {
    for status in [500, 502, 503, 504, 520, 599] {
        let server = ScriptServer::play(move |_, _| answer(status, r#"{"error": "down"}"#)).await;
        let error = scanned(client(&server).balance().await.unwrap_err());
        assert_eq!((error.status_code(), error.attempts(), server.gets()), (Some(status), 5, 5));
    }
}

/// An error whose message says no more than 512 bytes of what a server said, besides our own few words.
fn is_short(error: &Error) {
    assert!(error.message().len() < 512 + 200, "{} bytes: {error}", error.message().len());
}

#[tokio::test]
async fn a_message_holds_little_of_what_a_server_said_however_much_that_was() {
    let long = "長い".repeat(500);
    let body = json!({
        "error": long, "message": long, "credits_required": long, "credits_available": long,
        "details": {"field": long, "reason": long},
    });
    for status in [402, 409, 422, 500] {
        is_short(&refused(answer(status, &body.to_string())).await);
    }
    let (kind, encoding) = ("x".repeat(2000), "y".repeat(2000));
    let headers = format!("content-type: {kind}\r\nlocation: /{kind}\r\n");
    let page = format!("<title>{}</title>", "z".repeat(3000));
    for status in [200, 301, 400, 503] {
        is_short(&refused(with_headers(status, &headers, page.as_bytes())).await);
    }
    is_short(&refused(with_headers(200, &format!("content-encoding: {encoding}\r\n"), b"{}")).await);
    let other = answer(200, &json!({"status": [long.as_str()]}).to_string());
    let server = ScriptServer::play(move |_, _| other.clone()).await;
    let client = client(&server);
    is_short(&refresh(&client, &client.job("j1", None).unwrap()).await.unwrap_err());
    is_short(&scanned(client.balance().await.unwrap_err()));
}

#[tokio::test]
async fn what_a_body_is_quoted_with_is_cut_and_no_half_of_a_key_is_left_where_it_is() {
    // The one quotes 100 characters of a name, the other all of it.
    for before in (70..110).chain(470..520) {
        let name = format!("{}{CANARY}{}", "x".repeat(before), "y".repeat(600));
        for (kind, body) in [
            ("application/json", format!(r#"{{"{name}": 1, "{name}": 2}}"#)),
            ("text/csv", format!("{name},{name}\r\n")),
        ] {
            let reply = with_headers(200, &format!("content-type: {kind}\r\n"), body.as_bytes());
            let server = ScriptServer::play(move |_, _| reply.clone()).await;
            let error = rows(&client(&server)).await.unwrap_err();
            let ErrorKind::Decode(decode) = error.kind() else { panic!("{error:?}") };
            assert!(decode.message.len() <= 512 + "[redacted]".len(), "{}", decode.message);
            assert!(!format!("{error:?}").contains("canary"), "{error:?}");
            is_short(&error);
        }
    }
}
