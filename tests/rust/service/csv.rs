//! Results as CSV, read back by another crate.

use super::http::{Answer, get, instant, send, started};
use rowhaul::service::LocalService;
use serde_json::{Value, json};

fn results(service: &LocalService, id: &str, query: &str, accept: &str) -> Answer {
    send(service, "GET", &format!("/api/v1/jobs/{id}/results{query}"), &[("Accept", accept)], b"")
}

#[test]
fn csv_read_back_is_the_json_rows_cell_by_cell() {
    let service = instant();
    let runs = [
        ("events/events", json!({"searchQueries": ["jazz berlin", "a,\"b\"\nc"], "maxResults": 150})),
        (
            "retail/product-scraper",
            json!({"categoryOrProductUrls": [{"url": "https://s.example/c"}], "maxItemsPerStartUrl": 80}),
        ),
        (
            "video/video-scraper",
            json!({"searchQueries": ["x"], "maxResults": 50, "maxResultsShorts": 0, "maxResultStreams": 0}),
        ),
    ];
    for (agent, params) in runs {
        let id = started(&service, agent, &params);
        let rows = results(&service, &id, "", "*/*").json()["data"].as_array().unwrap().clone();
        let answer = results(&service, &id, "?format=csv", "*/*");
        assert_eq!(answer.header("content-type"), Some("text/csv; charset=utf-8; header=present"));
        let mut reader = csv::Reader::from_reader(answer.body.as_slice());
        let header = reader.headers().unwrap().clone();
        assert!(header.iter().eq(rows[0].as_object().unwrap().keys()));
        let records: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert_eq!(records.len(), rows.len());
        for (record, row) in records.iter().zip(&rows) {
            for (cell, value) in record.iter().zip(row.as_object().unwrap().values()) {
                let text = match value {
                    Value::Null => String::new(),
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                assert_eq!(cell, text);
            }
        }
        assert!(answer.text().contains("\r\n"));
    }
}

#[test]
fn csv_is_asked_for_by_query_or_by_accept_and_json_is_the_default() {
    let service = instant();
    let id = started(&service, "events/events", &json!({"searchQueries": ["a"], "maxResults": 1}));
    let is_csv = |query: &str, accept: &str| {
        results(&service, &id, query, accept).header("content-type").unwrap().starts_with("text/csv")
    };
    assert!(is_csv("", "text/csv"));
    assert!(is_csv("", "application/json;q=0.5, text/csv"));
    assert!(is_csv("?format=csv", "application/json"));
    assert!(!is_csv("?format=json", "text/csv"));
    assert!(!is_csv("", "*/*"));
    assert!(!is_csv("", "application/json, text/csv"));
    assert!(!is_csv("", "text/csv;q=0"));
    assert_eq!(get(&service, &format!("/v1/jobs/{id}/results?format=xml")).status, 422);
}

#[test]
fn a_run_without_rows_still_has_its_header_line() {
    let service = instant();
    let id = started(&service, "events/events", &json!({"searchQueries": ["nothing"]}));
    let text = results(&service, &id, "?format=csv", "*/*").text();
    assert_eq!(text.lines().count(), 1);
    assert!(text.starts_with("eventName,eventUrl,eventId,") && text.ends_with(",input\r\n"));
}
