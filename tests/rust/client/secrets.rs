//! The key is in one header and nowhere else.

use super::*;
use crate::support::script_server::with_headers;

#[tokio::test]
async fn a_server_that_echoes_the_key_does_not_get_it_into_an_error() {
    let echo =
        json!({"error": CANARY, "message": CANARY, "detail": CANARY, "details": {"field": CANARY, "reason": CANARY}})
            .to_string();
    for status in [200, 302, 307, 400, 401, 402, 404, 409, 422, 429, 500, 700] {
        let headers = format!("x-request-id: {CANARY}\r\nlocation: https://{CANARY}.example/{CANARY}\r\n");
        let reply = with_headers(status, &headers, echo.as_bytes());
        let server = ScriptServer::play(move |_, _| reply.clone()).await;
        let mut config = config(&server);
        (config.retry.attempts, config.retry.attempts_for_rows) = (1, 1);
        let client = Client::new(config).unwrap();
        start(&client).await.unwrap_err();
        rows(&client).await.unwrap_err();
        scanned(client.balance().await.unwrap_err());
    }
}

#[tokio::test]
async fn a_jobs_reason_that_holds_the_key_is_redacted() {
    let body = json!({"status": "failed", "error": format!("header was Bearer {CANARY}")}).to_string();
    let server =
        ScriptServer::play(move |request, _| if request.is_start() { started() } else { answer(200, &body) }).await;
    assert!(run(&client(&server)).await.unwrap_err().message().contains("[redacted]"));
}

#[tokio::test]
async fn a_record_that_echoes_the_key_is_redacted() {
    let body = json!({"job_id": "j1", "status": "running", "headers": {"authorization": format!("Bearer {CANARY}")}})
        .to_string();
    let server = ScriptServer::play(move |_, _| answer(200, &body)).await;
    let client = client(&server);
    let job = start(&client).await.unwrap();
    let later = refresh(&client, &job).await.unwrap();
    assert!(!format!("{job:?} {later:?}").contains(CANARY), "{later:?}");
}

#[tokio::test]
async fn a_client_and_its_configuration_do_not_show_the_key() {
    let server = ScriptServer::play(|_, _| started()).await;
    let config = config(&server);
    assert!(!format!("{config:?} {:?}", Client::new(config.clone()).unwrap()).contains(CANARY));
}

#[test]
fn a_key_in_the_address_is_refused_without_being_shown() {
    for address in
        [format!("https://{CANARY}@h.example"), format!("https://h.example/?key={CANARY}"), CANARY.to_owned()]
    {
        let error = Client::new(ClientConfig::new(address, ApiKey::new(CANARY).unwrap())).unwrap_err();
        scanned(error);
    }
}
