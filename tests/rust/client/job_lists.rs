//! The service's list of jobs, with which one request polls many: where there is one, where there is none, and where it
//! fails.

use std::collections::HashMap;

use super::many::{Jobs, all, failures, lists, lone_polls, many, numbered};
use super::*;
use crate::support::script_server::with_headers;

#[tokio::test]
async fn one_list_tells_of_all_jobs() {
    let server = Jobs::play(6, true).await;
    let ended = all(&many(&client(&server), 20, None), (0..20).map(numbered)).await;
    assert_eq!((failures(ended).len(), server.starts()), (0, 20));
    // Each job is told of seven times before it is completed; alone that would be 140 requests.
    assert!(lists(&server) + lone_polls(&server) <= 30, "{} lists, {} lone polls", lists(&server), lone_polls(&server));
}

#[tokio::test]
async fn a_service_without_a_list_is_asked_for_one_once() {
    let server = Jobs::play(2, false).await;
    let client = client(&server);
    let ended = all(&many(&client, 10, None), (0..20).map(numbered)).await;
    assert_eq!((failures(ended).len(), lists(&server)), (0, 1));
    all(&many(&client, 10, None), (0..5).map(numbered)).await;
    assert_eq!((server.starts(), lists(&server)), (25, 1));
}

#[tokio::test]
async fn a_list_that_is_none_and_one_that_holds_nothing_leave_each_job_to_be_asked_alone() {
    for list in [r#"{"jobs": {}}"#, "[]", r#"{"jobs": []}"#, r#"{"jobs": [{"id": "j1", "status": 7}]}"#, "<html>"] {
        let mut jobs = Jobs { polls: 1, lists: true, polled: HashMap::new() };
        let server =
            ScriptServer::play(
                move |request, _| {
                    if request.path.contains("/jobs?") { answer(200, list) } else { jobs.answer(request) }
                },
            )
            .await;
        let ended = all(&many(&client(&server), 5, None), (0..5).map(numbered)).await;
        assert_eq!(failures(ended).len(), 0, "{list}");
    }
}

#[tokio::test]
async fn a_list_that_fails_for_a_while_is_waited_out() {
    let mut jobs = Jobs { polls: 3, lists: true, polled: HashMap::new() };
    let mut failing = 2;
    let server = ScriptServer::play(move |request, _| {
        if request.path.contains("/jobs?") && failing > 0 {
            failing -= 1;
            return answer(503, "{}");
        }
        jobs.answer(request)
    })
    .await;
    let mut config = config(&server);
    config.outage = Duration::from_secs(30);
    let client = Client::new(config).unwrap();
    let ended = all(&many(&client, 5, None), (0..5).map(numbered)).await;
    assert_eq!((failures(ended).len(), server.starts()), (0, 5));
}

#[tokio::test]
async fn one_list_that_cannot_be_read_leaves_the_next_to_be_asked_for() {
    let mut jobs = Jobs { polls: 6, lists: true, polled: HashMap::new() };
    let mut is_garbled = true;
    let server = ScriptServer::play(move |request, _| {
        if request.path.contains("/jobs?") && std::mem::take(&mut is_garbled) {
            return answer(200, "<html>");
        }
        jobs.answer(request)
    })
    .await;
    let ended = all(&many(&client(&server), 20, None), (0..20).map(numbered)).await;
    assert_eq!((failures(ended).len(), server.starts()), (0, 20));
    let (lists, alone) = (lists(&server), lone_polls(&server));
    assert!(lists >= 4 && lists + alone <= 50, "{lists} lists, {alone} lone polls");
}

#[tokio::test]
async fn a_list_that_goes_on_failing_keeps_no_run_from_its_end() {
    for (status, headers, polls) in [(503, "", 12), (200, "", 12), (503, "retry-after: 0\r\n", 1)] {
        let mut jobs = Jobs { polls, lists: true, polled: HashMap::new() };
        let server = ScriptServer::play(move |request, _| {
            if request.path.contains("/jobs?") {
                with_headers(status, headers, b"<html>")
            } else {
                jobs.answer(request)
            }
        })
        .await;
        let mut config = config(&server);
        config.outage = Duration::from_secs(30);
        let client = Client::new(config).unwrap();
        let ended = all(&many(&client, 2, None), (0..2).map(numbered)).await;
        assert_eq!((failures(ended).len(), server.starts()), (0, 2), "{status} {headers}");
        let (lists, alone) = (lists(&server), lone_polls(&server));
        assert!(alone >= 2 * polls && lists <= 8, "{status} {headers}: {lists} lists, {alone} lone polls");
    }
}

#[tokio::test]
async fn a_list_that_never_comes_keeps_no_run_from_its_end() {
    let mut jobs = Jobs { polls: 12, lists: true, polled: HashMap::new() };
    let server = ScriptServer::play(move |request, _| {
        if request.path.contains("/jobs?") { Reply::Stall(Vec::new()) } else { jobs.answer(request) }
    })
    .await;
    // Whoever waited for the list as for any other answer would not come to an end within the patience of a test.
    let config = ClientConfig {
        request_timeout: Duration::from_secs(600),
        list_timeout: Duration::from_millis(50),
        outage: Duration::from_secs(1200),
        ..config(&server)
    };
    let client = Client::new(config).unwrap();
    let ended = all(&many(&client, 3, None), (0..3).map(numbered)).await;
    assert_eq!((failures(ended).len(), server.starts()), (0, 3));
    assert!(lists(&server) >= 1);
}

#[tokio::test]
async fn a_wait_that_ends_while_a_list_is_on_its_way_asks_about_its_job_once_more() {
    let mut is_listed = false;
    let server = ScriptServer::play(move |request, _| {
        if request.path.contains("/jobs?") {
            is_listed = true;
            return Reply::Stall(Vec::new());
        }
        let (_, id) = request.path.split_once("/jobs/").unwrap();
        answer(200, &json!({"job_id": id, "status": if is_listed { "completed" } else { "running" }}).to_string())
    })
    .await;
    let client = Client::new(ClientConfig { list_timeout: Duration::from_secs(600), ..config(&server) }).unwrap();
    // One asks for the list, and the other waits for that.
    let waits = ["j1", "j2"].map(|id| {
        let (client, job) = (client.clone(), client.job(id, None).unwrap());
        async move { client.wait(&job, Some(Duration::from_secs(2)), &Progress::new()).await }
    });
    for waited in futures_util::future::join_all(waits).await {
        assert_eq!(waited.unwrap().status().as_str(), "completed");
    }
    assert_eq!(lists(&server), 1);
}

#[tokio::test]
async fn a_list_that_is_to_come_later_puts_off_no_other_request_and_is_not_asked_for_before() {
    let mut jobs = Jobs { polls: 12, lists: true, polled: HashMap::new() };
    let server = ScriptServer::play(move |request, _| {
        if request.path.contains("/jobs?") {
            with_headers(503, "retry-after: 100\r\n", b"{}")
        } else {
            jobs.answer(request)
        }
    })
    .await;
    let client = Client::new(ClientConfig { outage: Duration::from_secs(30), ..config(&server) }).unwrap();
    let ended = all(&many(&client, 3, None), (0..3).map(numbered)).await;
    assert_eq!((failures(ended).len(), server.starts()), (0, 3));
    assert_eq!(lists(&server), 1);
}

#[tokio::test]
async fn a_list_that_is_elsewhere_is_asked_for_once() {
    let mut jobs = Jobs { polls: 3, lists: true, polled: HashMap::new() };
    let server = ScriptServer::play(move |request, _| {
        if request.path.contains("/jobs?") {
            with_headers(302, "location: /login\r\n", b"")
        } else {
            jobs.answer(request)
        }
    })
    .await;
    let ended = all(&many(&client(&server), 5, None), (0..5).map(numbered)).await;
    assert_eq!((failures(ended).len(), lists(&server)), (0, 1));
}

#[tokio::test]
async fn a_list_that_is_refused_for_its_length_is_asked_for_shorter() {
    let mut jobs = Jobs { polls: 1, lists: true, polled: HashMap::new() };
    let server = ScriptServer::play(move |request, _| match request.path.split_once("limit=") {
        Some((_, limit)) if limit.parse::<u32>().unwrap() > 100 => answer(422, "{}"),
        _ => jobs.answer(request),
    })
    .await;
    let ended = all(&many(&client(&server), 60, None), (0..60).map(numbered)).await;
    assert_eq!(failures(ended).len(), 0);
    assert!(lists(&server) >= 2 && server.seen().iter().any(|request| request.path.ends_with("limit=100")));
}

#[tokio::test]
async fn a_job_that_lists_do_not_reach_is_asked_about_alone_and_the_others_together() {
    let mut jobs = Jobs { polls: 8, lists: true, polled: HashMap::new() };
    let server = ScriptServer::play(move |request, _| {
        if request.path.contains("/jobs?") {
            let newest: Vec<Value> = (1..10).map(|number| jobs.record(&format!("j{number}"))).collect();
            return answer(200, &json!({"jobs": newest}).to_string());
        }
        jobs.answer(request)
    })
    .await;
    let ended = all(&many(&client(&server), 10, None), (0..10).map(numbered)).await;
    assert_eq!((failures(ended).len(), server.starts()), (0, 10));
    let of_the_oldest = server.seen().iter().filter(|request| request.path.ends_with("/jobs/j0")).count();
    assert!(of_the_oldest >= 9 && lone_polls(&server) - of_the_oldest <= 9, "{of_the_oldest} of the oldest");
}
