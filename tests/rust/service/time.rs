//! Time: clocks, durations, expiry and the request limit.

use super::http::{get, manual, run, started, with};
use rowhaul::service::{ClockKind, ServiceConfig};
use serde_json::json;
use std::time::{Duration, Instant};

const EVENTS: &str = "events/events";

#[test]
fn times_are_iso_8601_and_follow_the_manual_clock() {
    let service = manual();
    let id = started(&service, EVENTS, &json!({"searchQueries": ["a"], "maxResults": 1}));
    let job = format!("/api/v1/jobs/{id}");
    let record = get(&service, &job).json();
    assert_eq!((&record["created_at"], &record["started_at"]), (&json!("2026-11-01T00:00:00Z"), &json!(null)));
    service.advance(Duration::from_secs(10));
    let record = get(&service, &job).json();
    assert_eq!(record["started_at"], "2026-11-01T00:00:02Z");
    assert_eq!(record["completed_at"], "2026-11-01T00:00:10Z");
    assert_eq!(record["expires_at"], "2026-11-08T00:00:10Z");
}

#[test]
fn every_answer_is_dated_by_the_services_clock() {
    let service = manual();
    assert_eq!(get(&service, "/api/v1/balance").header("date"), Some("Sun, 01 Nov 2026 00:00:00 GMT"));
    service.advance(Duration::from_secs(26 * 60 * 60 + 61));
    for path in ["/api/v1/balance", "/nowhere", "/healthz"] {
        assert_eq!(get(&service, path).header("date"), Some("Mon, 02 Nov 2026 02:01:01 GMT"), "{path}");
    }
}

#[test]
fn results_are_gone_seven_days_after_completion_and_the_job_is_still_known() {
    let service = manual();
    let id = started(&service, EVENTS, &json!({"searchQueries": ["a"], "maxResults": 1}));
    let results = format!("/api/v1/jobs/{id}/results");
    service.advance(Duration::from_secs(10 + 7 * 24 * 60 * 60 - 1));
    assert_eq!(get(&service, &results).status, 200);
    service.advance(Duration::from_secs(1));
    let gone = get(&service, &results);
    assert_eq!((gone.status, &gone.json()["error"]), (410, &json!("results_expired")));
    assert_eq!(get(&service, &format!("/api/v1/jobs/{id}")).json()["status"], "completed");
}

#[test]
fn durations_follow_from_the_seed_and_are_between_half_a_second_and_two() {
    let durations = |seed| {
        let service = with(ServiceConfig { seed, clock: ClockKind::Manual, ..ServiceConfig::default() });
        let ids: Vec<_> =
            (0..20).map(|_| started(&service, EVENTS, &json!({"searchQueries": ["a"], "maxResults": 1}))).collect();
        service.advance(Duration::from_millis(499));
        assert_eq!(get(&service, "/api/v1/jobs?status=completed").json()["jobs"], json!([]));
        service.advance(Duration::from_millis(1501));
        let completed = |id: &String| get(&service, &format!("/v1/jobs/{id}")).json()["completed_at"].clone();
        ids.iter().map(completed).collect::<Vec<_>>()
    };
    let one = durations(1);
    assert!(one.iter().all(serde_json::Value::is_string));
    assert_eq!(one, durations(1));
    assert_ne!(one, durations(2));
}

#[test]
fn a_run_on_an_instant_clock_is_completed_in_its_own_answer() {
    let service = super::http::instant();
    let answer = run(&service, EVENTS, &json!({"searchQueries": ["a"], "maxResults": 1}));
    assert_eq!(answer.json()["status"], "completed");
    assert_eq!(service.charges().len(), 1);
}

#[test]
fn a_real_clock_completes_jobs_by_itself_and_can_be_hurried() {
    let service = with(ServiceConfig { job_seconds: Some(3600.0), ..ServiceConfig::default() });
    let id = started(&service, EVENTS, &json!({"searchQueries": ["a"], "maxResults": 1}));
    let status = || get(&service, &format!("/v1/jobs/{id}")).json()["status"].as_str().unwrap().to_owned();
    assert_eq!(status(), "queued");
    service.advance(Duration::from_secs(3600));
    assert_eq!(status(), "completed");

    let quick = with(ServiceConfig { job_seconds: Some(0.01), ..ServiceConfig::default() });
    let id = started(&quick, EVENTS, &json!({"searchQueries": ["a"], "maxResults": 1}));
    let begun = Instant::now();
    while get(&quick, &format!("/v1/jobs/{id}")).json()["status"] != "completed" {
        assert!(begun.elapsed() < Duration::from_secs(30), "a job of 10 ms never completes");
    }
}

#[test]
fn the_request_beyond_the_limit_is_429_with_the_wait_in_header_and_body() {
    let service =
        with(ServiceConfig { clock: ClockKind::Manual, requests_per_minute: Some(3), ..ServiceConfig::default() });
    for _ in 0..3 {
        assert_eq!(get(&service, "/api/v1/balance").status, 200);
    }
    service.advance(Duration::from_millis(20_500));
    for path in ["/api/v1/balance", "/nowhere"] {
        let answer = get(&service, path);
        assert_eq!((answer.status, answer.header("retry-after")), (429, Some("40")));
        assert_eq!((&answer.json()["retry_after"], &answer.json()["error"]), (&json!(40), &json!("rate_limited")));
    }
    service.advance(Duration::from_secs(40));
    assert_eq!(get(&service, "/api/v1/balance").status, 200);
}
