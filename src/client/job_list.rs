//! The service's list of its newest jobs, beyond the specification: it tells how many are with one request, and what
//! became of a start that nobody answered.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::Client;
use super::call::Call;
use super::error::Error;
use super::fetch::Ask;

/// A list of this length is common; longer ones may be refused.
pub(super) const COMMON_LENGTH: usize = 100;

#[derive(Deserialize)]
struct JobList {
    jobs: Vec<Map<String, Value>>,
}

impl Client {
    /// The records of the newest jobs of this key, at most so many.
    pub(super) async fn list_jobs(
        &self,
        call: &Call,
        length: usize,
        ask: fn(String, &'static str) -> Ask<'static>,
    ) -> Result<Vec<Map<String, Value>>, Error> {
        let ask = ask(format!("{}?limit={length}", self.0.paths.jobs()), "the list of jobs");
        self.fetch_json::<JobList>(call, &ask).await.map(|list| list.jobs)
    }
}
