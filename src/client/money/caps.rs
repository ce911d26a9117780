//! The caps on what a run may cost: kept before anything is sent.
//!
//! A run may be under a cap of its own, one that it shares with the others of a call, and one of its client. It has to
//! fit into all of them by its worst case: price times the most rows. Without any cap nothing is asked.

use rust_decimal::Decimal;

use super::budget::{Budget, Verdict};
use super::reservations::Reservation;
use crate::client::Client;
use crate::client::agents::near_names;
use crate::client::call::Call;
use crate::client::error::Error;
use crate::client::error_kind::{ErrorKind, Outcome};
use crate::client::prepare::Prepared;
use crate::client::progress::{Phase, Progress};

impl Client {
    /// Reserves what a run may cost in the caps it is under, or refuses it; `None` where it is under none.
    ///
    /// A run of a call of many waits while the others hold what it needs; one that stands alone is refused then.
    pub(in crate::client) async fn reserve(
        &self,
        call: &Call,
        prepared: &Prepared,
        own: Option<Decimal>,
        shared: Option<&Budget>,
        progress: &Progress,
    ) -> Result<Option<Reservation>, Error> {
        let budgets: Vec<Budget> = shared.into_iter().chain(self.0.budget.as_ref()).cloned().collect();
        let Some(cap) = budgets.iter().map(Budget::cap).chain(own).min() else { return Ok(None) };
        check(Some(cap))?;
        // What needs no quote is refused without one.
        let max_rows = bounded(prepared, cap)?;
        progress.enter(Phase::Quoting);
        let price = self.recent_quote(call, prepared).await.map_err(|error| error.with_outcome(Outcome::NotSent))?;
        let (price, cost) = within_cap(prepared, max_rows, price, cap)?;
        if budgets.is_empty() {
            return Ok(None);
        }
        loop {
            // Registered before the look, so that no change in between is missed.
            let changed = self.0.reservations.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            match reserve_in_all(&budgets, cost) {
                Ok(()) => return Ok(Some(Reservation::new(budgets, cost, price, progress, &self.0.reservations))),
                Err((Verdict::Later, _)) if shared.is_some() => changed.await,
                Err((verdict, budget)) => {
                    // What was taken for a moment may have kept others waiting.
                    self.0.reservations.changed.notify_waiters();
                    return Err(no_room(prepared, cost, budget, verdict));
                }
            }
        }
    }
}

/// Whether an amount can be a cap.
pub(in crate::client) fn check(cap: Option<Decimal>) -> Result<(), Error> {
    if cap.is_some_and(|cap| cap.is_sign_negative() && !cap.is_zero()) {
        return Err(Error::new(ErrorKind::Config, "`max_cost_usd` must not be negative"));
    }
    Ok(())
}

/// Takes the amount out of all caps or out of none; an error is the one that has no room.
fn reserve_in_all(budgets: &[Budget], amount: Decimal) -> Result<(), (Verdict, &Budget)> {
    for (at, budget) in budgets.iter().enumerate() {
        let verdict = budget.take(amount);
        if verdict != Verdict::Taken {
            budgets[..at].iter().for_each(|earlier| earlier.settle(amount, false, Decimal::ZERO));
            return Err((verdict, budget));
        }
    }
    Ok(())
}

fn bounded(prepared: &Prepared, cap: Decimal) -> Result<u64, Error> {
    let agent = &prepared.agent;
    if let Some(max_rows) = prepared.max_rows() {
        return Ok(max_rows);
    }
    let Some(known) = prepared.known else {
        let near = near_names(&agent.to_string());
        let near = if near.is_empty() { String::new() } else { format!("near names: {}; ", near.join(", ")) };
        let message = format!("nobody can say how many rows `{agent}` may bring, so {cap} USD cannot be kept");
        let hint = format!("{near}an agent outside the catalogue runs only without `max_cost_usd`");
        return Err(exceeded(message).with_hint(hint));
    };
    let open = known.open_limit(&prepared.params).unwrap_or("the limits");
    let message = format!("`{agent}` may bring any number of rows, so {cap} USD cannot be kept: `{open}` is open");
    Err(exceeded(message).with_hint(format!("set `{open}` to the most rows you want, above 0")))
}

/// The price and the worst case, if that is within the cap as a whole.
fn within_cap(
    prepared: &Prepared,
    max_rows: u64,
    price: Option<Decimal>,
    cap: Decimal,
) -> Result<(Decimal, Decimal), Error> {
    let agent = &prepared.agent;
    let Some(price) = price else {
        let message = format!("the service names no price for `{agent}`, so {cap} USD cannot be kept");
        return Err(exceeded(message).with_hint("an agent without a price runs only without `max_cost_usd`"));
    };
    match prepared.max_cost(price) {
        Some(cost) if cost <= cap => Ok((price, cost)),
        cost => {
            let cost = cost.map_or("more than can be said".to_owned(), |cost| format!("up to {cost} USD"));
            let rows = if max_rows == 1 { "1 row".to_owned() } else { format!("{max_rows} rows") };
            let message = format!(
                "`{agent}` may bring {rows} and cost {cost} at {price} USD for 1000, more than the cap of {cap} USD"
            );
            Err(exceeded(message).with_hint("ask for fewer rows, or raise `max_cost_usd`"))
        }
    }
}

/// A run that would fit into its cap, had others not taken so much of it.
fn no_room(prepared: &Prepared, cost: Decimal, budget: &Budget, verdict: Verdict) -> Error {
    let agent = &prepared.agent;
    let standing = budget.standing();
    let message = format!(
        "`{agent}` may cost up to {cost} USD, and of the cap of {} USD only {} USD are neither spent nor held by other runs",
        standing.cap.normalize(),
        standing.free.normalize()
    );
    exceeded(message).with_hint(match verdict {
        Verdict::Later => {
            "runs that are under way may give some back when they end; try again then, or raise `max_cost_usd`"
        }
        _ => {
            "ask for fewer rows, or raise `max_cost_usd`; a job that nobody waits for gives back what it did not cost \
              once `job.wait()` or `job.refresh()` has heard of its end"
        }
    })
}

fn exceeded(message: String) -> Error {
    Error::new(ErrorKind::BudgetExceeded, message)
}
