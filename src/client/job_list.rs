//! The service's list of its newest jobs, beyond the specification: it tells how many are with one request, and what
//! became of a start that nobody answered.

use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::Client;
use super::call::Call;
use super::deadline::Deadline;
use super::error::Error;
use super::fetch::HttpRequest;

/// A list of this length is common; longer ones may be refused.
pub(super) const COMMON_LENGTH: usize = 100;

const WHAT: &str = "the list of jobs";

#[derive(Deserialize)]
struct JobList {
    jobs: Vec<Map<String, Value>>,
}

impl Client {
    /// The records of the newest jobs of this key, at most so many.
    pub(super) async fn list_jobs(&self, call: &Call, length: usize) -> Result<Vec<Map<String, Value>>, Error> {
        let request = HttpRequest::get(self.list_path(length), WHAT);
        self.fetch_json::<JobList>(call, &request).await.map(|list| list.jobs)
    }

    /// The same for a wait, which can wait, and has another way to hear of its job: it is asked once, and not for long,
    /// since the other waits wait with it.
    pub(super) async fn poll_jobs(&self, call: &Call, length: usize) -> Result<Vec<Map<String, Value>>, Error> {
        let request = HttpRequest::poll(self.list_path(length), WHAT);
        self.turn(call, request.priority).await?;
        let now = Instant::now();
        let call = call.until(Deadline::after(now, Some(call.deadline.cut(now, self.config().list_timeout))));
        self.fetch_json_once::<JobList>(&call, &request).await.map(|list| list.jobs)
    }

    fn list_path(&self, length: usize) -> String {
        format!("{}?limit={length}", self.0.paths.jobs())
    }
}
