//! A start that is written down: carried to its answer whoever leaves meanwhile.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::Client;
use super::deadline::Deadline;
use super::error::Error;
use super::error_kind::Outcome;
use super::money::reservations::StartReservation;
use super::prepare::Prepared;
use super::progress::{Phase, Progress};
use super::records::record::{micros, unwritable, update_of};
use super::records::under_way::Counted;
use super::start::Reply;
use crate::ledger::{Account, EntryId, Intent, LedgerError, Stage, Times};
use crate::lock::lock;

/// How much later than its request's timeout a start of which nothing more was written is given up for uncertain. It
/// covers the pauses that a service may ask for between repeats; a process that has ended is noticed at once.
const SLACK: Duration = Duration::from_secs(600);

/// A start with its entry in the ledger. When nobody is at it any more, the entry says what became of it.
pub(super) struct Starting {
    client: Client,
    prepared: Prepared,
    intent: Intent,
    entry: Arc<Mutex<EntryId>>,
    verdict: Mutex<Verdict>,
}

/// What is known of a start while somebody is at it.
#[derive(Clone)]
enum Verdict {
    /// Certainly nothing runs; why.
    Nothing(Stage, String),
    /// A request is on its way.
    UnderWay,
    /// The ledger has the last word already.
    Written,
}

impl Client {
    /// Writes down that a start is about to be sent; `None` where there is no ledger.
    pub(super) async fn intend(&self, prepared: &Prepared) -> Result<Option<Arc<Starting>>, Error> {
        if self.0.records.is_off() {
            return Ok(None);
        }
        let intent = Intent {
            agent: prepared.agent.clone(),
            params: prepared.params.clone(),
            price_per_1k_usd: self.known_price(&prepared.agent),
            max_rows: prepared.max_rows(),
            wire: prepared.wire.clone(),
            times: self.start_times(),
        };
        let (client, prepared) = (self.clone(), prepared.clone());
        // Made by the thread that writes the entry: if the caller gives up meanwhile, dropping it still writes the end.
        let written = self.in_ledger(move |account| {
            let entry = account.intend(&intent)?;
            let nothing = Verdict::Nothing(Stage::NotSent, "given up before it was sent".to_owned());
            let (entry, verdict) = (Arc::new(Mutex::new(entry)), Mutex::new(nothing));
            Ok(Arc::new(Starting { client, prepared, intent, entry, verdict }))
        });
        written.await.map_err(unwritable)
    }

    /// Of a start that is sent now.
    fn start_times(&self) -> Times {
        let now = SystemTime::now();
        let due = now + self.config().request_timeout;
        Times { sent_at: micros(now), due_at: micros(due), answer_by: micros(due + SLACK) }
    }
}

impl Starting {
    /// Sends the start once. The request goes on, and its answer is written down, even if this future is dropped.
    pub(super) async fn send(
        self: &Arc<Self>,
        deadline: Deadline,
        progress: &Progress,
        reservation: &StartReservation,
    ) -> Reply {
        self.set_verdict(Verdict::UnderWay);
        let (this, progress, reservation) = (Arc::clone(self), progress.clone(), reservation.clone());
        // Counted before the task first runs: a process that ends at once waits for it, too.
        let counted = Counted::new();
        let carried = tokio::spawn(async move {
            let _counted = counted;
            this.carry(deadline, &progress, &reservation).await
        });
        carried.await.unwrap_or_else(|lost| match lost.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Reply::Uncertain(super::start::uncertain_because(&self.prepared, "the process ends")),
        })
    }

    /// The start is about to be repeated: its answer is due later.
    ///
    /// # Errors
    /// Where that cannot be written down: then it must not be sent, because its job would be looked for at the wrong
    /// time.
    pub(super) async fn postpone(&self) -> Result<(), Error> {
        let times = self.client.start_times();
        self.write(move |account, entry, intent| account.postpone(entry, intent, times)).await.map_err(unwritable)
    }

    /// Writes down that it is given up, after it certainly brought nothing.
    pub(super) async fn give_up(&self) {
        let verdict = lock(&self.verdict).clone();
        let Verdict::Nothing(stage, why) = verdict else { return };
        if self.write(move |account, entry, intent| account.settle(entry, intent, stage, &why)).await.is_ok() {
            self.set_verdict(Verdict::Written);
        }
    }

    async fn carry(&self, deadline: Deadline, progress: &Progress, reservation: &StartReservation) -> Reply {
        let mut reply = self.client.start_once(deadline, &self.prepared).await;
        match &mut reply {
            Reply::Started(job) => {
                progress.know_job(job.id());
                reservation.pass_on_to(job, &self.client.0.reservations);
                let update = update_of(job);
                let written = self.write(move |account, entry, intent| account.started(entry, intent, &update)).await;
                self.set_verdict(Verdict::Written);
                match written {
                    Ok(()) => job.entry = Some(self.entry()),
                    Err(error) => job.unwritten = Some(error.to_string()),
                }
            }
            Reply::Uncertain(error) => {
                let why = self.redacted_message(error);
                let settled =
                    self.write(move |account, entry, intent| account.settle(entry, intent, Stage::Uncertain, &why));
                // Unwritten, it becomes uncertain by itself when this process ends.
                let _ = settled.await;
                self.set_verdict(Verdict::Written);
            }
            Reply::NotStarted(error, _) => {
                progress.enter(Phase::Idle);
                let end = if error.outcome() == Outcome::Rejected { Stage::Rejected } else { Stage::NotSent };
                self.set_verdict(Verdict::Nothing(end, self.redacted_message(error)));
            }
        }
        reply
    }

    /// Writes what became of it into its entry, or into another where that is gone.
    async fn write(
        &self,
        act: impl FnOnce(&Account, EntryId, &Intent) -> Result<EntryId, LedgerError> + Send + 'static,
    ) -> Result<(), LedgerError> {
        let (entry, intent) = (Arc::clone(&self.entry), self.intent.clone());
        // It is known there even where nobody waits for it any more.
        let write = move |account: &Account| {
            let mut entry = lock(&entry);
            *entry = act(account, *entry, &intent)?;
            Ok(())
        };
        self.client.in_ledger(write).await.map(drop)
    }

    fn entry(&self) -> EntryId {
        *lock(&self.entry)
    }

    fn set_verdict(&self, verdict: Verdict) {
        *lock(&self.verdict) = verdict;
    }

    /// What an error says, without the key.
    fn redacted_message(&self, error: &Error) -> String {
        let mut text = error.message().to_owned();
        self.client.key().redact(&mut text);
        text
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        let verdict = self.verdict.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Verdict::Nothing(stage, why) = verdict.clone() else { return };
        let (client, entry, intent) = (self.client.clone(), Arc::clone(&self.entry), self.intent.clone());
        let write = move || {
            // Unwritten, it becomes uncertain by itself when this process ends.
            let _ = client.in_ledger_now(|account| {
                let mut entry = lock(&entry);
                *entry = account.settle(*entry, &intent, stage, &why)?;
                Ok(())
            });
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(write)),
            Err(_) => write(),
        }
    }
}
