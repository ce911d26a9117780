//! What the service does beyond the contract, switched off one by one.

use super::http::{delete, get, post, run, with};
use rowhaul::service::{ClockKind, Extra, Extras, LocalService, ServiceConfig};
use serde_json::{Value, json};
use std::time::Duration;

fn params() -> Value {
    json!({"searchQueries": ["jazz"], "maxResults": 2})
}

fn bare() -> LocalService {
    without(&Extra::ALL)
}

/// A service with a manual clock that lacks these extras.
fn without(absent: &[Extra]) -> LocalService {
    let extras = Extra::ALL.into_iter().filter(|extra| !absent.contains(extra)).fold(Extras::NONE, Extras::with);
    with(ServiceConfig {
        clock: ClockKind::Manual,
        job_seconds: Some(10.0),
        requests_per_minute: Some(100),
        extras,
        ..ServiceConfig::default()
    })
}

#[test]
fn the_bare_contract_answers_what_the_specification_shows_and_nothing_else() {
    let service = bare();
    let start = run(&service, "events/events", &params());
    assert_eq!((start.status, start.header("location")), (202, None));
    let started = start.json();
    assert_eq!(started.as_object().unwrap().keys().collect::<Vec<_>>(), ["job_id"]);
    let job = format!("/api/v1/jobs/{}", started["job_id"].as_str().unwrap());
    assert_eq!(get(&service, &job).json(), json!({"status": "queued"}));
    assert_eq!(
        get(&service, &format!("{job}/results")).json(),
        json!({"status": "queued", "row_count": 0, "data": []})
    );
    service.advance(Duration::from_secs(10));
    assert_eq!(get(&service, &job).json(), json!({"status": "completed"}));
    assert_eq!(get(&service, &format!("{job}/results")).json()["row_count"], 2);
    service.advance(Duration::from_secs(30 * 24 * 60 * 60));
    assert_eq!(get(&service, &format!("{job}/results?format=csv")).header("content-type"), Some("application/json"));
    assert_eq!((delete(&service, &job).status, get(&service, "/api/v1/jobs").status), (405, 404));
    assert_eq!((get(&service, "/api/v1/agents/all").status, get(&service, "/v1/jobs").status), (404, 404));
    assert_eq!(get(&service, "/api/v1/agents").json()["groups"], json!(["video", "retail", "events"]));
    assert_eq!(get(&service, "/api/v1/agents/events/events").json()["unit"], "events");
    let refused = run(&service, "events/events", &json!({}));
    assert_eq!(refused.status, 422);
    assert_eq!(refused.json().as_object().unwrap().keys().collect::<Vec<_>>(), ["detail"]);
    assert!((0..200).all(|_| get(&service, "/api/v1/balance").status == 200));
}

#[test]
fn each_extra_is_there_or_not_whatever_the_others_are() {
    // What shows that an extra is there, asked of a service that has all but that one, and of one that has all.
    type Shows = fn(&LocalService, &str) -> bool;
    let shown: [(Extra, Shows); 10] = [
        (Extra::JobRecord, |service, job| get(service, job).json().get("created_at").is_some()),
        (Extra::NotReady, |service, job| get(service, &format!("{job}/results")).status == 404),
        (Extra::Cancel, |service, job| delete(service, job).status == 200),
        (Extra::JobList, |service, _| get(service, "/api/v1/jobs").status == 200),
        (Extra::AgentLists, |service, _| get(service, "/api/v1/agents/retail").status == 200),
        (Extra::ErrorCodes, |service, _| get(service, "/nowhere").json().get("error").is_some()),
        (Extra::DataPaths, |service, _| {
            let params = json!({"params": {"searchQueries": "jazz", "maxResults": 1}});
            post(service, "/v1/data/events/events/run", &params).status == 202
        }),
        (Extra::Csv, |service, job| {
            service.advance(Duration::from_secs(10));
            get(service, &format!("{job}/results?format=csv")).header("content-type") != Some("application/json")
        }),
        (Extra::Expiry, |service, job| {
            service.advance(Duration::from_secs(8 * 24 * 60 * 60));
            get(service, &format!("{job}/results")).status == 410
        }),
        (Extra::RateLimit, |service, _| (0..101).any(|_| get(service, "/api/v1/balance").status == 429)),
    ];
    for (extra, is_shown) in shown {
        for absent in [&[][..], &[extra]] {
            let service = without(absent);
            let started = run(&service, "events/events", &params()).json();
            let job = format!("/api/v1/jobs/{}", started["job_id"].as_str().unwrap());
            assert_eq!(is_shown(&service, &job), absent.is_empty(), "{}", extra.name());
        }
    }
}

#[test]
fn a_cap_on_rows_refuses_limits_beyond_it_by_name() {
    let service = with(ServiceConfig { row_cap: Some(50), ..ServiceConfig::default() });
    assert_eq!(run(&service, "events/events", &json!({"searchQueries": ["a"], "maxResults": 50})).status, 202);
    let refused = run(&service, "events/events", &json!({"searchQueries": ["a"], "maxResults": 51}));
    assert_eq!((refused.status, &refused.json()["details"]["field"]), (422, &json!("maxResults")));
}
