//! The cap on what a single run may cost: kept before anything is sent.

use rust_decimal::Decimal;

use super::Client;
use super::call::Call;
use super::error::Error;
use super::error_kind::{ErrorKind, Outcome};
use super::prepare::Prepared;
use super::progress::{Phase, Progress};

impl Client {
    /// Refuses a run that could cost more than `cap`, or whose cost nobody can bound. Without a cap asks nothing.
    pub(super) async fn keep_within(
        &self,
        call: &Call,
        prepared: &Prepared,
        cap: Option<Decimal>,
        progress: &Progress,
    ) -> Result<(), Error> {
        let Some(cap) = cap else { return Ok(()) };
        if cap.is_sign_negative() && !cap.is_zero() {
            return Err(Error::new(ErrorKind::Config, "`max_cost_usd` must not be negative"));
        }
        // What needs no quote is refused without one.
        let max_rows = bounded(prepared, cap)?;
        progress.enter(Phase::Quoting);
        let price = self.quote(call, prepared).await.map_err(|error| error.with_outcome(Outcome::NotSent))?;
        judge(prepared, max_rows, price, cap)
    }
}

fn bounded(prepared: &Prepared, cap: Decimal) -> Result<u64, Error> {
    let agent = &prepared.agent;
    if let Some(max_rows) = prepared.max_rows() {
        return Ok(max_rows);
    }
    Err(match prepared.known {
        Some(known) => {
            let open = known.open_limit(&prepared.params).unwrap_or("the limits");
            let message =
                format!("`{agent}` may bring any number of rows, so {cap} USD cannot be kept: `{open}` is open");
            exceeded(message).with_hint(format!("set `{open}` to the most rows you want, above 0"))
        }
        None => exceeded(format!("nobody can say how many rows `{agent}` may bring, so {cap} USD cannot be kept"))
            .with_hint("an agent outside the catalogue runs only without `max_cost_usd`"),
    })
}

fn judge(prepared: &Prepared, max_rows: u64, price: Option<Decimal>, cap: Decimal) -> Result<(), Error> {
    let agent = &prepared.agent;
    let Some(price) = price else {
        let message = format!("the service names no price for `{agent}`, so {cap} USD cannot be kept");
        return Err(exceeded(message));
    };
    match prepared.max_cost(price) {
        Some(cost) if cost <= cap => Ok(()),
        cost => {
            let cost = cost.map_or("more than can be said".to_owned(), |cost| format!("up to {cost} USD"));
            let message = format!(
                "`{agent}` may bring {max_rows} rows and cost {cost} at {price} USD for 1000, more than the cap of {cap} USD"
            );
            Err(exceeded(message).with_hint("ask for fewer rows, or raise `max_cost_usd`"))
        }
    }
}

fn exceeded(message: String) -> Error {
    Error::new(ErrorKind::BudgetExceeded, message)
}
