//! Room for values that are still to come: a column that grows step by step is copied at each.
//!
//! How many there will be is a guess, and rows may turn out otherwise. So there is a bound on all room together, and a
//! column that gets none grows as it has to.

use super::{Column, Gapped, Store};
use crate::rows::memory::Values;

/// What columns may reserve.
#[derive(Debug)]
pub(in crate::rows) struct ReserveBudget {
    /// How many times as many values as there are now.
    pub(in crate::rows) times: usize,
    /// And how many bytes for all of them.
    pub(in crate::rows) bytes: usize,
}

impl Column {
    /// Reserves room for the values that are expected.
    pub(in crate::rows) fn reserve(&mut self, budget: &mut ReserveBudget) {
        match &mut self.store {
            Store::Null(_) => {}
            Store::Boolean(values) => values.reserve(budget),
            Store::Int64(values) => values.reserve(budget),
            Store::UInt64(values) => values.reserve(budget),
            Store::Float64(values) => values.reserve(budget),
            Store::Utf8(values) => values.reserve(budget),
            Store::List(list) => list.reserve(budget),
            Store::Struct(fields) => fields.reserve(budget),
        }
    }
}

impl<T: Copy + Default> Gapped<T> {
    /// Reserves room for `budget.times` times as many values as there are now, and some more.
    pub(super) fn reserve(&mut self, budget: &mut ReserveBudget) {
        budget.reserve(self.values_mut(), 0);
    }
}

impl ReserveBudget {
    /// Reserves room for `times` times as many values as there are now, some more, and `after` more after them.
    pub(super) fn reserve<T>(&mut self, values: &mut Values<T>, after: usize) {
        let expected = values.len().saturating_mul(self.times);
        let wanted = expected.saturating_add(expected / 8 + after);
        let Some(left) = self.bytes.checked_sub(wanted.saturating_mul(size_of::<T>())) else { return };
        self.bytes = left;
        // It was only a guess that they come.
        let _ = values.try_reserve(wanted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_take_no_more_room_together_than_there_is() {
        let mut columns = [Gapped::new(), Gapped::new(), Gapped::new()];
        columns.iter_mut().for_each(|column| (0..64).for_each(|value: u64| column.push(value)));
        let mut budget = ReserveBudget { times: 1000, bytes: 1_200_000 };
        columns.iter_mut().for_each(|column| column.reserve(&mut budget));
        assert_eq!(columns.map(|column| column.capacity() >= 64_000), [true, true, false]);
        let mut column = Gapped::new();
        column.push(1_u64);
        column.reserve(&mut ReserveBudget { times: usize::MAX, bytes: usize::MAX });
        assert_eq!(column.values()[0], 1);
    }
}
