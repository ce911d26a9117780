//! The book: jobs and money, which change together, and which are written down before they change.
//!
//! Every change goes the same way: it is thought out, committed to the store, and only then made here. Where the commit
//! fails, nothing has happened.
//!
//! The book holds so many jobs at most: of more, the oldest that have ended are forgotten, as if they had never been.
//! What they were charged stays in the account, and in the store all of them stay, so that the account can be checked
//! when it is opened.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use jiff::Timestamp;
use rust_decimal::Decimal;

use super::billing::{Account, Charge, Short};
use super::job::{Fate, Job, Origin, Phase};
use super::log::Start;
use super::store::{Change, Saved, Store, StoreError};

#[derive(Debug)]
pub(super) struct Book {
    /// By number, which goes up from start to start.
    jobs: BTreeMap<usize, Job>,
    next: usize,
    /// How many jobs are held, as far as they have ended.
    most: usize,
    numbers: HashMap<String, usize>,
    /// Jobs that will complete or fail by themselves, by the time at which they do.
    due: BTreeSet<(Timestamp, usize)>,
    account: Account,
    /// By how much the clock was advanced, as far as it is written down.
    advanced: Duration,
    /// Gone once the service has stopped.
    store: Option<Store>,
}

/// Why a run was not started.
#[derive(Debug)]
pub(super) enum NotStarted {
    Short(Short),
    Store(StoreError),
}

/// Why rows were not kept.
#[derive(Debug)]
pub(super) enum NotKept {
    /// The job has ended, or the service has.
    Ended,
    Short(Short),
    Store(StoreError),
}

impl From<StoreError> for NotStarted {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Book {
    /// The book as it was when the store was last written, but that jobs have failed whose agents were at work.
    pub(super) fn open(store: Store, saved: Saved, most: usize, now: Timestamp) -> Result<Self, StoreError> {
        let Saved { balance, advanced, jobs, charges } = saved;
        let numbers = jobs.iter().enumerate().map(|(number, job)| (job.id.clone(), number)).collect();
        let timely = (0..).zip(&jobs).filter(|(_, job)| matches!(job.fate, Fate::Timely | Fate::Doomed(_)));
        let mut due: BTreeSet<_> = timely.map(|(number, job)| (job.times.completed, number)).collect();
        let mut account = Account::new(balance);
        due.iter().for_each(|(_, number)| account.reserve(jobs[*number].cost));
        for (number, charge) in charges {
            due.remove(&(jobs[number].times.completed, number));
            account.settle(charge);
        }
        let (next, jobs) = (jobs.len(), jobs.into_iter().enumerate().collect());
        let mut book = Self { jobs, next, most, numbers, due, account, advanced, store: Some(store) };
        for number in 0..next {
            if matches!(book.jobs[&number].fate, Fate::AtWork(_)) {
                book.end(number, Fate::Failed(now, "the service ended while the agent was at work".to_owned()))?;
            }
        }
        book.forget(now);
        Ok(book)
    }

    pub(super) fn job(&self, id: &str) -> Option<&Job> {
        self.numbers.get(id).map(|number| &self.jobs[number])
    }

    /// A job with its number.
    pub(super) fn numbered(&self, id: &str) -> Option<(usize, &Job)> {
        self.numbers.get(id).map(|number| (*number, &self.jobs[number]))
    }

    /// A piece of the kept rows of a job; `None` beyond the last.
    pub(super) fn piece(&self, number: usize, piece: u64) -> Result<Option<String>, StoreError> {
        self.store.as_ref().ok_or_else(StoreError::closed)?.piece(number, piece)
    }

    /// All jobs it holds, newest first.
    pub(super) fn jobs(&self) -> impl Iterator<Item = &Job> {
        self.jobs.values().rev()
    }

    /// The number of the next job.
    pub(super) fn next_number(&self) -> usize {
        self.next
    }

    pub(super) fn account(&self) -> &Account {
        &self.account
    }

    pub(super) fn starts(&self) -> Vec<Start> {
        let start = |job: &Job| Start {
            job_id: job.id.clone(),
            agent: job.agent.clone(),
            params: job.params.clone(),
            created_at: job.times.created.to_string(),
        };
        self.jobs.values().map(start).collect()
    }

    /// Takes a run in, if the account can pay for it; one that is completed as it starts is charged in the same stroke.
    /// What is free is taken in whatever the account holds.
    pub(super) fn start(&mut self, job: Job, is_free: bool, now: Timestamp) -> Result<&Job, NotStarted> {
        if !is_free {
            self.account.can_pay(job.cost).map_err(NotStarted::Short)?;
        }
        let number = self.next;
        let is_timely = matches!(job.fate, Fate::Timely);
        let charge = (is_timely && job.times.completed <= now).then(|| charge(&job));
        let mut changes = vec![Change::Started(number, &job)];
        changes.extend(charge.as_ref().map(|charge| Change::Charged(number, charge)));
        commit(self.store.as_mut(), &changes)?;
        self.account.reserve(job.cost);
        match charge {
            Some(charge) => self.account.settle(charge),
            None if matches!(job.fate, Fate::AtWork(_)) => {}
            None => drop(self.due.insert((job.times.completed, number))),
        }
        self.numbers.insert(job.id.clone(), number);
        self.jobs.insert(number, job);
        self.next += 1;
        self.forget(now);
        Ok(&self.jobs[&number])
    }

    /// Cancels a job that is still going and gives back what was set aside for it; any other stays as it is.
    pub(super) fn cancel(&mut self, id: &str, now: Timestamp) -> Result<Option<&Job>, StoreError> {
        let Some(&number) = self.numbers.get(id) else { return Ok(None) };
        if matches!(self.jobs[&number].phase(now), Phase::Queued | Phase::Running) {
            self.end(number, Fate::Cancelled(now))?;
        }
        Ok(Some(&self.jobs[&number]))
    }

    /// Keeps a piece of the rows of an agent at work and sets aside what they cost.
    pub(super) fn keep(
        &mut self,
        number: usize,
        piece: u64,
        text: &str,
        rows: u64,
        cost: Decimal,
    ) -> Result<(), NotKept> {
        let job = self.jobs.get_mut(&number).filter(|job| matches!(job.fate, Fate::AtWork(_)));
        let Some(job) = job.filter(|_| self.store.is_some()) else { return Err(NotKept::Ended) };
        if cost > Decimal::ZERO {
            self.account.can_pay(cost).map_err(NotKept::Short)?;
        }
        commit(self.store.as_mut(), &[Change::Kept(number, piece, text)]).map_err(NotKept::Store)?;
        self.account.reserve(cost);
        job.rows += rows;
        job.cost += cost;
        Ok(())
    }

    /// The agent has done its work: the job completes when its time has come, which may be now.
    pub(super) fn finish(&mut self, number: usize, columns: Vec<String>, now: Timestamp) -> Result<(), StoreError> {
        let Some(job) = self.jobs.get(&number).filter(|job| matches!(job.fate, Fate::AtWork(_))) else { return Ok(()) };
        let mut job = Job { fate: Fate::Timely, origin: Origin::Kept { columns }, ..job.clone() };
        job.times.completed = job.times.completed.max(now);
        commit(self.store.as_mut(), &[Change::Turned(number, &job)])?;
        self.due.insert((job.times.completed, number));
        self.jobs.insert(number, job);
        Ok(())
    }

    /// The agent has failed: the job costs nothing and has no rows.
    pub(super) fn fail(&mut self, number: usize, why: &str, now: Timestamp) {
        if self.jobs.get(&number).is_some_and(|job| matches!(job.fate, Fate::AtWork(_))) {
            let fate = Fate::Failed(now, why.to_owned());
            // Where that cannot be written, the job still counts as at work, and has failed when the service starts
            // anew.
            if self.end(number, fate.clone()).is_err() {
                self.release(number, fate);
            }
        }
    }

    /// Ends a job that has not completed.
    fn end(&mut self, number: usize, fate: Fate) -> Result<(), StoreError> {
        let job = Job { fate, ..self.jobs[&number].clone() };
        commit(self.store.as_mut(), &[Change::Turned(number, &job)])?;
        self.release(number, job.fate);
        Ok(())
    }

    /// Gives back what was set aside for a job that has ended.
    fn release(&mut self, number: usize, fate: Fate) {
        let Some(job) = self.jobs.get_mut(&number) else { return };
        if let Fate::AtWork(stop) = &job.fate {
            stop.set();
        }
        job.fate = fate;
        self.due.remove(&(job.times.completed, number));
        self.account.release(job.cost);
    }

    /// Charges what has completed by now, in the order of completion, gives back what was set aside for what has
    /// failed, and writes down how far the clock was advanced.
    pub(super) fn settle(&mut self, now: Timestamp, advanced: Duration) -> Result<(), StoreError> {
        let due: Vec<_> = self.due.iter().take_while(|(at, _)| *at <= now).map(|(_, number)| *number).collect();
        let (completed, failed): (Vec<_>, Vec<_>) =
            due.into_iter().partition(|number| matches!(self.jobs[number].fate, Fate::Timely));
        let charges: Vec<_> = completed.into_iter().map(|number| (number, charge(&self.jobs[&number]))).collect();
        let change = (advanced != self.advanced).then_some(Change::Advanced(advanced));
        let paid = charges.iter().map(|(number, charge)| Change::Charged(*number, charge));
        commit(self.store.as_mut(), &change.into_iter().chain(paid).collect::<Vec<_>>())?;
        self.advanced = advanced;
        for _ in 0..charges.len() + failed.len() {
            self.due.pop_first();
        }
        for (_, charge) in charges {
            self.account.settle(charge);
        }
        for number in failed {
            self.account.release(self.jobs[&number].cost);
        }
        Ok(())
    }

    /// Forgets the oldest jobs that have ended, as far as there are too many. What is still to be paid has not ended,
    /// and the newest is yet to be told of.
    fn forget(&mut self, now: Timestamp) {
        let is_over = |(number, job): &(&usize, &Job)| {
            **number + 1 < self.next
                && !matches!(job.phase(now), Phase::Queued | Phase::Running)
                && !self.due.contains(&(job.times.completed, **number))
        };
        let too_many = self.jobs.len().saturating_sub(self.most);
        let over: Vec<_> = self.jobs.iter().filter(is_over).take(too_many).map(|(number, _)| *number).collect();
        for number in over {
            if let Some(job) = self.jobs.remove(&number) {
                self.numbers.remove(&job.id);
            }
        }
    }

    /// Closes the store. What is in the book can still be read, and nothing changes any more.
    pub(super) fn close(&mut self) {
        self.store = None;
        for job in self.jobs.values() {
            if let Fate::AtWork(stop) = &job.fate {
                stop.set();
            }
        }
    }
}

/// What a job is charged when it completes.
fn charge(job: &Job) -> Charge {
    Charge {
        job_id: job.id.clone(),
        agent: job.agent.clone(),
        rows: job.rows,
        amount_usd: job.cost.normalize(),
        at: job.times.completed,
    }
}

fn commit(store: Option<&mut Store>, changes: &[Change<'_>]) -> Result<(), StoreError> {
    match store {
        _ if changes.is_empty() => Ok(()),
        Some(store) => store.commit(changes),
        None => Err(StoreError::closed()),
    }
}
