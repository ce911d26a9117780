//! Waiting: what ends it, what does not, and what a job is called in between.

use std::sync::{Arc, Mutex};

use rowhaul::client::ErrorKind;

use super::*;
use crate::support::script_server::with_headers;

/// Plays these statuses in order, the last one for good.
async fn statuses(words: &'static [&'static str]) -> ScriptServer {
    let mut polls = 0;
    ScriptServer::play(move |request, _| {
        if request.is_start() || request.is_results() {
            return well(request);
        }
        polls += 1;
        status(words[(polls - 1).min(words.len() - 1)])
    })
    .await
}

async fn wait(client: &Client, timeout: Duration) -> Result<Job, Error> {
    let job = start(client).await.unwrap();
    client.wait(&job, Some(timeout), &Progress::new()).await.map_err(scanned)
}

#[tokio::test]
async fn a_run_waits_through_every_word_until_completed() {
    let server = statuses(&["queued", "running", "COMPLETED", "", "almost", "completed"]).await;
    let progress = Progress::new();
    let (job, rows) = client(&server).run(&request(), &RunOptions::default(), &progress).await.unwrap();
    assert_eq!((rows.len(), job.status().as_str(), progress.polls()), (3, "completed", 6));
    assert_eq!((progress.rows(), progress.job_id().unwrap().as_str()), (3, "j1"));
}

#[tokio::test]
async fn an_outage_while_a_job_runs_is_waited_out_and_shown() {
    let (mut polls, progress) = (0, Progress::new());
    let (shown, while_failing) = (progress.clone(), Arc::new(Mutex::new(Vec::new())));
    let seen = Arc::clone(&while_failing);
    let server = ScriptServer::play(move |request, _| {
        if request.is_start() || request.is_results() {
            return well(request);
        }
        polls += 1;
        if (2..20).contains(&polls) {
            seen.lock().unwrap().extend(shown.status());
            answer(503, "{}")
        } else {
            status(if polls == 1 { "running" } else { "completed" })
        }
    })
    .await;
    let mut config = config(&server);
    config.outage = Duration::from_secs(30);
    let client = Client::new(config).unwrap();
    let (job, rows) = client.run(&request(), &RunOptions::default(), &progress).await.unwrap();
    assert_eq!((job.status().as_str(), rows.len(), server.starts()), ("completed", 3, 1));
    let seen = while_failing.lock().unwrap();
    assert_eq!((seen[0].as_str(), seen[17].as_str()), ("running", "running (no answer)"));
    assert_eq!(progress.status().as_deref(), Some("completed"));
}

#[tokio::test]
async fn a_clock_that_was_advanced_is_reason_to_ask_at_once() {
    const HOUR: Duration = Duration::from_secs(3600);
    let server = statuses(&["running", "completed"]).await;
    let client = Client::new(ClientConfig { poll_floor: HOUR, ..config(&server) }).unwrap();
    let (job, progress) = (start(&client).await.unwrap(), Progress::new());
    client.clock_was_advanced(HOUR);
    let advancing = async {
        while progress.polls() == 0 {
            tokio::task::yield_now().await;
        }
        client.clock_was_advanced(HOUR);
    };
    let (waited, ()) = tokio::join!(client.wait(&job, Some(3 * HOUR), &progress), advancing);
    assert_eq!((waited.unwrap().status().as_str(), progress.polls()), ("completed", 2));
}

#[tokio::test]
async fn an_unknown_word_is_waited_for_until_the_deadline_and_then_named() {
    let server = statuses(&["simmering"]).await;
    let error = wait(&client(&server), Duration::from_millis(30)).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::JobTimeout), "{error:?}");
    assert!(error.message().contains("`simmering`"), "{error}");
    assert_eq!(error.job_id().unwrap().as_str(), "j1");
}

#[tokio::test]
async fn a_timeout_of_nothing_still_polls_once() {
    let server = statuses(&["completed"]).await;
    assert!(wait(&client(&server), Duration::ZERO).await.is_ok());
    let server = statuses(&["running"]).await;
    assert!(wait(&client(&server), Duration::ZERO).await.is_err());
    assert_eq!(server.gets(), 1);
}

#[tokio::test]
async fn a_failed_or_cancelled_job_ends_the_waiting_at_once_with_its_reason() {
    for word in ["failed", "cancelled"] {
        let server = ScriptServer::play(move |request, _| {
            if request.is_start() {
                started()
            } else {
                answer(200, &json!({"status": word, "error": "the site was down"}).to_string())
            }
        })
        .await;
        let error = run(&client(&server)).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::JobFailed), "{error:?}");
        assert!(error.message().contains(word) && error.message().contains("the site was down"), "{error}");
        assert_eq!(server.gets(), 1);
    }
}

#[tokio::test]
async fn a_status_that_is_no_text_is_bad() {
    for body in [r#"{"status": null}"#, r#"{"status": 7}"#, "{}", "[]", "NaN"] {
        let server =
            ScriptServer::play(move |request, _| if request.is_start() { started() } else { answer(200, body) }).await;
        let error = run(&client(&server)).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::BadResponse), "{body}: {error:?}");
        assert_eq!(error.job_id().unwrap().as_str(), "j1");
    }
}

#[tokio::test]
async fn completed_is_final_and_a_later_word_is_noted() {
    let server = statuses(&["completed", "running"]).await;
    let client = client(&server);
    let job = wait(&client, Duration::from_secs(5)).await.unwrap();
    let job = refresh(&client, &job).await.unwrap();
    assert_eq!((job.status().as_str(), job.notes().len()), ("completed", 1));
    let (_, rows) = client.rows(&job, &RowOptions::default(), &Progress::new()).await.unwrap();
    assert!(rows.notes().iter().any(|note| note.message.contains("completed is final")), "{:?}", rows.notes());
}

#[tokio::test]
async fn a_start_that_says_completed_needs_no_poll() {
    let server = ScriptServer::play(|request, _| {
        if request.is_start() { answer(200, r#"{"job_id": "j1", "status": "completed"}"#) } else { well(request) }
    })
    .await;
    assert_eq!(run(&client(&server)).await.unwrap().1.len(), 3);
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn a_job_unknown_right_after_its_start_is_given_a_grace() {
    let server = ScriptServer::play(|request, before| if before == 1 { answer(404, "") } else { well(request) }).await;
    assert_eq!(run(&patient(&server)).await.unwrap().1.len(), 3);
}

#[tokio::test]
async fn a_job_that_stays_unknown_is_not_found_after_the_grace() {
    let server = ScriptServer::answering_starts_with(started()).await;
    let error = run(&client(&server)).await.unwrap_err();
    assert_eq!((error.status_code(), error.job_id().unwrap().as_str()), (Some(404), "j1"));
    assert!(server.gets() >= 2);
    let other = ScriptServer::answering_starts_with(started()).await;
    let client = client(&other);
    let error = refresh(&client, &client.job("j1", None).unwrap()).await.unwrap_err();
    assert_eq!((error.status_code(), other.gets()), (Some(404), 1));
}

#[tokio::test]
async fn results_asked_for_too_early_are_not_ready_rather_than_not_found() {
    for early in [
        answer(404, ""),
        answer(410, ""),
        answer(200, r#"{"status": "running"}"#),
        answer(200, r#"{"status": "queued", "row_count": 0, "data": []}"#),
    ] {
        let server =
            ScriptServer::play(move |request, _| if request.is_results() { early.clone() } else { status("running") })
                .await;
        let error = rows(&client(&server)).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::ResultsNotReady), "{error:?}");
        assert!(error.message().contains("`running`"), "{error}");
    }
}

#[tokio::test]
async fn results_that_lag_behind_the_status_are_waited_for() {
    for early in [answer(404, ""), answer(410, ""), answer(200, r#"{"status": "running"}"#)] {
        let mut asked = 0;
        let server = ScriptServer::play(move |request, _| {
            asked += usize::from(request.is_results());
            if request.is_results() && asked < 3 { early.clone() } else { well(request) }
        })
        .await;
        assert_eq!(run(&patient(&server)).await.unwrap().1.len(), 3);
    }
}

/// The results of a job that the status call tells as `record`, which say `word` beside so many rows until the third
/// time.
async fn called_otherwise(record: &'static str, word: &'static str, count: u64) -> ScriptServer {
    let mut asked = 0;
    ScriptServer::play(move |request, _| {
        asked += usize::from(request.is_results());
        match request.is_results() {
            true if asked < 3 => {
                let data: Vec<_> = (0..count).map(|n| json!({"n": n})).collect();
                answer(200, &json!({"status": word, "row_count": count, "data": data}).to_string())
            }
            true => well(request),
            false if request.is_start() => started(),
            false => answer(200, record),
        }
    })
    .await
}

#[tokio::test]
async fn no_rows_beside_another_word_than_completed_are_rows_that_are_not_there_yet() {
    for word in ["running", "queued", "finalizing", ""] {
        for record in [r#"{"status": "completed"}"#, r#"{"status": "completed", "row_count": 3}"#] {
            let server = called_otherwise(record, word, 0).await;
            assert_eq!(run(&patient(&server)).await.unwrap().1.len(), 3, "{word}");
        }
    }
    let empty = answer(200, r#"{"status": "running", "row_count": 0, "data": []}"#);
    let server =
        ScriptServer::play(move |request, _| if request.is_results() { empty.clone() } else { well(request) }).await;
    let error = run(&client(&server)).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::ResultsNotReady), "{error:?}");
    assert_eq!((error.job_id().unwrap().as_str(), server.starts()), ("j1", 1));
}

#[tokio::test]
async fn rows_beside_another_word_are_kept_and_no_rows_are_where_the_job_is_known_to_have_none() {
    for (record, count) in [(r#"{"status": "completed"}"#, 2), (r#"{"status": "completed", "row_count": 0}"#, 0)] {
        let server = called_otherwise(record, "running", count).await;
        let (_, rows) = run(&client(&server)).await.unwrap();
        assert_eq!(rows.len() as u64, count);
        assert!(rows.notes().iter().any(|note| note.message.contains("completed is final")), "{:?}", rows.notes());
    }
}

#[tokio::test]
async fn results_that_never_come_are_not_ready_after_the_grace_and_410_says_gone() {
    for (status, is_gone) in [(404, false), (410, true)] {
        let server =
            ScriptServer::play(move |request, _| if request.is_results() { answer(status, "") } else { well(request) })
                .await;
        let error = rows(&client(&server)).await.unwrap_err();
        assert_eq!(error.status_code() == Some(410), is_gone, "{error:?}");
        assert_eq!(matches!(error.kind(), ErrorKind::ResultsNotReady), !is_gone, "{error:?}");
    }
}

#[tokio::test]
async fn results_past_their_expiry_are_told_as_expired_at_once() {
    let server = ScriptServer::play(|request, _| {
        if request.is_results() {
            answer(404, "")
        } else {
            answer(200, r#"{"status": "completed", "expires_at": "2020-01-01T00:00:00Z"}"#)
        }
    })
    .await;
    let error = rows(&client(&server)).await.unwrap_err();
    assert_eq!(error.status_code(), Some(404));
    assert!(error.message().contains("expired (`2020-01-01T00:00:00Z`)"), "{error}");
    assert_eq!(server.gets(), 2);
}

#[tokio::test]
async fn whether_results_have_expired_is_told_by_the_services_clock() {
    // By this machine's clock, one of these jobs has expired long ago and the other will in a thousand years.
    for (date, expires_at, has_expired) in [
        ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:59:00Z", false),
        ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:40:00Z", true),
        ("Tue, 06 Nov 3004 08:49:37 GMT", "3004-11-06T08:40:00Z", true),
    ] {
        let server = ScriptServer::play(move |request, _| {
            let (status, body) = if request.is_results() {
                (404, json!({}))
            } else {
                (200, json!({"status": "completed", "expires_at": expires_at}))
            };
            with_headers(status, &format!("date: {date}\r\n"), body.to_string().as_bytes())
        })
        .await;
        let error = rows(&client(&server)).await.unwrap_err();
        assert_eq!(error.message().contains("expired"), has_expired, "{error:?}");
        assert_eq!(matches!(error.kind(), ErrorKind::ResultsNotReady), !has_expired, "{error:?}");
    }
}

#[tokio::test]
async fn the_rows_of_a_failed_job_are_a_failed_job() {
    let server =
        ScriptServer::play(|request, _| if request.is_results() { answer(404, "") } else { status("failed") }).await;
    assert!(matches!(rows(&client(&server)).await.unwrap_err().kind(), ErrorKind::JobFailed));
}

#[tokio::test]
async fn a_rate_that_allows_no_further_poll_is_a_timeout_of_the_job() {
    let server = statuses(&["running"]).await;
    let mut config = config(&server);
    config.requests_per_minute = Some(1.0);
    let error = wait(&Client::new(config).unwrap(), Duration::from_secs(20)).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::JobTimeout), "{error:?}");
}

#[tokio::test]
async fn a_server_that_fails_at_the_end_of_the_waiting_is_a_timeout_of_the_job() {
    let server = ScriptServer::play(|request, _| if request.is_start() { started() } else { answer(500, "") }).await;
    let error = wait(&client(&server), Duration::ZERO).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::JobTimeout), "{error:?}");
    assert!(error.message().contains("the last poll failed"), "{error}");
}
