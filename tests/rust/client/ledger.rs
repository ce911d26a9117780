//! What stands in the ledger after a start, however it went.

use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use rowhaul::client::Settlement;
use rowhaul::ledger::{Entry, Place, Stage, Which};

use super::*;
use crate::support::script_server::with_headers;

/// A client with a ledger of its own, which goes away with the folder.
fn remembering(server: &ScriptServer) -> (Client, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(server);
    config.request_timeout = Duration::from_secs(2);
    config.ledger = Place::At(folder.path().join("ledger.sqlite"));
    (Client::new(config).unwrap(), folder)
}

async fn entries(client: &Client) -> Vec<Entry> {
    client.jobs(Which::All, None).await.unwrap()
}

#[tokio::test]
async fn a_start_that_is_repeated_because_it_was_throttled_has_one_entry() {
    let throttle = with_headers(429, "retry-after: 0\r\n", b"");
    let server = ScriptServer::play(move |_, before| if before < 3 { throttle.clone() } else { started() }).await;
    let (client, _folder) = remembering(&server);
    start(&client).await.unwrap();
    let entries = entries(&client).await;
    assert_eq!((entries.len(), entries[0].word()), (1, "queued"));
    assert_eq!(server.starts(), 4);
}

#[tokio::test]
async fn a_service_that_answers_two_starts_with_one_job_has_one_job() {
    let server = ScriptServer::play(|request, _| well(request)).await;
    let (client, _folder) = remembering(&server);
    start(&client).await.unwrap();
    start(&client).await.unwrap();
    assert_eq!(entries(&client).await.len(), 1);
}

#[tokio::test]
async fn every_way_a_start_can_fail_leaves_its_entry_closed_or_uncertain() {
    for (reply, stage) in [
        (answer(422, "{}"), Stage::Rejected),
        (answer(407, ""), Stage::NotSent),
        (answer(500, "{}"), Stage::Uncertain),
        (answer(200, "{}"), Stage::Uncertain),
        (Reply::Reset(Vec::new()), Stage::Uncertain),
    ] {
        let server = ScriptServer::answering_starts_with(reply).await;
        let (client, _folder) = remembering(&server);
        start(&client).await.unwrap_err();
        let entries = entries(&client).await;
        assert_eq!((entries.len(), entries[0].stage), (1, stage));
        assert!(entries[0].note.is_some());
    }
}

#[tokio::test]
async fn a_future_dropped_before_anything_was_sent_leaves_nothing_uncertain() {
    let server = ScriptServer::play(|_, _| started()).await;
    let (client, _folder) = remembering(&server);
    // Polled as long as it is not waiting for the server: at each point it may be at, once.
    for polls in 0..4 {
        let progress = Progress::new();
        let request = request();
        let mut starting = Box::pin(client.start(&request, None, &progress));
        for _ in 0..polls {
            poll_fn(|context| Poll::Ready(starting.as_mut().poll(context).is_ready())).await;
            tokio::task::yield_now().await;
        }
        let was_on_its_way = progress.phase() == rowhaul::client::Phase::Starting;
        drop(starting);
        while entries(&client).await.iter().any(|entry| entry.stage == Stage::Starting) {
            tokio::task::yield_now().await;
        }
        let uncertain = client.jobs(Which::Uncertain, None).await.unwrap();
        assert!(uncertain.is_empty() || was_on_its_way, "{uncertain:?}");
    }
}

#[tokio::test]
async fn an_echo_of_the_key_does_not_get_into_the_ledger() {
    let echo = json!({"job_id": "j1", "status": "failed", "error": format!("no such key: {CANARY}"), "agent": CANARY});
    let refusal = json!({"error": "no", "message": format!("bad key {CANARY}")});
    for reply in [answer(202, &echo.to_string()), answer(403, &refusal.to_string())] {
        let server = ScriptServer::answering_starts_with(reply).await;
        let (client, folder) = remembering(&server);
        let _ = start(&client).await;
        assert_eq!(entries(&client).await.len(), 1);
        for file in std::fs::read_dir(folder.path()).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            assert!(!bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes()));
        }
    }
}

#[tokio::test]
async fn two_uncertain_starts_and_one_job_that_may_be_either_settle_nothing() {
    let list = json!({"jobs": [{"job_id": "j1", "status": "running", "agent": "events/events"}]}).to_string();
    let server =
        ScriptServer::play(move |request, _| if request.is_start() { answer(500, "{}") } else { answer(200, &list) })
            .await;
    let (client, _folder) = remembering(&server);
    start(&client).await.unwrap_err();
    start(&client).await.unwrap_err();
    let settled = client.reconcile().await.unwrap();
    assert_eq!(settled.len(), 2);
    assert!(settled.iter().all(|settled| matches!(settled.settlement, Settlement::StillUncertain)));
    assert_eq!(server.starts(), 2);
}

#[tokio::test]
async fn a_start_given_up_on_its_way_gives_back_what_its_job_did_not_cost() {
    let server = ScriptServer::play(|request, _| match (request.is_start(), request.path.contains("/jobs/")) {
        (false, true) => answer(200, r#"{"status": "completed", "row_count": 1}"#),
        _ => well(request),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(&server);
    config.ledger = Place::At(folder.path().join("ledger.sqlite"));
    config.max_cost_usd = Some("0.04".parse().unwrap());
    let client = Client::new(config).unwrap();
    let (request, progress) = (request(), Progress::new());
    let mut starting = Box::pin(client.start(&request, None, &progress));
    while progress.phase() != rowhaul::client::Phase::Starting {
        poll_fn(|context| Poll::Ready(starting.as_mut().poll(context).is_ready())).await;
        tokio::task::yield_now().await;
    }
    drop(starting);
    while entries(&client).await.iter().all(|entry| entry.job_id.is_none()) {
        tokio::task::yield_now().await;
    }
    start(&client).await.unwrap_err();
    let job = client.job("j1", None).unwrap();
    client.refresh(&job, &Progress::new()).await.unwrap();
    start(&client).await.unwrap();
}

#[tokio::test]
async fn a_start_that_is_repeated_was_sent_when_it_was_last_sent() {
    let throttle = with_headers(429, "retry-after: 0\r\n", b"");
    let server = ScriptServer::play(move |_, before| if before < 3 { throttle.clone() } else { started() }).await;
    let (client, _folder) = remembering(&server);
    start(&client).await.unwrap();
    let entry = entries(&client).await.remove(0);
    let (sent, due, answered) = (entry.sent_at.unwrap(), entry.due_at.unwrap(), entry.started_at.unwrap());
    // The intent was written before the first sending, each sending is a write of its own after the refusal before it.
    assert!(entry.written_at < sent && sent <= answered, "{entry:?}");
    assert_eq!(due - sent, 2_000_000, "{entry:?}");
    assert!(entry.answer_by.unwrap() > due, "{entry:?}");
}

#[tokio::test]
async fn what_a_job_is_called_never_goes_backwards() {
    for (words, stands) in [
        (["queued", "running", "completed", "running"].as_slice(), "completed"),
        (&["completed", "failed"], "completed"),
        (&["failed", "running"], "failed"),
        (&["cancelled", "queued"], "cancelled"),
        (&["failed", "completed"], "completed"),
    ] {
        let mut told = words.iter().copied();
        let server =
            ScriptServer::play(
                move |request, _| {
                    if request.is_start() { started() } else { status(told.next().unwrap_or("running")) }
                },
            )
            .await;
        let (client, _folder) = remembering(&server);
        // Always asked about from the first snapshot, as one who has heard nothing since does.
        let job = start(&client).await.unwrap();
        for _ in words {
            refresh(&client, &job).await.unwrap();
        }
        assert_eq!(entries(&client).await[0].word(), stands, "{words:?}");
        assert_eq!(client.job("j1", None).unwrap().status().as_str(), stands, "{words:?}");
    }
}

#[tokio::test]
async fn rows_that_are_gone_come_back_by_being_fetched_and_not_by_what_is_heard_of_their_job() {
    let is_back = Arc::new(AtomicBool::new(false));
    let has_rows = Arc::clone(&is_back);
    let server = ScriptServer::play(move |request, _| {
        if request.is_results() && !has_rows.load(Ordering::Relaxed) { answer(410, "{}") } else { well(request) }
    })
    .await;
    let (client, _folder) = remembering(&server);
    let job = start(&client).await.unwrap();
    let resuming = client.resume(None).await.unwrap();
    assert_eq!(resuming.next().await.unwrap().rows.map_err(scanned).unwrap_err().status_code(), Some(410));
    assert!(entries(&client).await[0].gone_at.is_some());
    assert!(client.resume(None).await.unwrap().next().await.is_none());
    is_back.store(true, Ordering::Relaxed);
    refresh(&client, &job).await.unwrap();
    assert!(entries(&client).await[0].gone_at.is_some());
    let (job, _) = client.rows(&job, &RowOptions::default(), &Progress::new()).await.unwrap();
    client.delivered(&job).await;
    let entry = entries(&client).await.remove(0);
    assert_eq!((entry.gone_at, entry.word()), (None, "completed"));
}

#[tokio::test]
async fn an_uncertain_start_that_was_written_down_says_how_to_find_out() {
    let server = ScriptServer::answering_starts_with(answer(500, "{}")).await;
    let (client, _folder) = remembering(&server);
    assert!(start(&client).await.unwrap_err().hint().unwrap().contains("`client.reconcile()`"));
    let error = start(&super::client(&server)).await.unwrap_err();
    assert!(error.hint().unwrap().contains("balance"), "nothing was written down: {error}");
}
