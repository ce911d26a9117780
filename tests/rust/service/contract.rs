//! The endpoints of the specification, one after the other, in both path forms.

use super::http::{get, instant, manual, post, run, send};
use serde_json::json;
use std::time::Duration;

#[test]
fn a_run_is_polled_until_it_is_completed_and_then_gives_its_rows() {
    let service = manual();
    let params = json!({"searchQueries": ["jazz berlin"], "maxResults": 3});
    let forms = [
        ("/api/v1/agents/events/events/run", "/api/v1/jobs", params.clone()),
        ("/v1/data/events/events/run", "/v1/jobs", json!({"searchQueries": "jazz berlin", "maxResults": 3})),
    ];
    for (path, jobs, params) in forms {
        let start = post(&service, path, &json!({ "params": params }));
        assert_eq!(start.status, 202);
        let body = start.json();
        assert_eq!((&body["status"], &body["agent"]), (&json!("queued"), &json!("events/events")));
        let job = format!("{jobs}/{}", body["job_id"].as_str().unwrap());
        assert_eq!(start.header("location"), Some(job.as_str()));

        let early = get(&service, &format!("{job}/results"));
        assert_eq!((early.status, &early.json()["error"]), (404, &json!("results_not_ready")));
        service.advance(Duration::from_secs(5));
        let record = get(&service, &job).json();
        assert_eq!((&record["status"], &record["row_count"]), (&json!("running"), &json!(null)));
        service.advance(Duration::from_secs(5));
        let record = get(&service, &job).json();
        assert_eq!((&record["status"], &record["row_count"]), (&json!("completed"), &json!(3)));
        assert_eq!((&record["id"], &record["credits_used"]), (&record["job_id"], &json!(3)));

        let results = get(&service, &format!("{job}/results"));
        assert_eq!(results.header("content-type"), Some("application/json"));
        let results = results.json();
        assert_eq!(results.as_object().unwrap().keys().collect::<Vec<_>>(), ["status", "row_count", "data"]);
        assert_eq!(results["data"].as_array().unwrap().len(), 3);
    }
}

#[test]
fn both_forms_bring_the_same_rows() {
    let service = instant();
    let results = |path: &str, queries: serde_json::Value| {
        let body = json!({"params": {"searchQueries": queries, "maxResults": 5}});
        let id = post(&service, path, &body).json()["job_id"].as_str().unwrap().to_owned();
        get(&service, &format!("/v1/jobs/{id}/results")).json()["data"].clone()
    };
    let one = results("/api/v1/agents/events/events/run", json!(["wine tasting"]));
    assert_eq!(one, results("/v1/data/events/events/run", json!("wine tasting")));
}

#[test]
fn groups_agents_and_their_details_are_those_of_the_catalogue() {
    let service = instant();
    assert_eq!(get(&service, "/api/v1/agents").json(), json!({"groups": ["video", "retail", "events"]}));
    let all = get(&service, "/api/v1/agents/all").json();
    assert_eq!(all["agents"].as_array().unwrap().len(), 9);
    assert_eq!(get(&service, "/api/v1/agents/retail").json()["agents"].as_array().unwrap().len(), 4);
    assert_eq!(get(&service, "/api/v1/agents/nobody").status, 404);
    for agent in rowhaul::catalogue::agents() {
        let details = get(&service, &format!("/api/v1/agents/{}/{}", agent.group, agent.slug)).json();
        let parameters = details["parameters"].as_object().unwrap();
        let names: Vec<_> = agent.parameters.iter().map(|parameter| &parameter.name).collect();
        assert_eq!(parameters.keys().collect::<Vec<_>>(), names);
        assert!(
            parameters.values().all(|parameter| parameter["type"].is_string() && parameter["required"].is_boolean())
        );
        assert!(details["price_per_1k_usd"].is_number() && details["unit"].is_string());
    }
    let events = get(&service, "/api/v1/agents/events/events").json();
    assert_eq!(events["price_per_1k_usd"], 10);
}

#[test]
fn jobs_are_listed_newest_first_by_state_and_up_to_a_limit() {
    let service = manual();
    for _ in 0..3 {
        run(&service, "events/events", &json!({"searchQueries": ["a"], "maxResults": 1}));
        service.advance(Duration::from_secs(6));
    }
    let ids: Vec<String> = service.starts().into_iter().rev().map(|start| start.job_id).collect();
    let listed = |query: &str| {
        let jobs = get(&service, &format!("/api/v1/jobs{query}")).json()["jobs"].clone();
        jobs.as_array().unwrap().iter().map(|job| job["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed(""), ids);
    assert_eq!(listed("?limit=2"), ids[..2]);
    assert_eq!(listed("?status=completed"), ids[1..]);
    assert_eq!(listed("?status=running&limit=5"), ids[..1]);
    assert!(listed("?status=failed").is_empty());
    for wrong in ["?limit=0", "?limit=-1", "?limit=x", "?limit=1001", "?status=done"] {
        assert_eq!(get(&service, &format!("/v1/jobs{wrong}")).status, 422, "{wrong}");
    }
}

#[test]
fn unknown_paths_are_404_and_wrong_methods_405_with_what_is_allowed() {
    let service = instant();
    let answer = get(&service, "/api/v2/balance");
    assert_eq!((answer.status, &answer.json()["error"]), (404, &json!("not_found")));
    let cases = [
        ("PUT", "/api/v1/jobs/x", "GET,HEAD,DELETE"),
        ("POST", "/api/v1/balance", "GET,HEAD"),
        ("GET", "/api/v1/agents/events/events/run", "POST"),
        ("OPTIONS", "/v1/jobs", "GET,HEAD"),
    ];
    for (method, path, allowed) in cases {
        let answer = send(&service, method, path, &[], b"");
        assert_eq!((answer.status, answer.header("allow")), (405, Some(allowed)), "{method} {path}");
        assert_eq!(answer.json()["error"], "method_not_allowed");
    }
    let head = send(&service, "HEAD", "/api/v1/balance", &[], b"");
    assert_eq!((head.status, head.body.len()), (200, 0));
}
