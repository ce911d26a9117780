//! Many runs at once: under one cap, with few polls, and each failing for itself.

use std::collections::HashMap;

use rowhaul::client::{Done, ErrorKind, Left, Many, Outcome};
use rust_decimal::Decimal;

use super::*;

fn usd(text: &str) -> Decimal {
    text.parse().unwrap()
}

/// A request of three rows, three cents.
pub(super) fn numbered(number: usize) -> Request {
    of("events/events", &json!({"searchQueries": [format!("q{number}")], "maxResults": 3}))
}

/// Runs them all, taking each as there is room, and gives what they came to.
pub(super) async fn all(many: &Many, requests: impl IntoIterator<Item = Request>) -> Vec<Done> {
    let mut requests = (0..).zip(requests);
    let mut ended = Vec::new();
    loop {
        for (number, request) in requests.by_ref().take(many.room()) {
            many.add(number, request);
        }
        match many.next().await {
            Some(done) => ended.push(done),
            None => return ended,
        }
    }
}

pub(super) fn many(client: &Client, concurrency: usize, cap: Option<&str>) -> Many {
    client.many(concurrency, cap.map(usd), RunOptions::default()).unwrap()
}

pub(super) fn failures(ended: Vec<Done>) -> Vec<Error> {
    ended.into_iter().filter_map(|done| done.result.err()).map(scanned).collect()
}

/// A service that numbers its jobs and has each running until it was told of so many times.
pub(super) struct Jobs {
    pub(super) polls: usize,
    /// Whether it has a list of jobs.
    pub(super) lists: bool,
    pub(super) polled: HashMap<String, usize>,
}

impl Jobs {
    pub(super) async fn play(polls: usize, lists: bool) -> ScriptServer {
        let mut jobs = Self { polls, lists, polled: HashMap::new() };
        ScriptServer::play(move |request, _| jobs.answer(request)).await
    }

    pub(super) fn answer(&mut self, request: &Seen) -> Reply {
        if request.is_start() {
            let id = format!("j{}", self.polled.len());
            self.polled.insert(id.clone(), 0);
            return answer(202, &json!({"job_id": id, "status": "queued"}).to_string());
        }
        if request.path.contains("/jobs?") {
            if !self.lists {
                return answer(404, "{}");
            }
            let ids: Vec<String> = self.polled.keys().cloned().collect();
            let jobs: Vec<Value> = ids.iter().map(|id| self.record(id)).collect();
            return answer(200, &json!({"jobs": jobs}).to_string());
        }
        match request.path.split_once("/jobs/") {
            Some((_, id)) if !request.is_results() => answer(200, &self.record(id).to_string()),
            _ => well(request),
        }
    }

    pub(super) fn record(&mut self, id: &str) -> Value {
        let polled = self.polled.get_mut(id).unwrap();
        *polled += 1;
        json!({"job_id": id, "status": if *polled > self.polls { "completed" } else { "running" }, "row_count": 3})
    }
}

pub(super) fn lists(server: &ScriptServer) -> usize {
    server.seen().iter().filter(|request| request.path.contains("/jobs?")).count()
}

pub(super) fn lone_polls(server: &ScriptServer) -> usize {
    let is_poll = |request: &Seen| request.method == "GET" && request.path.contains("/jobs/") && !request.is_results();
    server.seen().iter().filter(|request| is_poll(request)).count()
}

#[tokio::test]
async fn every_request_is_run_once_and_comes_back_with_its_number() {
    let server = Jobs::play(0, true).await;
    let ended = all(&many(&client(&server), 5, None), (0..40).map(numbered)).await;
    let mut numbers: Vec<u64> = ended.iter().map(|done| done.number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..40).collect::<Vec<_>>());
    assert!(ended.iter().all(|done| done.result.as_ref().is_ok_and(|rows| rows.len() == 3)));
    assert_eq!((server.starts(), ended[0].cost_usd()), (40, Some(usd("0.03"))));
}

#[tokio::test]
async fn no_more_are_under_way_than_were_asked_for() {
    let (mut open, most) = (0_i32, std::sync::Arc::new(std::sync::atomic::AtomicI32::new(0)));
    let seen = std::sync::Arc::clone(&most);
    let server = ScriptServer::play(move |request, _| {
        if request.is_start() {
            open += 1;
            seen.fetch_max(open, std::sync::atomic::Ordering::Relaxed);
        } else if request.is_results() {
            open -= 1;
        }
        well(request)
    })
    .await;
    all(&many(&client(&server), 4, None), (0..30).map(numbered)).await;
    assert!(most.load(std::sync::atomic::Ordering::Relaxed) <= 4);
}

#[tokio::test]
async fn runs_that_fit_one_after_the_other_wait_for_their_turn_under_the_cap() {
    let server = Jobs::play(1, true).await;
    // The worst case of each is three cents and every one costs that: ten fit, and no more than two at a time.
    let ended = all(&many(&client(&server), 8, Some("0.30")), (0..10).map(numbered)).await;
    assert!(ended.iter().all(|done| done.result.is_ok()));
    assert_eq!(server.starts(), 10);
}

#[tokio::test]
async fn a_shared_cap_never_starts_more_than_it_allows() {
    let server = Jobs::play(1, true).await;
    let ended = all(&many(&client(&server), 64, Some("0.31")), (0..64).map(numbered)).await;
    let refused = failures(ended);
    assert_eq!((server.starts(), refused.len()), (10, 54));
    for error in refused {
        assert!(matches!(error.kind(), ErrorKind::BudgetExceeded) && error.outcome() == Outcome::NotSent, "{error:?}");
        assert!(error.hint().is_some() && error.message().contains("0.01 USD"), "{error:?}");
    }
}

#[tokio::test]
async fn what_runs_did_not_cost_lets_others_start() {
    // Each may cost ten cents and brings one row of a cent.
    let server = ScriptServer::play(|request, _| match (request.is_start(), request.is_results()) {
        (false, true) => results(1),
        _ => well(request),
    })
    .await;
    let request = || of("events/events", &json!({"searchQueries": ["jazz"], "maxResults": 10}));
    let ended = all(&many(&client(&server), 16, Some("0.20")), (0..11).map(|_| request())).await;
    assert_eq!((failures(ended).len(), server.starts()), (0, 11));
}

#[tokio::test]
async fn one_that_can_never_fit_fails_and_the_others_go_on() {
    let server = Jobs::play(0, true).await;
    let large = of("events/events", &json!({"searchQueries": ["jazz"], "maxResults": 1000}));
    let open = of("events/events", &json!({"searchQueries": ["jazz"]}));
    let requests = [numbered(0), large, open, numbered(1)];
    let refused = failures(all(&many(&client(&server), 4, Some("1")), requests).await);
    assert_eq!((refused.len(), server.starts()), (2, 2));
    assert!(refused.iter().all(|error| matches!(error.kind(), ErrorKind::BudgetExceeded)));
    assert!(refused.iter().any(|error| error.hint().unwrap().contains("`maxResults`")));
}

#[tokio::test]
async fn the_cap_of_the_client_holds_for_everything_it_starts() {
    let server = Jobs::play(0, true).await;
    let mut config = config(&server);
    config.max_cost_usd = Some(usd("0.10"));
    let client = Client::new(config).unwrap();
    run(&client).await.unwrap();
    let refused = failures(all(&many(&client, 4, Some("5")), (0..4).map(numbered)).await);
    assert_eq!((refused.len(), server.starts()), (2, 3));
    assert!(matches!(start(&client).await.unwrap_err().kind(), ErrorKind::BudgetExceeded));
}

#[tokio::test]
async fn a_refused_start_gives_its_share_back_and_an_uncertain_one_keeps_it() {
    for (reply, starts_after) in [(answer(402, "{}"), 1), (answer(500, ""), 0), (Reply::Close(Vec::new()), 0)] {
        let server = ScriptServer::play(move |request, _| {
            let is_first = request.is_start() && String::from_utf8_lossy(&request.body).contains("q0");
            if is_first { reply.clone() } else { well(request) }
        })
        .await;
        let mut config = config(&server);
        config.max_cost_usd = Some(usd("0.03"));
        let client = Client::new(config).unwrap();
        let (options, progress) = (RunOptions::default(), Progress::new());
        client.run(&numbered(0), &options, &progress).await.unwrap_err();
        let again = client.run(&numbered(1), &options, &Progress::new()).await.map_err(scanned);
        assert_eq!((server.starts(), usize::from(again.is_ok())), (1 + starts_after, starts_after), "{again:?}");
    }
}

#[tokio::test]
async fn a_failed_job_costs_nothing_and_its_share_is_free_again() {
    for word in ["failed", "cancelled"] {
        let server = ScriptServer::play(move |request, _| {
            let is_poll = !request.is_start() && request.path.contains("/jobs/");
            if is_poll { status(word) } else { well(request) }
        })
        .await;
        let ended = all(&many(&client(&server), 1, Some("0.03")), (0..3).map(numbered)).await;
        assert!(ended.iter().all(|done| done.cost_usd() == Some(Decimal::ZERO)));
        assert!(failures(ended).iter().all(|error| matches!(error.kind(), ErrorKind::JobFailed)));
        assert_eq!(server.starts(), 3);
    }
}

#[tokio::test]
async fn a_failed_job_that_says_what_it_used_is_paid_for() {
    for (used, cost, starts) in [(r#""row_count": 3"#, Some("0.03"), 1), (r#""credits_used": 3"#, None, 1)] {
        let record = format!(r#"{{"status": "failed", {used}}}"#);
        let server = ScriptServer::play(move |request, _| {
            let is_poll = !request.is_start() && request.path.contains("/jobs/");
            if is_poll { answer(200, &record) } else { well(request) }
        })
        .await;
        let mut ended = all(&many(&client(&server), 1, Some("0.03")), (0..2).map(numbered)).await;
        ended.sort_by_key(|done| done.number);
        assert_eq!((ended[0].cost_usd(), server.starts()), (cost.map(usd), starts), "{used}");
        assert_eq!(ended[0].job.as_ref().unwrap().status().as_str(), "failed");
    }
}

#[tokio::test]
async fn a_started_job_gives_back_what_it_did_not_cost_when_its_end_is_heard_of() {
    let server = ScriptServer::play(|request, _| {
        let is_poll = !request.is_start() && request.path.contains("/jobs/");
        if is_poll { answer(200, r#"{"status": "completed", "row_count": 1}"#) } else { well(request) }
    })
    .await;
    let mut config = config(&server);
    config.max_cost_usd = Some(usd("0.04"));
    let client = Client::new(config).unwrap();
    let job = start(&client).await.unwrap();
    let refused = start(&client).await.unwrap_err();
    assert!(refused.hint().unwrap().contains("job.wait()"), "{refused}");
    refresh(&client, &job).await.unwrap();
    start(&client).await.unwrap();
    assert_eq!(server.starts(), 2);
}

#[tokio::test]
async fn many_runs_of_one_agent_need_one_quote() {
    let server = Jobs::play(0, true).await;
    all(&many(&client(&server), 8, Some("5")), (0..20).map(numbered)).await;
    let quotes =
        server.seen().iter().filter(|request| !request.is_start() && request.path.contains("/agents/")).count();
    assert_eq!(quotes, 1);
}

#[tokio::test]
async fn an_error_that_concerns_all_stops_what_was_not_started() {
    let server = ScriptServer::play(|_, _| answer(401, "{}")).await;
    let ended = all(&many(&client(&server), 2, None), (0..50).map(numbered)).await;
    assert_eq!(ended.len(), 50);
    let errors = failures(ended);
    assert!(errors.iter().all(|error| error.status_code() == Some(401)));
    assert!(errors.last().unwrap().message().starts_with("not started"), "{:?}", errors.last());
    assert!(server.starts() <= 4, "{}", server.starts());
}

#[tokio::test]
async fn under_a_limit_many_runs_need_two_requests_each_and_few_polls() {
    let server = Jobs::play(1, true).await;
    let mut config = config(&server);
    config.requests_per_minute = Some(6000.0);
    let client = Client::new(config).unwrap();
    let ended = all(&many(&client, 20, None), (0..100).map(numbered)).await;
    assert_eq!((failures(ended).len(), server.starts()), (0, 100));
    let polls = lists(&server) + lone_polls(&server);
    assert!(polls <= 50, "{polls} polls for 100 runs");
}

#[tokio::test]
async fn runs_that_are_given_up_name_their_jobs_and_start_nothing_more() {
    let server = Jobs::play(usize::MAX, true).await;
    let many = many(&client(&server), 3, None);
    (0..).zip((0..3).map(numbered)).for_each(|(number, request)| many.add(number, request));
    while lists(&server) == 0 {
        tokio::task::yield_now().await;
    }
    let Left { mut jobs, starting, .. } = many.stop();
    jobs.sort_by(|one, other| one.as_str().cmp(other.as_str()));
    let ids: Vec<&str> = jobs.iter().map(rowhaul::wire::JobId::as_str).collect();
    assert_eq!((ids, starting, server.starts()), (vec!["j0", "j1", "j2"], 0, 3));
    assert!(!matches!(many.next().await, Some(Done { result: Ok(_), .. })));
}

#[tokio::test]
async fn runs_that_ended_and_were_not_taken_are_named_and_count_as_unfetched() {
    let server = Jobs::play(0, true).await;
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(&server);
    config.ledger = rowhaul::ledger::Place::At(folder.path().join("ledger.sqlite"));
    let client = Client::new(config).unwrap();
    let many = many(&client, 2, None);
    (0..).zip((0..2).map(numbered)).for_each(|(number, request)| many.add(number, request));
    let first = many.next().await.unwrap();
    client.delivered(first.job.as_ref().unwrap()).await;
    // The other has ended when its rows are in the ledger and nothing is asked any more.
    let mut left = None;
    while left.is_none() {
        tokio::task::yield_now().await;
        left = server.seen().iter().filter(|request| request.is_results()).nth(1).map(|_| many.stop());
    }
    let left = left.unwrap();
    assert_eq!(left.untaken.len() + left.jobs.len(), 1, "{left:?}");
    let fetched = client.jobs(rowhaul::ledger::Which::All, None).await.unwrap();
    assert_eq!(fetched.iter().filter(|entry| entry.fetched_at.is_some()).count(), 1);
}
