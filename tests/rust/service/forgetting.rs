//! More jobs than the service tells of: the oldest go, and their money stays where it went.

use super::http::{delete, get, started, with};
use rowhaul::service::{ClockKind, LocalService, ServiceConfig};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use std::time::Duration;

fn config() -> ServiceConfig {
    ServiceConfig { clock: ClockKind::Instant, max_jobs: 3, ..ServiceConfig::default() }
}

fn start(service: &LocalService) -> String {
    started(service, "events/events", &json!({"searchQueries": ["jazz berlin"], "maxResults": 2}))
}

/// The ids of the list, oldest first.
fn told(service: &LocalService) -> Vec<String> {
    let list = get(service, "/v1/jobs").json();
    let ids = list["jobs"].as_array().unwrap().iter().rev().map(|job| job["id"].as_str().unwrap().to_owned());
    ids.collect()
}

/// All that was charged, and whether it is what is missing from the account.
fn charged(service: &LocalService) -> Decimal {
    let charged = service.charges().iter().map(|charge| charge.amount_usd).sum();
    assert_eq!(service.balance_usd(), Decimal::ONE_HUNDRED - charged);
    charged
}

#[test]
fn the_oldest_jobs_that_have_ended_are_forgotten_and_what_they_were_charged_is_not() {
    let service = with(config());
    let ids: Vec<_> = (0..5).map(|_| start(&service)).collect();
    assert_eq!(told(&service), ids[2..]);
    let (forgotten, missing) = (&ids[0], "0123456789abcdef");
    for tail in ["", "/results"] {
        let of = |id: &str| get(&service, &format!("/v1/jobs/{id}{tail}")).text().replace(id, "ID");
        assert_eq!(get(&service, &format!("/v1/jobs/{forgotten}{tail}")).status, 404);
        assert_eq!(of(forgotten), of(missing));
    }
    assert_eq!(delete(&service, &format!("/v1/jobs/{forgotten}")).status, 404);
    assert_eq!(get(&service, &format!("/v1/jobs/{}/results", ids[4])).json()["row_count"], 2);
    assert_eq!((service.charges().len(), charged(&service)), (5, "0.1".parse().unwrap()));
}

#[test]
fn a_job_that_is_going_is_never_forgotten_and_is_paid_when_it_completes() {
    let service = with(ServiceConfig { clock: ClockKind::Manual, job_seconds: Some(10.0), ..config() });
    let ids: Vec<_> = (0..5).map(|_| start(&service)).collect();
    assert_eq!(told(&service), ids);
    delete(&service, &format!("/v1/jobs/{}", ids[3]));
    service.advance(Duration::from_secs(10));
    assert_eq!(charged(&service), "0.08".parse().unwrap());
    let newest = start(&service);
    assert_eq!(told(&service), [&ids[3], &ids[4], &newest].map(String::clone));
    assert_eq!(charged(&service), "0.08".parse().unwrap());
}

#[test]
fn a_data_directory_keeps_the_money_of_forgotten_jobs_and_gives_no_id_twice() {
    let folder = tempfile::tempdir().unwrap();
    let config = || ServiceConfig { data_dir: Some(folder.path().to_owned()), ..config() };
    let first = with(config());
    let mut ids: Vec<_> = (0..5).map(|_| start(&first)).collect();
    let charges = first.charges();
    first.stop();
    let second = with(config());
    assert_eq!((second.charges(), told(&second)), (charges, ids[2..].to_vec()));
    ids.push(start(&second));
    assert_eq!((told(&second), charged(&second)), (ids[3..].to_vec(), "0.12".parse().unwrap()));
    second.stop();
    let all = with(ServiceConfig { max_jobs: 100, ..config() });
    assert_eq!(told(&all), ids);
    let record: Value = get(&all, &format!("/v1/jobs/{}", ids[0])).json();
    assert_eq!(record["row_count"], 2);
}
