//! Money: exact, reserved before it is spent, never below zero, and conserved.

use super::http::{Answer, delete, get, manual, run, started, with};
use rowhaul::service::{ClockKind, LocalService, ServiceConfig};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use std::time::Duration;

fn usd(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn events(rows: u64) -> Value {
    json!({"searchQueries": ["a"], "maxResults": rows})
}

fn shown_balance(service: &LocalService) -> Decimal {
    let text = get(service, "/api/v1/balance").text();
    usd(text.trim_start_matches("{\"usd_remaining\":").trim_end_matches('}'))
}

#[test]
fn events_cost_a_cent_and_other_rows_what_their_details_say() {
    let service = manual();
    started(&service, "events/events", &events(7));
    started(&service, "retail/pincode-scraper", &json!({"products": ["B0ABCDEFGH"], "pincodes": ["110001", "110002"]}));
    assert_eq!(shown_balance(&service), usd("100"));
    assert_eq!(service.charges(), []);
    service.advance(Duration::from_secs(10));
    assert_eq!(shown_balance(&service), usd("99.926"));
    assert_eq!(service.balance_usd(), usd("99.926"));
    let charges: Vec<_> =
        service.charges().into_iter().map(|charge| (charge.agent, charge.rows, charge.amount_usd)).collect();
    let expected = [("events/events", 7, usd("0.07")), ("retail/pincode-scraper", 2, usd("0.004"))];
    assert_eq!(charges, expected.map(|(agent, rows, amount)| (agent.to_owned(), rows, amount)));
}

#[test]
fn a_run_the_account_cannot_pay_for_is_402_with_what_is_needed_and_there() {
    let config = ServiceConfig { balance_usd: usd("0.05"), clock: ClockKind::Instant, ..ServiceConfig::default() };
    let service = with(config);
    let answer: Answer = run(&service, "events/events", &events(6));
    assert_eq!(answer.status, 402);
    let body = answer.json();
    assert_eq!((&body["error"], &body["credits_required"]), (&json!("insufficient_credits"), &json!(6)));
    assert_eq!((&body["credits_available"], &body["usd_required"]), (&json!(5), &json!(0.06)));
    assert_eq!(body["usd_available"], 0.05);
    assert_eq!(run(&service, "events/events", &events(5)).status, 202);
    assert_eq!(shown_balance(&service), Decimal::ZERO);
    assert_eq!(run(&service, "events/events", &json!({"searchQueries": ["nothing"]})).status, 402);
    assert_eq!(run(&service, "events/events", &events(i64::MAX as u64)).status, 402);
}

#[test]
fn a_cancelled_job_costs_nothing_and_gives_back_what_was_set_aside() {
    let service = with(ServiceConfig {
        balance_usd: usd("0.05"),
        clock: ClockKind::Manual,
        job_seconds: Some(10.0),
        ..ServiceConfig::default()
    });
    let id = started(&service, "events/events", &events(5));
    assert_eq!(run(&service, "events/events", &events(1)).status, 402);
    service.advance(Duration::from_secs(4));
    let job = format!("/api/v1/jobs/{id}");
    for _ in 0..2 {
        let record = delete(&service, &job);
        assert_eq!((record.status, &record.json()["status"]), (200, &json!("cancelled")));
    }
    service.advance(Duration::from_secs(60));
    let record = get(&service, &job).json();
    assert_eq!((&record["status"], &record["row_count"]), (&json!("cancelled"), &json!(null)));
    assert_eq!(get(&service, &format!("{job}/results")).json()["error"], "job_cancelled");
    assert_eq!((service.charges().len(), shown_balance(&service)), (0, usd("0.05")));

    let id = started(&service, "events/events", &events(5));
    service.advance(Duration::from_secs(10));
    let late = delete(&service, &format!("/v1/jobs/{id}"));
    assert_eq!((late.status, &late.json()["error"]), (409, &json!("job_completed")));
    assert_eq!(shown_balance(&service), Decimal::ZERO);
}

#[test]
fn sixty_four_runs_racing_on_one_balance_never_overdraw_it_and_every_cent_is_accounted_for() {
    let service = with(ServiceConfig {
        balance_usd: usd("1.005"),
        clock: ClockKind::Manual,
        job_seconds: Some(5.0),
        ..ServiceConfig::default()
    });
    let statuses: Vec<(u64, u16, String)> = std::thread::scope(|scope| {
        let start = |number: u64| {
            let service = &service;
            scope.spawn(move || {
                let answer = run(service, "events/events", &events(number % 7 + 1));
                let id = answer.json()["job_id"].as_str().unwrap_or_default().to_owned();
                if number.is_multiple_of(5) && answer.status == 202 {
                    delete(service, &format!("/api/v1/jobs/{id}"));
                }
                (number % 7 + 1, answer.status, id)
            })
        };
        let threads: Vec<_> = (0..64).map(start).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(statuses.iter().any(|(_, status, _)| *status == 402));
    service.advance(Duration::from_secs(5));
    let charges = service.charges();
    let spent: Decimal = charges.iter().map(|charge| charge.amount_usd).sum();
    let rows: u64 = charges.iter().map(|charge| charge.rows).sum();
    assert_eq!(spent, Decimal::from(rows) * usd("0.01"));
    assert_eq!(usd("1.005") - spent, service.balance_usd());
    assert!(service.balance_usd() >= Decimal::ZERO);
    for charge in charges {
        assert!(statuses.iter().any(|(rows, status, id)| (*rows, *status, id) == (charge.rows, 202, &charge.job_id)));
    }
}
