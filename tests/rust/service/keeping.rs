//! A data directory: what was answered is there again, and what is not as it was left is refused and not touched.

use super::http::{delete, get, run, started};
use rowhaul::service::{ClockKind, LocalService, ServiceConfig, ServiceError};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Duration;

fn config(folder: &Path) -> ServiceConfig {
    ServiceConfig {
        data_dir: Some(folder.to_owned()),
        clock: ClockKind::Manual,
        job_seconds: Some(10.0),
        ..ServiceConfig::default()
    }
}

fn open(folder: &Path) -> LocalService {
    LocalService::start(config(folder)).expect("a directory that nobody holds")
}

fn refused(folder: &Path) -> ServiceError {
    LocalService::start(config(folder)).expect_err("it must be refused")
}

fn events(rows: u64) -> Value {
    json!({"searchQueries": ["jazz berlin"], "maxResults": rows})
}

fn results(service: &LocalService, id: &str) -> (u16, String) {
    let answer = get(service, &format!("/v1/jobs/{id}/results"));
    (answer.status, answer.text())
}

type Damage = fn(&mut Vec<u8>);

/// The database with a byte changed, or whatever else befalls it.
fn damage(folder: &Path, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let file = folder.join("service.db");
    let mut bytes = fs::read(&file).unwrap();
    change(&mut bytes);
    fs::write(&file, &bytes).unwrap();
    bytes
}

#[test]
fn jobs_rows_charges_and_the_clock_are_there_again() {
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path());
    let done = started(&first, "events/events", &events(7));
    first.advance(Duration::from_secs(10));
    let cancelled = started(&first, "events/events", &events(3));
    delete(&first, &format!("/v1/jobs/{cancelled}"));
    let going = started(&first, "retail/pincode-scraper", &json!({"products": ["B0ABCDEFGH"], "pincodes": ["110001"]}));
    first.advance(Duration::from_secs(4));
    let before = (get(&first, "/v1/jobs").json(), results(&first, &done), first.charges(), first.starts());
    first.stop();

    let other = ServiceConfig { seed: 9, balance_usd: 1.into(), ..config(folder.path()) };
    let second = LocalService::start(other).unwrap();
    let after = (get(&second, "/v1/jobs").json(), results(&second, &done), second.charges(), second.starts());
    assert_eq!(before, after);
    assert_eq!(get(&second, &format!("/v1/jobs/{going}")).json()["status"], "running");
    second.advance(Duration::from_secs(6));
    assert_eq!(get(&second, &format!("/v1/jobs/{going}")).json()["status"], "completed");
    assert_eq!(second.balance_usd().to_string(), "99.928");
    assert_eq!(second.charges().len(), 2);
    assert_ne!(started(&second, "events/events", &events(1)), done);
}

#[test]
fn a_job_that_completes_while_nobody_serves_is_charged_once_when_somebody_does() {
    let folder = tempfile::tempdir().unwrap();
    let real = |seconds| ServiceConfig { clock: ClockKind::Real, job_seconds: Some(seconds), ..config(folder.path()) };
    let first = LocalService::start(real(3600.0)).unwrap();
    let id = started(&first, "events/events", &events(5));
    first.advance(Duration::from_secs(3599));
    assert!(first.charges().is_empty());
    first.stop();
    for _ in 0..2 {
        let next = LocalService::start(real(1.0)).unwrap();
        next.advance(Duration::from_secs(1));
        assert_eq!(results(&next, &id).0, 200);
        assert_eq!((next.charges().len(), next.balance_usd().to_string()), (1, "99.95".to_owned()));
    }
}

#[test]
fn money_set_aside_stays_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let poor = || ServiceConfig { balance_usd: "0.05".parse().unwrap(), ..config(folder.path()) };
    let first = LocalService::start(poor()).unwrap();
    started(&first, "events/events", &events(4));
    drop(first);
    let second = LocalService::start(poor()).unwrap();
    assert_eq!(run(&second, "events/events", &events(2)).status, 402);
    assert_eq!(run(&second, "events/events", &events(1)).status, 202);
}

#[test]
fn a_second_service_on_the_directory_is_refused_until_the_first_has_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path());
    let error = refused(folder.path());
    assert!(error.is_config() && error.to_string().contains("in use by another local service"), "{error}");
    assert_eq!(get(&first, "/api/v1/balance").status, 200);
    first.stop();
    assert_eq!(get(&open(folder.path()), "/api/v1/balance").status, 200);
}

#[test]
fn a_database_that_is_damaged_empty_newer_or_anothers_is_refused_and_left_as_it_is() {
    let whole = tempfile::tempdir().unwrap();
    let service = open(whole.path());
    for _ in 0..50 {
        started(&service, "events/events", &events(1));
    }
    service.stop();
    let cases: [(&str, Damage); 6] = [
        ("cut", |bytes| bytes.truncate(bytes.len() / 2)),
        ("empty", Vec::clear),
        ("overwritten", |bytes| bytes[..100].fill(b'x')),
        ("torn inside", |bytes| bytes[4096..].iter_mut().step_by(7).for_each(|byte| *byte ^= 0xff)),
        ("newer", |bytes| bytes[63] += 1),
        ("another's", |bytes| bytes[68..72].fill(1)),
    ];
    for (case, change) in cases {
        let folder = tempfile::tempdir().unwrap();
        fs::copy(whole.path().join("service.db"), folder.path().join("service.db")).unwrap();
        let bytes = damage(folder.path(), change);
        let error = refused(folder.path());
        assert!(error.to_string().contains("it was left as it is"), "{case}: {error}");
        assert_eq!(fs::read(folder.path().join("service.db")).unwrap(), bytes, "{case}");
    }
}

#[test]
fn a_directory_that_cannot_be_is_refused_before_a_port_is_opened() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = refused(file.path());
    assert!(error.to_string().contains("cannot use the data directory"), "{error}");
}

#[test]
fn rows_that_another_version_made_up_are_gone_rather_than_different() {
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path());
    let id = started(&first, "events/events", &events(2));
    first.advance(Duration::from_secs(10));
    first.stop();
    let database = rusqlite::Connection::open(folder.path().join("service.db")).unwrap();
    database.execute("UPDATE jobs SET samples = samples + 1", []).unwrap();
    database.close().unwrap();
    let second = open(folder.path());
    let (status, body) = results(&second, &id);
    assert!(status == 410 && body.contains("results_outdated"), "{body}");
    assert_eq!(second.charges().len(), 1);
}

#[test]
fn accounts_that_do_not_add_up_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path());
    started(&first, "events/events", &events(2));
    first.advance(Duration::from_secs(10));
    first.stop();
    let database = rusqlite::Connection::open(folder.path().join("service.db")).unwrap();
    database.execute("UPDATE charges SET amount_usd = '0.01'", []).unwrap();
    database.close().unwrap();
    assert!(refused(folder.path()).to_string().contains("damaged"));
}
