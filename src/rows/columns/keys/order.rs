//! Whether the keys of objects keep an order, as far as it pays to count on it.
//!
//! Where members are only left out at times, the key that comes is one of the next few. Where they stand in any order,
//! or are a few of very many, trying those costs a branch that the processor guesses wrong for each, and the key is
//! looked up after all.

/// What is gained by a key that was one of the next.
const GAIN: i8 = 1;
/// What is lost by one that was not.
const LOSS: i8 = 8;
/// The most that can be gained, and so be lost.
const MAX_BALANCE: i8 = 32;

/// How many keys are looked up at once before the next ones are tried again.
const PAUSE: i8 = 64;

/// Goes by keys that were not the expected one.
#[derive(Debug, Default)]
pub(in crate::rows::columns) struct Order {
    /// Below zero it is a pause.
    balance: i8,
}

impl Order {
    #[inline]
    pub(in crate::rows::columns) fn is_kept(&self) -> bool {
        self.balance >= 0
    }

    /// Learns whether a key was one of the next; in a pause only that there was one.
    #[inline]
    pub(in crate::rows::columns) fn learn(&mut self, is_next: bool) {
        self.balance = match self.balance {
            ..0 => self.balance + 1,
            _ if is_next => MAX_BALANCE.min(self.balance + GAIN),
            LOSS.. => self.balance - LOSS,
            _ => -PAUSE,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(keys: impl IntoIterator<Item = bool>) -> Order {
        let mut order = Order::default();
        keys.into_iter().for_each(|is_next| order.learn(is_next));
        order
    }

    #[test]
    fn an_order_with_few_exceptions_is_counted_on() {
        let keys = (0..1000).map(|at| at % 10 > 0);
        let kept = (0..1000).filter(|&count| after(keys.clone().skip(1).take(count)).is_kept()).count();
        assert_eq!(kept, 1000);
    }

    #[test]
    fn no_order_is_tried_now_and_then_only() {
        let kept = (0..1000).filter(|&count| after((0..count).map(|at| at % 2 > 0)).is_kept()).count();
        assert!((10..100).contains(&kept), "{kept}");
    }
}
