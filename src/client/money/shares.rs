//! What each run has taken out of the caps it is under, until it is known what it cost.
//!
//! A share is given back when its start was certainly refused or never sent. Once its job is known it lies here under
//! the job's id, and whatever this client hears of the job settles it: rows times price when it is completed, nothing
//! when it was cancelled, or failed and says nothing else. A start whose answer never came keeps its share for good.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use rust_decimal::Decimal;
use tokio::sync::Notify;

use super::budget::Budget;
use crate::client::job::Job;
use crate::client::progress::{Phase, Progress};
use crate::lock::lock;
use crate::wire::JobId;

/// The worst case of one run, taken out of every shared cap it is under.
#[derive(Debug)]
pub(in crate::client) struct Share {
    budgets: Vec<Budget>,
    amount: Decimal,
    price_per_1k_usd: Decimal,
    progress: Progress,
    is_left: bool,
    changed: Arc<Notify>,
}

/// The shares of the jobs that were started and have not told their cost.
#[derive(Debug, Default)]
pub(in crate::client) struct Shares {
    of_jobs: Mutex<HashMap<JobId, Share>>,
    /// Told whenever a cap may have more room than before.
    pub(in crate::client) changed: Arc<Notify>,
}

/// A job that is waited for; when that ends before its cost is known, its share is left.
pub(in crate::client) struct Waited<'a> {
    shares: &'a Shares,
    id: JobId,
}

impl Share {
    pub(in crate::client) fn new(
        budgets: Vec<Budget>,
        amount: Decimal,
        price_per_1k_usd: Decimal,
        progress: &Progress,
        shares: &Shares,
    ) -> Self {
        let (progress, changed) = (progress.clone(), Arc::clone(&shares.changed));
        Self { budgets, amount, price_per_1k_usd, progress, is_left: false, changed }
    }

    fn settle(mut self, cost: Decimal) {
        self.budgets.drain(..).for_each(|budget| budget.settle(self.amount, self.is_left, cost));
    }

    fn leave(&mut self) {
        if !std::mem::replace(&mut self.is_left, true) {
            self.budgets.iter().for_each(|budget| budget.leave(self.amount));
        }
    }
}

impl Drop for Share {
    /// Of a run that came to no job, only a start that was on its way may still cost something.
    fn drop(&mut self) {
        if self.progress.phase() == Phase::Starting {
            self.leave();
        } else {
            self.budgets.drain(..).for_each(|budget| budget.settle(self.amount, self.is_left, Decimal::ZERO));
        }
        self.changed.notify_waiters();
    }
}

/// The share of a start on its way, which whoever learns the job's id passes on to the job: the one who waits for the
/// start, or the task that carries it to its answer.
#[derive(Debug, Clone)]
pub(in crate::client) struct Stake(Arc<Mutex<Staking>>);

#[derive(Debug, Default)]
struct Staking {
    share: Option<Share>,
    job: Option<JobId>,
    is_abandoned: bool,
}

/// A start that is waited for; dropped before its job is known, its share is left, as a job's is that nobody waits for.
pub(in crate::client) struct Staked<'a> {
    shares: &'a Shares,
    stake: &'a Stake,
}

impl Stake {
    pub(in crate::client) fn of(share: Option<Share>) -> Self {
        Self(Arc::new(Mutex::new(Staking { share, ..Staking::default() })))
    }

    /// The start is waited for until what this returns is dropped.
    pub(in crate::client) fn while_waited<'a>(&'a self, shares: &'a Shares) -> Staked<'a> {
        Staked { shares, stake: self }
    }

    /// The start has come to a job, which the share belongs to from here.
    pub(in crate::client) fn won(&self, shares: &Shares, job: &Job) {
        let mut staking = lock(&self.0);
        let Some(share) = staking.share.take() else { return };
        shares.hold(job, share);
        staking.job = Some(job.id().clone());
        if staking.is_abandoned {
            drop(shares.while_waited(job.id()));
        }
    }
}

impl Drop for Staked<'_> {
    fn drop(&mut self) {
        let mut staking = lock(&self.stake.0);
        staking.is_abandoned = true;
        if let Some(id) = &staking.job {
            drop(self.shares.while_waited(id));
        }
        match &mut staking.share {
            Some(share) if share.progress.phase() == Phase::Starting => share.leave(),
            share => drop(share.take()),
        }
        self.shares.changed.notify_waiters();
    }
}

impl Shares {
    /// The job is waited for until what this returns is dropped.
    pub(in crate::client) fn while_waited(&self, id: &JobId) -> Waited<'_> {
        Waited { shares: self, id: id.clone() }
    }

    /// Settles what the job had taken, if it has told what it cost.
    pub(in crate::client) fn hear(&self, job: &Job) {
        self.with(|of_jobs| {
            let Some(share) = of_jobs.get(job.id()) else { return };
            let known = job.billed_usd(Some(share.price_per_1k_usd));
            if let (Some(known), Some(share)) = (known, known.and_then(|_| of_jobs.remove(job.id()))) {
                share.settle(known);
            }
        });
    }

    fn hold(&self, job: &Job, share: Share) {
        self.with(|of_jobs| of_jobs.insert(job.id().clone(), share));
        self.hear(job);
    }

    fn with<T>(&self, act: impl FnOnce(&mut HashMap<JobId, Share>) -> T) -> T {
        act(&mut lock(&self.of_jobs))
    }
}

impl Drop for Waited<'_> {
    fn drop(&mut self) {
        self.shares.with(|of_jobs| of_jobs.get_mut(&self.id).map(Share::leave));
        self.shares.changed.notify_waiters();
    }
}
