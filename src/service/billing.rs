//! The account: a balance, what is set aside for running jobs, and what was charged.
//!
//! A run's cost is known when it starts and set aside then, all or nothing; completion turns it into a charge,
//! cancelling gives it back. So what remains is never negative, and it is always the first balance less the sum of the
//! charges.

use jiff::Timestamp;
use rust_decimal::Decimal;

use crate::catalogue::Agent;

/// What 1000 rows cost in USD where the contract prices rows in credits (1 credit a row): this service's own price.
const CREDIT_PRICE_PER_1K_USD: Decimal = Decimal::TWO;

/// USD for 1000 rows of an agent: the contract's price, or this service's own.
pub(super) fn price_per_1k(agent: &Agent) -> Decimal {
    agent.price_per_1k_usd.unwrap_or(CREDIT_PRICE_PER_1K_USD)
}

/// What some rows cost at a price for 1000, exactly.
pub(super) fn cost(price_per_1k: Decimal, rows: u64) -> Decimal {
    Decimal::from(rows) * price_per_1k / Decimal::ONE_THOUSAND
}

/// A completed job that was paid for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charge {
    pub job_id: String,
    /// `group/slug`
    pub agent: String,
    pub rows: u64,
    pub amount_usd: Decimal,
    /// When the job completed.
    pub at: Timestamp,
}

/// What a run needs and the account has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Short {
    pub(super) required: Decimal,
    pub(super) available: Decimal,
}

#[derive(Debug)]
pub(super) struct Account {
    remaining: Decimal,
    reserved: Decimal,
    charges: Vec<Charge>,
}

impl Account {
    pub(super) fn new(balance: Decimal) -> Self {
        Self { remaining: balance, reserved: Decimal::ZERO, charges: Vec::new() }
    }

    /// What is left: the first balance less all charges. What is set aside still counts as left.
    pub(super) fn remaining(&self) -> Decimal {
        self.remaining
    }

    pub(super) fn charges(&self) -> &[Charge] {
        &self.charges
    }

    /// Whether the account can pay for a run. One with nothing free starts no run at all, not even one without rows.
    pub(super) fn can_pay(&self, cost: Decimal) -> Result<(), Short> {
        let available = self.remaining - self.reserved;
        if available <= Decimal::ZERO || cost > available { Err(Short { required: cost, available }) } else { Ok(()) }
    }

    /// Sets the cost of a run aside that [can be paid](Self::can_pay).
    pub(super) fn reserve(&mut self, cost: Decimal) {
        self.reserved += cost;
    }

    /// Gives back what was set aside for a cancelled run.
    pub(super) fn release(&mut self, cost: Decimal) {
        self.reserved -= cost;
    }

    /// Turns what was set aside into a charge.
    pub(super) fn settle(&mut self, charge: Charge) {
        self.reserved -= charge.amount_usd;
        self.remaining -= charge.amount_usd;
        self.charges.push(charge);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::find;
    use crate::service::clock::EPOCH;

    fn pay(account: &mut Account, cost: Decimal) -> Result<(), Short> {
        account.can_pay(cost).map(|()| account.reserve(cost))
    }

    #[test]
    fn what_is_set_aside_is_charged_or_given_back_to_the_last_digit() {
        let events = price_per_1k(find("events", "events").unwrap());
        let mut account = Account::new("0.03".parse().unwrap());
        pay(&mut account, cost(events, 2)).unwrap();
        let short = pay(&mut account, cost(events, 2)).unwrap_err();
        assert_eq!((short.required.to_string(), short.available.to_string()), ("0.02".to_owned(), "0.01".to_owned()));
        let (job_id, agent, amount_usd) = ("j1".to_owned(), "events/events".to_owned(), cost(events, 2));
        account.settle(Charge { job_id, agent, rows: 2, amount_usd, at: EPOCH });
        pay(&mut account, cost(events, 1)).unwrap();
        account.release(cost(events, 1));
        assert_eq!(account.remaining().to_string(), "0.01");
        assert_eq!(account.charges().len(), 1);
    }

    #[test]
    fn an_empty_account_starts_nothing_not_even_a_run_without_rows() {
        assert!(Account::new(Decimal::ZERO).can_pay(Decimal::ZERO).is_err());
    }

    #[test]
    fn a_million_small_charges_sum_up_exactly() {
        let credit = price_per_1k(find("video", "comment-scraper").unwrap());
        let mut sum = Decimal::ZERO;
        for _ in 0..1_000_000 {
            sum += cost(credit, 1);
        }
        assert_eq!(sum, cost(credit, 1_000_000));
    }
}
