//! The client against a server that does everything wrong that a server can do. One concern a file.

mod bodies;
mod cost;
mod endpoints;
mod job_lists;
mod ledger;
mod many;
mod money;
mod once;
mod polling;
mod refusals;
mod secrets;
mod starts;
mod throttling;
mod transport;

use std::time::Duration;

use rowhaul::client::{
    ApiKey, Client, ClientConfig, Error, Job, Progress, Request, RetryPolicy, RowOptions, RunOptions,
};
use rowhaul::rows::Rows;
use serde_json::{Value, json};

use crate::support::script_server::{Reply, ScriptServer, Seen, json as answer};

/// A key that must never be seen but in the header.
const CANARY: &str = "canary-0123456789abcdef";

/// A client that does not wait where waiting proves nothing.
fn config(server: &ScriptServer) -> ClientConfig {
    let mut config = ClientConfig::new(&server.url, ApiKey::new(CANARY).unwrap());
    config.retry = RetryPolicy { base: Duration::from_millis(1), ..RetryPolicy::default() };
    config.poll_floor = Duration::from_millis(1);
    config.grace = Duration::from_millis(20);
    config.outage = Duration::ZERO;
    config
}

fn client(server: &ScriptServer) -> Client {
    Client::new(config(server)).unwrap()
}

/// One that asks for long enough for what is there in the end, however busy the machine is.
fn patient(server: &ScriptServer) -> Client {
    Client::new(ClientConfig { grace: Duration::from_secs(20), ..config(server) }).unwrap()
}

/// One that gives up on a silent server soon: for tests in which the server stays silent for good.
fn impatient(server: &ScriptServer) -> Client {
    let mut config = config(server);
    config.request_timeout = Duration::from_millis(100);
    (config.retry.attempts, config.retry.attempts_for_rows) = (2, 2);
    Client::new(config).unwrap()
}

fn request() -> Request {
    of("events/events", &json!({"searchQueries": ["jazz"], "maxResults": 3}))
}

fn of(agent: &str, params: &Value) -> Request {
    Request::new(agent, params.as_object().unwrap().clone()).unwrap()
}

async fn start(client: &Client) -> Result<Job, Error> {
    client.start(&request(), None, &Progress::new()).await.map_err(scanned)
}

async fn run(client: &Client) -> Result<(Job, Rows), Error> {
    client.run(&request(), &RunOptions::default(), &Progress::new()).await.map_err(scanned)
}

async fn rows(client: &Client) -> Result<(Job, Rows), Error> {
    let job = client.job("j1", None).unwrap();
    client.rows(&job, &RowOptions::default(), &Progress::new()).await.map_err(scanned)
}

async fn refresh(client: &Client, job: &Job) -> Result<Job, Error> {
    client.refresh(job, &Progress::new()).await.map_err(scanned)
}

/// An error that shows the key nowhere, its sources included.
fn scanned(error: Error) -> Error {
    let mut shown = vec![format!("{error} {error:?} {error:#?}")];
    let mut source = std::error::Error::source(&error);
    while let Some(inner) = source {
        shown.push(format!("{inner} {inner:?}"));
        source = inner.source();
    }
    assert!(!shown.concat().contains(CANARY), "the key is in an error: {shown:?}");
    error
}

fn started() -> Reply {
    answer(202, r#"{"job_id": "j1", "status": "queued"}"#)
}

fn status(word: &str) -> Reply {
    answer(200, &json!({"job_id": "j1", "status": word}).to_string())
}

/// Results with so many rows of one column.
fn results(count: u64) -> Reply {
    let data: Vec<Value> = (0..count).map(|n| json!({"n": n})).collect();
    answer(200, &json!({"status": "completed", "row_count": count, "data": data}).to_string())
}

/// A service that does everything right, with three rows.
fn well(request: &Seen) -> Reply {
    match (request.method.as_str(), request.is_results()) {
        ("POST", _) => started(),
        (_, true) => results(3),
        _ if request.path.contains("/jobs/") => status("completed"),
        _ if request.path.ends_with("/balance") => answer(200, r#"{"usd_remaining": 12.5}"#),
        _ => answer(200, r#"{"group": "events", "slug": "events", "price_per_1k_usd": 10}"#),
    }
}
