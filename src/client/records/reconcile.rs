//! What became of starts that nobody answered.
//!
//! Where the service lists jobs, an uncertain start is looked for among those that the ledger does not know:
//!
//! - exactly one is plausible, is plausible for no other start, and is proven: that is it;
//! - all are excluded, in a list that goes back beyond the start: it was never started;
//! - as many are plausible as there are starts that they are plausible for, in such a list, and all are proven: they
//!   are adopted as a group (`together`);
//! - anything else is told and left to the caller, because a job taken for another, or a start repeated that was taken,
//!   costs money. A job that was taken up by its id, or whose id was given again, may be it, too, and is never taken
//!   for it here.
//!
//! What these words mean stands in `listed`.
//!
//! Where the service lists none, all that can be told is the balance before and now. Nothing is ever started from here.

use std::time::{Duration, SystemTime};

use rust_decimal::Decimal;
use tokio::time::Instant;

use super::listed::List;
use super::record::{micros, update_of};
use super::together::{Pair, pairs};
use crate::client::Client;
use crate::client::call::Call;
use crate::client::error::Error;
use crate::client::job::Job;
use crate::client::job_list::COMMON_LENGTH;
use crate::client::shown::clipped;
use crate::ledger::{Adoption, Entry, EntryId, Stage, Which};
use crate::wire::JobId;

const SETTLED_ELSEWHERE: &str = "another process has settled it meanwhile";

/// An uncertain start, and what was found out about it.
#[derive(Debug)]
pub struct Settled {
    pub entry: Entry,
    pub settlement: Settlement,
    /// Jobs that may be it.
    pub candidates: Vec<JobId>,
    pub balance_now_usd: Option<Decimal>,
    /// How it is known, in words.
    pub how: String,
}

#[derive(Debug)]
pub enum Settlement {
    /// It is this job, which the ledger has now.
    Adopted(Box<Job>),
    NeverStarted,
    StillUncertain,
}

impl Client {
    /// Settles the uncertain starts of the ledger as far as the service tells, the oldest first. Starts nothing.
    ///
    /// A start that is not in the list is looked for again until it is as old as
    /// [`ClientConfig::grace`](crate::client::ClientConfig::grace): services spread what they know.
    pub async fn reconcile(&self) -> Result<Vec<Settled>, Error> {
        let call = Call::new(None);
        let settled = self.reconcile_within(&call).await;
        call.finish(self.key(), settled)
    }

    async fn reconcile_within(&self, call: &Call) -> Result<Vec<Settled>, Error> {
        let mut entries = self.require_ledger(|account| account.entries(&Which::Uncertain, None)).await?;
        entries.reverse();
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        let balance = self.ask_balance(call).await.ok();
        let Some(list) = self.list_with(call, &entries).await? else {
            return Ok(entries.into_iter().map(|entry| untold(entry, balance)).collect());
        };
        let plausible: Vec<Vec<usize>> = entries.iter().map(|entry| list.plausible(entry)).collect();
        let mut settled = Vec::new();
        let pairs = pairs(&entries, &plausible, &list);
        let (together, alone): (Vec<_>, Vec<_>) =
            entries.into_iter().zip(&plausible).zip(pairs).partition(|(_, pair)| pair.is_some());
        let together = together.into_iter().filter_map(|((entry, _), pair)| Some((entry, pair?)));
        settled.extend(self.adopt_together(together.collect(), &list, balance).await?);
        for ((entry, places), _) in alone {
            let is_wanted_once = |at: usize| {
                plausible.iter().filter(|places| places.contains(&at)).count() == 1 && !list.may_be_under_way(at)
            };
            let by_id = list.plausible_by_id(&entry);
            settled.push(match places.as_slice() {
                [] => self.missing(entry, &list, balance).await?,
                [at] if is_wanted_once(*at) && by_id.is_empty() => {
                    if list.unreadable == 0 && list.is_proven(&entry, *at) {
                        self.adopt_listed(entry, *at, &list, balance).await?
                    } else {
                        let how = "one job may be it, but too little is told to be certain";
                        still(entry, ids(&list, places), balance, how)
                    }
                }
                _ => {
                    let how = "more than one job may be it, or one job more than one start";
                    still(entry, [ids(&list, places), by_id].concat(), balance, how)
                }
            });
        }
        settled.sort_by_key(|settled| settled.entry.number);
        Ok(settled)
    }

    /// The list, asked for until every start has its plausible jobs in it or could have.
    async fn list_with(&self, call: &Call, entries: &[Entry]) -> Result<Option<List>, Error> {
        let grace = self.config().grace;
        let (mut pause, mut waited) = (self.config().poll_floor, Duration::ZERO);
        loop {
            let Some(list) = self.list(call).await? else { return Ok(None) };
            // One that was sent just now may not be in the list yet. This machine's clock may have been set back since,
            // so it does not decide how long to wait.
            let latest = micros(SystemTime::now()) - i64::try_from(grace.as_micros()).unwrap_or(i64::MAX);
            let may_appear =
                |entry: &Entry| entry.sent_at.is_none_or(|sent| sent > latest) && list.plausible(entry).is_empty();
            if !entries.iter().any(may_appear) || waited >= grace {
                return Ok(Some(list));
            }
            pause = pause.min(grace.saturating_sub(waited));
            self.let_pass(pause).await;
            waited += pause;
            pause *= 2;
        }
    }

    /// The service's list, the ledger's jobs told from others; `None` where the service has no list.
    async fn list(&self, call: &Call) -> Result<Option<List>, Error> {
        let jobs = match self.list_jobs(call, COMMON_LENGTH).await {
            Ok(jobs) => jobs,
            Err(error) if matches!(error.status_code(), Some(404 | 405 | 501)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let known = self.require_ledger(|account| account.entries(&Which::All, None)).await?;
        Ok(Some(List::new(jobs, &known, self.0.clock.ahead(), self.key())))
    }

    /// A start of which no plausible job is listed but those that the ledger has by their ids.
    async fn missing(&self, entry: Entry, list: &List, balance: Option<Decimal>) -> Result<Settled, Error> {
        if !list.reaches(&entry) {
            let how = "the service's list of jobs does not certainly reach back far enough";
            let candidates = list.plausible_by_id(&entry);
            return Ok(still(entry, candidates, balance, how));
        }
        let (not_excluded, by_id) = (list.not_excluded(&entry), list.not_excluded_by_id(&entry));
        if list.unreadable > 0 || !not_excluded.is_empty() {
            let how = "no job fits it, but too little is told of some to be certain that they are others";
            return Ok(still(entry, [ids(list, &not_excluded), by_id].concat(), balance, how));
        }
        if !by_id.is_empty() {
            let how = "only jobs may be it whose ids the ledger has already, as from `client.job(id)`";
            return Ok(still(entry, by_id, balance, how));
        }
        self.never_started(entry, balance).await
    }

    async fn adopt_listed(
        &self,
        entry: Entry,
        at: usize,
        list: &List,
        balance: Option<Decimal>,
    ) -> Result<Settled, Error> {
        let found = &list.unknown[at];
        let (agent, created) = (found.record.agent.as_deref(), found.record.created_at.as_deref());
        let how = format!(
            "the only job that may be it: of `{}`, created at {}, and not in the ledger",
            clipped(agent.unwrap_or_default()),
            clipped(created.unwrap_or_default())
        );
        let adoption = self.adoption(entry, at, how, list);
        let told = vec![adoption.told()];
        let is_adopted = self.require_ledger(move |account| account.adopt(&told)).await?;
        Ok(adoption.settled(is_adopted, balance))
    }

    /// Adopts all of them or none: of a part, what is left would look like the only job of the only start.
    async fn adopt_together(
        &self,
        pairs: Vec<(Entry, Pair)>,
        list: &List,
        balance: Option<Decimal>,
    ) -> Result<Vec<Settled>, Error> {
        let adoption = |(mut entry, pair): (Entry, Pair)| {
            (entry.params, entry.max_rows) = (None, None);
            self.adoption(entry, pair.at, pair.how(list.unknown[pair.at].record.agent.as_deref()), list)
        };
        let adoptions: Vec<Adopting> = pairs.into_iter().map(adoption).collect();
        let told: Vec<_> = adoptions.iter().map(Adopting::told).collect();
        let are_adopted = self.require_ledger(move |account| account.adopt(&told)).await?;
        Ok(adoptions.into_iter().map(|adoption| adoption.settled(are_adopted, balance)).collect())
    }

    fn adoption(&self, entry: Entry, at: usize, how: String, list: &List) -> Adopting {
        let found = &list.unknown[at];
        let job = self.job_of(found.id.clone(), None, entry.clone()).with_record(found.record.clone(), Instant::now());
        Adopting { entry, job, how }
    }

    async fn never_started(&self, entry: Entry, balance: Option<Decimal>) -> Result<Settled, Error> {
        let how = "the service's list of jobs goes back beyond it and has no job that could be it";
        let number = EntryId::of(&entry);
        if !self.require_ledger(move |account| account.resolve(number, Stage::NeverStarted, how)).await? {
            return Ok(still(entry, Vec::new(), balance, SETTLED_ELSEWHERE));
        }
        let settlement = Settlement::NeverStarted;
        Ok(Settled { entry, settlement, candidates: Vec::new(), balance_now_usd: balance, how: how.to_owned() })
    }
}

/// A start that is about to become a job's.
struct Adopting {
    entry: Entry,
    job: Job,
    how: String,
}

impl Adopting {
    /// What the ledger is told of it.
    fn told(&self) -> Adoption {
        let knows_request = self.entry.params.is_some();
        Adoption { entry: EntryId::of(&self.entry), job: update_of(&self.job), knows_request, note: self.how.clone() }
    }

    fn settled(self, is_adopted: bool, balance_now_usd: Option<Decimal>) -> Settled {
        let Self { entry, job, how } = self;
        let candidates = vec![job.id().clone()];
        if !is_adopted {
            return still(entry, candidates, balance_now_usd, SETTLED_ELSEWHERE);
        }
        Settled { entry, settlement: Settlement::Adopted(Box::new(job)), candidates, balance_now_usd, how }
    }
}

fn ids(list: &List, places: &[usize]) -> Vec<JobId> {
    places.iter().map(|at| list.unknown[*at].id.clone()).collect()
}

/// What is known where the service lists no jobs.
fn untold(entry: Entry, balance: Option<Decimal>) -> Settled {
    let money = match (entry.balance_before_usd, balance) {
        (Some(before), Some(now)) if before == now => {
            format!("; the balance is {now} USD, as when it was last read before")
        }
        (Some(before), Some(now)) => {
            format!("; the balance was {before} USD when it was last read before, and is {now} USD now")
        }
        (None, Some(now)) => format!("; the balance is {now} USD"),
        (_, None) => String::new(),
    };
    still(entry, Vec::new(), balance, &format!("the service lists no jobs{money}"))
}

fn still(entry: Entry, candidates: Vec<JobId>, balance_now_usd: Option<Decimal>, how: &str) -> Settled {
    Settled { entry, settlement: Settlement::StillUncertain, candidates, balance_now_usd, how: how.to_owned() }
}
