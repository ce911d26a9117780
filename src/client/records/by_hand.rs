//! What became of a start that nobody answered, where the service does not tell and the caller does.

use serde_json::{Map, Value};
use tokio::time::Instant;

use super::record::update_of;
use crate::client::Client;
use crate::client::call::Call;
use crate::client::error::Error;
use crate::client::error_kind::ErrorKind;
use crate::client::job::Job;
use crate::client::shown::clipped_word;
use crate::ledger::{Adoption, Claim, Entry, EntryId, Stage};
use crate::wire::{AgentName, JobId};

/// How it is known, as the ledger has it.
const ADOPTED: &str = "the caller adopted this job for it";
const DISMISSED: &str = "the caller dismissed it";

const SETTLED: &str = "the start is settled already, or is not in the ledger of this client";

impl Client {
    /// Takes a job for what an uncertain start has brought. Asks the service about the job, and starts nothing.
    ///
    /// # Errors
    /// `Config` where the start is not uncertain any more, or the job is another agent's or another start's; what
    /// asking about a job fails with.
    pub async fn adopt(&self, start: &Entry, job_id: &str) -> Result<Job, Error> {
        let call = Call::new(None);
        let adopted = self.adopt_within(&call, start, job_id).await;
        call.finish(self.key(), adopted)
    }

    async fn adopt_within(&self, call: &Call, start: &Entry, job_id: &str) -> Result<Job, Error> {
        check_is_uncertain(start)?;
        let id = JobId::try_from(job_id.to_owned()).map_err(|error| config(&error.to_string()))?;
        let job = self.job_of(id.clone(), None, start.clone());
        // Not as a status call, which would write down that the job has no start.
        let fields: Map<String, Value> = self.fetch_json(call, &self.status_request(&job)).await?;
        check_agent(start, &fields)?;
        let job = self.next_snapshot(&job, fields)?;
        let adoption =
            Adoption { entry: EntryId::of(start), job: update_of(&job), knows_request: true, note: ADOPTED.to_owned() };
        let entry = match self.require_ledger(move |account| account.claim(&adoption)).await? {
            Claim::Granted(entry) => *entry,
            Claim::IsSettled => return Err(config(SETTLED)),
            Claim::IsTaken => return Err(config(&format!("job `{id}` is another start's"))),
        };
        // With what was known of the job by its id, as how many rows it has, and so what they cost.
        let mut record = job.record().clone();
        record.row_count = record.row_count.or(entry.row_count);
        let known = self.job_of(id, None, entry);
        let next = known.with_record(record, Instant::now());
        Ok(self.remember(&known, next).await)
    }

    /// Takes an uncertain start for one that has brought nothing. Sends nothing.
    ///
    /// # Errors
    /// `Config` where it is not uncertain any more.
    pub async fn dismiss(&self, start: &Entry) -> Result<(), Error> {
        let dismissed = self.dismiss_within(start).await;
        Call::new(None).finish(self.key(), dismissed)
    }

    async fn dismiss_within(&self, start: &Entry) -> Result<(), Error> {
        check_is_uncertain(start)?;
        let id = EntryId::of(start);
        if self.require_ledger(move |account| account.resolve(id, Stage::NeverStarted, DISMISSED)).await? {
            Ok(())
        } else {
            Err(config(SETTLED))
        }
    }
}

fn check_is_uncertain(start: &Entry) -> Result<(), Error> {
    if start.stage == Stage::Uncertain {
        return Ok(());
    }
    Err(config(&format!("the start is not uncertain, it is `{}`", clipped_word(start.word()))))
}

/// Whether the job may be of the agent that was started, if its record says of which it is.
fn check_agent(start: &Entry, fields: &Map<String, Value>) -> Result<(), Error> {
    let told: Option<AgentName> = fields.get("agent").and_then(Value::as_str).and_then(|name| name.parse().ok());
    match (told, &start.agent) {
        (Some(told), Some(agent)) if !start.may_be_of(&told) => {
            Err(config(&format!("the job is of `{}`, and the start was of `{agent}`", clipped_word(&told.to_string()))))
        }
        _ => Ok(()),
    }
}

fn config(message: &str) -> Error {
    Error::new(ErrorKind::Config, message)
}
