//! A start that was refused for want of money: what it needed, and what there is.

use std::time::Duration;

use rust_decimal::Decimal;
use tokio::time::{Instant, timeout};

use crate::client::Client;
use crate::client::call::Call;
use crate::client::error::Error;
use crate::client::prepare::Prepared;

/// How long a balance, or that there is none to be had, tells all refusals what there is. A refusal takes nothing from
/// it, so that many starts that fail for want of money need one answer.
const HOLDS: Duration = Duration::from_secs(10);

/// The balance as it was last asked for after a refusal. Its lock is held by the one that asks, so that the others wait
/// for its answer.
pub(in crate::client) type Available = tokio::sync::Mutex<Option<(Instant, Option<Decimal>)>>;

impl Client {
    /// The refusal with what was needed and what there is, where the service told neither.
    pub(in crate::client) async fn with_shortage(&self, call: &Call, prepared: &Prepared, error: Error) -> Error {
        let mut message = error.message().to_owned();
        if !message.contains("; required: ") {
            let cost = self.known_price(&prepared.agent).and_then(|price| prepared.max_cost(price));
            message += &cost.map(|cost| format!("; required: up to {cost} USD")).unwrap_or_default();
        }
        if !message.contains("; available: ") {
            let balance = self.recent_balance(call).await;
            message += &balance.map(|balance| format!("; available: {balance} USD")).unwrap_or_default();
        }
        error.reworded(message)
    }

    /// A job was billed: what there is has changed.
    pub(in crate::client) fn forget_shortage(&self) {
        // Whoever holds it asks right now.
        if let Ok(mut last) = self.0.available.try_lock() {
            *last = None;
        }
    }

    async fn recent_balance(&self, call: &Call) -> Option<Decimal> {
        let patience = call.deadline.cut(Instant::now(), self.config().request_timeout);
        let mut last = timeout(patience, self.0.available.lock()).await.ok()?;
        match *last {
            Some((told, balance)) if told.elapsed() < HOLDS => balance,
            _ => {
                let balance = self.ask_balance(call).await.ok();
                *last = Some((Instant::now(), balance));
                balance
            }
        }
    }
}
