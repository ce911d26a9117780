//! What each run has reserved of the caps it is under, until it is known what it cost.
//!
//! A reservation is released when its start was certainly refused or never sent. Once its job is known it lies here
//! under the job's id, and whatever this client hears of the job settles it: rows times price when it is completed,
//! nothing when it was cancelled, or failed and says nothing else. A start whose answer never came keeps its
//! reservation for good.
//!
//! A reservation is running while somebody waits for its run, and abandoned once nobody does: it still counts, but no
//! other run waits for its room any more ([`Verdict::Later`](super::budget::Verdict) counts on running ones alone).
//! What is dropped before there is a job is abandoned in [`Phase::Starting`], and given back in any other phase. So the
//! phase is no mere display: it is entered before a start is sent, and left only once that certainly started nothing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use rust_decimal::Decimal;
use tokio::sync::Notify;

use super::budget::Budget;
use crate::client::job::Job;
use crate::client::progress::{Phase, Progress};
use crate::lock::lock;
use crate::wire::JobId;

/// The worst case of one run, reserved in every shared cap it is under.
#[derive(Debug)]
pub(in crate::client) struct Reservation {
    budgets: Vec<Budget>,
    amount: Decimal,
    price_per_1k_usd: Decimal,
    progress: Progress,
    is_abandoned: bool,
    changed: Arc<Notify>,
}

/// The reservations of the jobs that were started and have not told their cost.
#[derive(Debug, Default)]
pub(in crate::client) struct Reservations {
    of_jobs: Mutex<HashMap<JobId, Reservation>>,
    /// Told whenever a cap may have more room than before.
    pub(in crate::client) changed: Arc<Notify>,
}

/// A job that is waited for; when that ends before its cost is known, its reservation is abandoned.
pub(in crate::client) struct WaitedJob<'a> {
    reservations: &'a Reservations,
    id: JobId,
}

impl Reservation {
    pub(in crate::client) fn new(
        budgets: Vec<Budget>,
        amount: Decimal,
        price_per_1k_usd: Decimal,
        progress: &Progress,
        reservations: &Reservations,
    ) -> Self {
        let (progress, changed) = (progress.clone(), Arc::clone(&reservations.changed));
        Self { budgets, amount, price_per_1k_usd, progress, is_abandoned: false, changed }
    }

    fn settle(mut self, cost: Decimal) {
        self.budgets.drain(..).for_each(|budget| budget.settle(self.amount, self.is_abandoned, cost));
    }

    fn abandon(&mut self) {
        if !std::mem::replace(&mut self.is_abandoned, true) {
            self.budgets.iter().for_each(|budget| budget.abandon(self.amount));
        }
    }
}

impl Drop for Reservation {
    /// Of a run that came to no job, only a start that was on its way may still cost something.
    fn drop(&mut self) {
        if self.progress.phase() == Phase::Starting {
            self.abandon();
        } else {
            self.budgets.drain(..).for_each(|budget| budget.settle(self.amount, self.is_abandoned, Decimal::ZERO));
        }
        self.changed.notify_waiters();
    }
}

/// The reservation of a start on its way, which whoever learns the job's id passes on to the job: the one who waits for
/// the start, or the task that carries it to its answer.
#[derive(Debug, Clone)]
pub(in crate::client) struct StartReservation(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    reservation: Option<Reservation>,
    job: Option<JobId>,
    is_abandoned: bool,
}

/// A start that is waited for; dropped before its job is known, its reservation is abandoned, as a job's is that nobody
/// waits for.
pub(in crate::client) struct WaitedStart<'a> {
    reservations: &'a Reservations,
    start: &'a StartReservation,
}

impl StartReservation {
    pub(in crate::client) fn new(reservation: Option<Reservation>) -> Self {
        Self(Arc::new(Mutex::new(State { reservation, ..State::default() })))
    }

    /// The start is waited for until what this returns is dropped.
    pub(in crate::client) fn while_waited<'a>(&'a self, reservations: &'a Reservations) -> WaitedStart<'a> {
        WaitedStart { reservations, start: self }
    }

    /// The start has come to a job, which it belongs to from here.
    pub(in crate::client) fn pass_on_to(&self, job: &Job, reservations: &Reservations) {
        let mut state = lock(&self.0);
        let Some(reservation) = state.reservation.take() else { return };
        reservations.hold(job, reservation);
        state.job = Some(job.id().clone());
        if state.is_abandoned {
            reservations.abandon(job.id());
        }
    }
}

impl WaitedStart<'_> {
    /// The start has come to a job: from here the say is with whoever waits for that.
    pub(in crate::client) fn disarm(self) {
        std::mem::forget(self);
    }
}

impl Drop for WaitedStart<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.start.0);
        state.is_abandoned = true;
        if let Some(id) = &state.job {
            self.reservations.abandon(id);
        }
        match &mut state.reservation {
            Some(reservation) if reservation.progress.phase() == Phase::Starting => reservation.abandon(),
            reservation => drop(reservation.take()),
        }
        self.reservations.changed.notify_waiters();
    }
}

impl Reservations {
    /// The job is waited for until what this returns is dropped.
    pub(in crate::client) fn while_waited(&self, id: &JobId) -> WaitedJob<'_> {
        WaitedJob { reservations: self, id: id.clone() }
    }

    /// Nobody waits for the job any more: it may still cost what it had reserved.
    pub(in crate::client) fn abandon(&self, id: &JobId) {
        self.with(|of_jobs| of_jobs.get_mut(id).map(Reservation::abandon));
        self.changed.notify_waiters();
    }

    /// Settles what the job had reserved, if it has told what it cost.
    pub(in crate::client) fn settle(&self, job: &Job) {
        self.with(|of_jobs| {
            let Some(reservation) = of_jobs.get(job.id()) else { return };
            let known = job.billed_usd(Some(reservation.price_per_1k_usd));
            if let (Some(known), Some(reservation)) = (known, known.and_then(|_| of_jobs.remove(job.id()))) {
                reservation.settle(known);
            }
        });
    }

    fn hold(&self, job: &Job, reservation: Reservation) {
        self.with(|of_jobs| of_jobs.insert(job.id().clone(), reservation));
        self.settle(job);
    }

    fn with<T>(&self, act: impl FnOnce(&mut HashMap<JobId, Reservation>) -> T) -> T {
        act(&mut lock(&self.of_jobs))
    }
}

impl Drop for WaitedJob<'_> {
    fn drop(&mut self) {
        self.reservations.abandon(&self.id);
    }
}
