//! Agents that a user brings, from Rust: sources, feeds, and the money of their rows.

use super::http::{get, instant, manual, run, started, with};
use rowhaul::service::{ClockKind, Feed, FeedError, LocalService, OwnAgent, RowsFile, ServiceConfig, Source, Takes};
use rust_decimal::Decimal;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Hands each feed over to the test.
#[derive(Debug)]
struct Hand(Sender<(Map<String, Value>, Feed)>);

impl Source for Hand {
    fn bring(&self, params: Map<String, Value>, feed: Feed) {
        let _ = self.0.send((params, feed));
    }
}

fn agent(name: &str, price: u32, source: Arc<dyn Source>) -> OwnAgent {
    OwnAgent {
        name: name.parse().unwrap(),
        title: "Own".to_owned(),
        description: String::new(),
        unit: "rows".to_owned(),
        price_per_1k_usd: Decimal::from(price),
        takes: Takes::Declared(RowsFile::parameters()),
        columns: Vec::new(),
        source,
    }
}

fn offered(service: &LocalService, price: u32) -> Receiver<(Map<String, Value>, Feed)> {
    let (sender, feeds) = channel();
    service.add_agent(agent("own/hand", price, Arc::new(Hand(sender)))).unwrap();
    feeds
}

fn next(feeds: &Receiver<(Map<String, Value>, Feed)>) -> Feed {
    feeds.recv_timeout(Duration::from_secs(30)).expect("a run that sets to work").1
}

fn job(service: &LocalService, id: &str) -> Value {
    get(service, &format!("/v1/jobs/{id}")).json()
}

#[test]
fn rows_come_out_as_they_came_in_and_a_job_is_completed_when_its_feed_is() {
    let service = instant();
    let feeds = offered(&service, 1000);
    let id = started(&service, "own/hand", &json!({}));
    assert_eq!(job(&service, &id)["status"], "running");
    let mut feed = next(&feeds);
    for row in [r#"{"a": 1e400}"#, r#" {"b":"é"} "#] {
        feed.row(row).unwrap();
    }
    assert_eq!(job(&service, &id)["row_count"], json!(null));
    feed.finish();
    let record = job(&service, &id);
    assert_eq!((&record["status"], &record["row_count"]), (&json!("completed"), &json!(2)));
    let text = get(&service, &format!("/v1/jobs/{id}/results")).text();
    assert_eq!(text, r#"{"status":"completed","row_count":2,"data":[{"a": 1e400},{"b":"é"}]}"#);
    assert_eq!(service.charges()[0].amount_usd, Decimal::TWO);
}

#[test]
fn a_feed_that_is_dropped_or_given_something_else_than_objects_lets_its_job_fail() {
    let service = instant();
    let feeds = offered(&service, 1);
    let id = started(&service, "own/hand", &json!({}));
    drop(next(&feeds));
    assert_eq!(job(&service, &id)["error"], "the agent ended without an answer");
    started(&service, "own/hand", &json!({}));
    let mut feed = next(&feeds);
    for wrong in ["", "[1]", "{", "{} {}", "null", r#"{"a":}"#] {
        assert!(matches!(feed.row(wrong), Err(FeedError::Refused(_))), "{wrong}");
    }
    assert_eq!(service.balance_usd(), Decimal::ONE_HUNDRED);
}

#[test]
fn a_cancelled_run_takes_no_more_rows_and_gives_back_what_its_rows_cost() {
    let service = instant();
    let feeds = offered(&service, 1000);
    let id = started(&service, "own/hand", &json!({}));
    let mut feed = next(&feeds);
    for _ in 0..60 {
        feed.row("{}").unwrap();
    }
    feed.flush().unwrap();
    assert_eq!(run(&service, "events/events", &json!({"searchQueries": ["a"], "maxResults": 4100})).status, 402);
    super::http::delete(&service, &format!("/v1/jobs/{id}"));
    assert_eq!(feed.row("{}"), Err(FeedError::Stopped));
    feed.finish();
    assert_eq!(job(&service, &id)["status"], "cancelled");
    assert_eq!(run(&service, "events/events", &json!({"searchQueries": ["a"], "maxResults": 10_000})).status, 202);
}

#[test]
fn sixty_four_agents_racing_on_one_balance_never_overdraw_it() {
    let service = with(ServiceConfig {
        balance_usd: Decimal::TEN,
        clock: ClockKind::Manual,
        job_seconds: Some(10.0),
        ..ServiceConfig::default()
    });
    let feeds = offered(&service, 100);
    let ids: Vec<_> = (0..64).map(|_| started(&service, "own/hand", &json!({}))).collect();
    std::thread::scope(|scope| {
        // Half of them at first, as many as work at once; the others follow as those end.
        for _ in 0..64 {
            let feed = next(&feeds);
            scope.spawn(move || feed_until_short(feed));
        }
    });
    service.advance(Duration::from_secs(10));
    let states: Vec<_> = ids.iter().map(|id| job(&service, id)["status"].clone()).collect();
    assert!(states.iter().all(|state| state == "completed" || state == "failed"));
    let charges = service.charges();
    let rows: u64 = charges.iter().map(|charge| charge.rows).sum();
    assert_eq!(charges.len(), states.iter().filter(|state| **state == "completed").count());
    assert_eq!(service.balance_usd(), Decimal::TEN - Decimal::from(rows) / Decimal::TEN);
    assert!(service.balance_usd() >= Decimal::ZERO);
}

fn feed_until_short(mut feed: Feed) {
    for _ in 0..7 {
        let taken = feed.row("{}").and_then(|()| feed.flush());
        if let Err(error) = taken {
            return feed.fail(&error.to_string());
        }
    }
    feed.finish();
}

#[test]
fn a_run_that_is_cancelled_while_it_waits_for_its_turn_is_never_begun() {
    let service = manual();
    let feeds = offered(&service, 1);
    let at_work: Vec<_> = (0..32).map(|_| started(&service, "own/hand", &json!({}))).collect();
    let feeds_at_work: Vec<_> = at_work.iter().map(|_| next(&feeds)).collect();
    for _ in 0..100 {
        let id = started(&service, "own/hand", &json!({"maxResults": 1}));
        super::http::delete(&service, &format!("/v1/jobs/{id}"));
    }
    let wanted = started(&service, "own/hand", &json!({"maxResults": 2}));
    feeds_at_work.into_iter().for_each(Feed::finish);
    let (params, feed) = feeds.recv_timeout(Duration::from_secs(30)).unwrap();
    assert_eq!(params["maxResults"], 2);
    feed.finish();
    service.advance(Duration::from_secs(10));
    assert_eq!(job(&service, &wanted)["status"], "completed");
}

#[test]
fn a_run_that_waits_for_its_turn_when_the_service_stops_is_never_begun() {
    let service = manual();
    let feeds = offered(&service, 1);
    (0..40).for_each(|_| drop(started(&service, "own/hand", &json!({}))));
    let at_work: Vec<_> = (0..32).map(|_| next(&feeds)).collect();
    service.stop();
    drop(at_work);
    drop(service);
    // Nobody is left who could set one to work: the agent is gone with the service.
    assert!(feeds.recv_timeout(Duration::from_secs(30)).is_err());
}

#[test]
fn csv_has_every_kept_row_and_each_number_with_its_digits() {
    let service = instant();
    let feeds = offered(&service, 1);
    let id = started(&service, "own/hand", &json!({}));
    let mut feed = next(&feeds);
    for row in [r#"{"a":1E+400}"#, r#"{"a":"\ud800"}"#, r#"{"a":1180591620717411303424,"b":null}"#, r#"{"b":[1.10]}"#] {
        feed.row(row).unwrap();
    }
    feed.finish();
    let text = get(&service, &format!("/v1/jobs/{id}/results?format=csv")).text();
    let rows = ["a,b", "1E+400,", r#""""\ud800""","#, "1180591620717411303424,", ",[1.10]", ""];
    assert_eq!(text, rows.join("\r\n"));
}

#[test]
fn what_is_free_here_is_brought_on_a_used_up_balance() {
    let service =
        with(ServiceConfig { balance_usd: Decimal::ZERO, clock: ClockKind::Instant, ..ServiceConfig::default() });
    let feeds = offered(&service, 0);
    let (sender, forwarded) = channel();
    let forwards = OwnAgent { takes: Takes::Anything, ..agent("own/forwards", 9, Arc::new(Hand(sender))) };
    service.add_agent(forwards).unwrap();
    for (name, feeds) in [("own/hand", feeds), ("own/forwards", forwarded)] {
        let id = started(&service, name, &json!({}));
        let mut feed = next(&feeds);
        feed.row("{}").unwrap();
        feed.finish();
        assert_eq!(job(&service, &id)["row_count"], 1, "{name}");
    }
    assert!(service.charges().iter().all(|charge| charge.amount_usd.is_zero()));
    assert_eq!(run(&service, "events/events", &json!({"searchQueries": ["a"], "maxResults": 1})).status, 402);
}

#[test]
fn a_stopped_service_stops_its_agents() {
    let service = instant();
    let feeds = offered(&service, 1);
    started(&service, "own/hand", &json!({}));
    let mut feed = next(&feeds);
    let begun = Instant::now();
    service.stop();
    // Two seconds, but for a machine that is busy.
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert!(feed.is_stopped());
    assert_eq!(feed.row("{}"), Err(FeedError::Stopped));
}

#[test]
fn an_agent_gets_its_parameters_and_refuses_others() {
    let service = instant();
    let feeds = offered(&service, 1);
    started(&service, "own/hand", &json!({"maxResults": 3}));
    assert_eq!(Value::Object(feeds.recv().unwrap().0), json!({"maxResults": 3}));
    let refused = run(&service, "own/hand", &json!({"maxResult": 3}));
    assert_eq!((refused.status, &refused.json()["details"]["field"]), (422, &json!("maxResult")));
    let refused = run(&service, "own/hand", &json!({"maxResults": "3"}));
    assert_eq!(refused.json()["details"]["reason"], "must be an integer, not a string");
}
