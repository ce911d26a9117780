//! What a job cost, where nobody had asked for its agent's price before.
//!
//! A price is asked for beside the run, while its job goes on or when it is completed: once for an agent and client, or
//! once in [`LEFT_ALONE`] where none was told. The rows wait a moment for it at most; the question is not repeated, and
//! where no answer comes soon the cost is not known.
//!
//! It is asked only for jobs that were started just here. What the service asks today for one of earlier may not be
//! what that was billed at, and a cost is never a guess.
//!
//! Under a rate limit the question takes its turn behind the starts and results that wait already, and before those
//! that come later: one request in front of many. As the last of all it would be answered when most rows have been
//! handed over.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Mutex;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use crate::client::Client;
use crate::client::call::Call;
use crate::client::fetch::HttpRequest;
use crate::client::job::Job;
use crate::client::pacing::pacer::Priority;
use crate::lock::lock;
use crate::wire::{AgentDetails, AgentName};

/// How long rows that are there wait for their price, at most and counted from when it was asked for.
const PATIENCE: Duration = Duration::from_secs(2);

/// By when the question has to be answered, the wait for its turn included.
const ANSWERED_WITHIN: Duration = Duration::from_secs(30);

/// How long an agent that told no price is not asked again.
const LEFT_ALONE: Duration = Duration::from_secs(600);

/// The agents that were asked for their price, by the service's own names.
#[derive(Debug, Default)]
pub(in crate::client) struct PriceRequests(Mutex<HashMap<AgentName, PriceRequest>>);

#[derive(Debug)]
struct PriceRequest {
    made: Instant,
    sent_at: SentAt,
}

/// When the question was sent, once it was; closed when there is an answer, or none to be.
type SentAt = watch::Receiver<Option<Instant>>;

impl Client {
    /// Has the price of a job asked for, if nobody knows it and it was not asked for lately. Waits for nothing.
    pub(in crate::client) fn request_price(&self, job: &Job) -> Option<SentAt> {
        if job.price_per_1k_usd().is_some() || job.started.is_none() {
            return None;
        }
        let agent = job.agent().filter(|agent| self.known_price(agent).is_none())?;
        self.0.price_requests.with(|price_requests| match price_requests.entry(self.wire_name(&agent)) {
            Entry::Occupied(last) if last.get().made.elapsed() < LEFT_ALONE => Some(last.get().sent_at.clone()),
            entry => {
                let (sent, sent_at) = watch::channel(None);
                entry.insert_entry(PriceRequest { made: Instant::now(), sent_at: sent_at.clone() });
                let client = self.clone();
                tokio::spawn(async move { client.ask_price(&agent, sent).await });
                Some(sent_at)
            }
        })
    }

    /// A completed job with its price, which is waited for a moment.
    pub(in crate::client) async fn with_price(&self, call: &Call, mut job: Job) -> Job {
        if !job.is_completed() || job.price_per_1k_usd().is_some() || job.started.is_none() {
            return job;
        }
        if let Some(sent_at) = self.request_price(&job) {
            let patience = call.deadline.cut(Instant::now(), PATIENCE.min(self.config().request_timeout));
            let _ = timeout(patience, over(sent_at, patience)).await;
        }
        self.set_known_price(&mut job);
        job
    }

    /// The same of a job that was written down without it.
    pub(in crate::client) async fn with_cost(&self, call: &Call, job: Job) -> Job {
        let priced = self.with_price(call, job.clone()).await;
        let is_news = priced.price_per_1k_usd() != job.price_per_1k_usd();
        if is_news { self.remember(&job, priced).await } else { job }
    }

    /// What is known by now, without asking.
    pub(in crate::client) fn set_known_price(&self, job: &mut Job) {
        if job.price_per_1k_usd().is_none() {
            job.set_price(job.agent().and_then(|agent| self.known_price(&agent)));
        }
    }

    async fn ask_price(&self, agent: &AgentName, sent: watch::Sender<Option<Instant>>) {
        let call = Call::new(Some(ANSWERED_WITHIN));
        let request = HttpRequest { priority: Priority::Work, ..self.details_request(agent) };
        if self.turn(&call, request.priority).await.is_err() {
            // Nothing was asked, so that the next may.
            self.0.price_requests.with(|price_requests| price_requests.remove(&self.wire_name(agent)));
            return;
        }
        sent.send_replace(Some(Instant::now()));
        if let Ok(details) = self.fetch_json_once::<AgentDetails>(&call, &request).await {
            self.learn_price_of(agent, details.price_per_1k_usd);
        }
    }
}

/// Waits until there is an answer or none to be, and no longer than so long after it was asked for.
async fn over(mut sent_at: SentAt, patience: Duration) {
    loop {
        let sent = *sent_at.borrow_and_update();
        let changed = match sent {
            Some(sent) => timeout((sent + patience).saturating_duration_since(Instant::now()), sent_at.changed()).await,
            None => Ok(sent_at.changed().await),
        };
        if !matches!(changed, Ok(Ok(()))) {
            return;
        }
    }
}

impl PriceRequests {
    fn with<T>(&self, act: impl FnOnce(&mut HashMap<AgentName, PriceRequest>) -> T) -> T {
        act(&mut lock(&self.0))
    }
}
