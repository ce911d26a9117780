//! A cap on money, shared by any number of runs. Pure: amounts in, verdicts out.
//!
//! Every run takes its worst case out of the cap before it is started, and gives back what it did not cost once that is
//! known. What is taken and what is spent together never exceed the cap, unless a service bills more than it had told.

use std::sync::{Arc, Mutex};

use rust_decimal::Decimal;

use crate::lock::lock;

/// One cap; clones share it.
#[derive(Debug, Clone)]
pub(in crate::client) struct Budget(Arc<Mutex<Account>>);

#[derive(Debug, Clone, Copy)]
struct Account {
    cap: Decimal,
    /// What ended runs have cost.
    spent: Decimal,
    /// The worst cases of runs that are waited for, and so will tell what they cost.
    running: Decimal,
    /// Those of runs that nobody waits for, or that may or may not be running.
    abandoned: Decimal,
}

/// Whether an amount was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::client) enum Verdict {
    Taken,
    /// Not now, but it may fit when running ones have told what they cost.
    Later,
    /// Not within this cap as it is.
    Never,
}

/// What is left of a cap, for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::client) struct Standing {
    pub cap: Decimal,
    pub free: Decimal,
}

impl Budget {
    pub(in crate::client) fn new(cap: Decimal) -> Self {
        Self(Arc::new(Mutex::new(Account {
            cap,
            spent: Decimal::ZERO,
            running: Decimal::ZERO,
            abandoned: Decimal::ZERO,
        })))
    }

    pub(in crate::client) fn cap(&self) -> Decimal {
        self.with(|account| account.cap)
    }

    pub(in crate::client) fn standing(&self) -> Standing {
        self.with(|account| {
            let taken = sum([account.spent, account.running, account.abandoned]).unwrap_or(account.cap);
            Standing { cap: account.cap, free: (account.cap - taken).max(Decimal::ZERO) }
        })
    }

    /// Takes an amount out, if it fits.
    pub(in crate::client) fn take(&self, amount: Decimal) -> Verdict {
        self.with(|account| {
            let fits = |others: &[Decimal]| {
                let all = others.iter().copied().chain([account.spent, account.abandoned, amount]);
                sum(all).is_some_and(|all| all <= account.cap)
            };
            if fits(&[account.running]) {
                account.running += amount;
                Verdict::Taken
            } else if fits(&[]) {
                Verdict::Later
            } else {
                Verdict::Never
            }
        })
    }

    /// A run that had taken `amount` has ended and cost `cost`.
    pub(in crate::client) fn settle(&self, amount: Decimal, was_abandoned: bool, cost: Decimal) {
        self.with(|account| {
            if was_abandoned {
                account.abandoned -= amount;
            } else {
                account.running -= amount;
            }
            account.spent = account.spent.checked_add(cost).unwrap_or(Decimal::MAX);
        });
    }

    /// Nobody waits any more for a run that had taken `amount`: it may still cost that.
    pub(in crate::client) fn abandon(&self, amount: Decimal) {
        self.with(|account| {
            account.running -= amount;
            account.abandoned += amount;
        });
    }

    fn with<T>(&self, act: impl FnOnce(&mut Account) -> T) -> T {
        act(&mut lock(&self.0))
    }
}

fn sum(amounts: impl IntoIterator<Item = Decimal>) -> Option<Decimal> {
    amounts.into_iter().try_fold(Decimal::ZERO, Decimal::checked_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Debug, Clone, Copy)]
    enum Act {
        Take(u32),
        /// The n-th open run ends and costs this share of its worst case, in hundredths.
        Settle(usize, u32),
        Abandon(usize),
    }

    fn acts() -> impl Strategy<Value = Vec<Act>> {
        let act = prop_oneof![
            3 => (1_u32..400).prop_map(Act::Take),
            2 => (any::<usize>(), 0_u32..=100).prop_map(|(which, part)| Act::Settle(which, part)),
            1 => any::<usize>().prop_map(Act::Abandon),
        ];
        proptest::collection::vec(act, 1..300)
    }

    fn micro(amount: u32) -> Decimal {
        Decimal::new(i64::from(amount), 6)
    }

    proptest! {
        #[test]
        fn what_is_taken_and_spent_never_exceeds_the_cap_and_nothing_is_lost(cap in 0_u32..1000, acts in acts()) {
            let budget = Budget::new(micro(cap));
            let mut open: Vec<(Decimal, bool)> = Vec::new();
            let mut spent = Decimal::ZERO;
            for act in acts {
                match act {
                    Act::Take(amount) => {
                        let amount = micro(amount);
                        let taken: Decimal = open.iter().map(|(amount, _)| amount).sum();
                        let abandoned = open.iter().filter(|(_, is_abandoned)| *is_abandoned);
                        let abandoned: Decimal = abandoned.map(|(amount, _)| amount).sum();
                        let expected = if spent + taken + amount <= budget.cap() {
                            open.push((amount, false));
                            Verdict::Taken
                        } else if spent + abandoned + amount <= budget.cap() {
                            Verdict::Later
                        } else {
                            Verdict::Never
                        };
                        prop_assert_eq!(budget.take(amount), expected);
                    }
                    Act::Settle(which, part) if !open.is_empty() => {
                        let (amount, was_abandoned) = open.swap_remove(which % open.len());
                        let cost = amount * Decimal::new(i64::from(part), 2);
                        budget.settle(amount, was_abandoned, cost);
                        spent += cost;
                    }
                    Act::Abandon(which) if !open.is_empty() => {
                        let which = which % open.len();
                        if !open[which].1 {
                            budget.abandon(open[which].0);
                            open[which].1 = true;
                        }
                    }
                    Act::Settle(..) | Act::Abandon(..) => {}
                }
                let taken: Decimal = open.iter().map(|(amount, _)| amount).sum();
                prop_assert!(spent + taken <= budget.cap());
                prop_assert_eq!(budget.standing().free, budget.cap() - spent - taken);
            }
        }
    }

    #[test]
    fn sixty_four_threads_take_no_more_than_there_is_to_the_micro_dollar() {
        let budget = Budget::new(micro(1000));
        let taken = std::thread::scope(|scope| {
            let takers: Vec<_> = (0..64)
                .map(|_| scope.spawn(|| (0..100).filter(|_| budget.take(micro(3)) == Verdict::Taken).count()))
                .collect();
            takers.into_iter().map(|taker| taker.join().unwrap()).sum::<usize>()
        });
        assert_eq!((taken, budget.standing().free), (333, micro(1)));
    }

    #[test]
    fn a_million_small_charges_are_summed_exactly() {
        let budget = Budget::new(Decimal::from(10));
        for _ in 0..1_000_000 {
            assert_eq!(budget.take(micro(10)), Verdict::Taken);
            budget.settle(micro(10), false, micro(10));
        }
        assert_eq!(budget.take(micro(1)), Verdict::Never);
    }

    #[test]
    fn a_bill_beyond_what_was_told_leaves_nothing_and_no_less() {
        let budget = Budget::new(micro(10));
        assert_eq!(budget.take(micro(10)), Verdict::Taken);
        budget.settle(micro(10), false, Decimal::MAX);
        assert_eq!((budget.standing().free, budget.take(Decimal::ZERO)), (Decimal::ZERO, Verdict::Never));
    }
}
