//! A type that was asked for, and whether every value survives it.

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use super::cast::cast_exactly;
use super::misfit::{self, Misfit};
use super::padding::{PaddingBudget, padding_bits_if_lengths_match};

/// A type that was asked for, as long as every value survives it.
#[derive(Debug)]
pub(super) struct RequestedType {
    pub(super) wanted: DataType,
    pub(super) inferred: DataType,
    pub(super) is_possible: bool,
    /// Whether numbers among the values were rounded, which makes an exact type impossible.
    pub(super) is_rounded: bool,
    /// How many bits its nulls take.
    pub(super) padding_bits: u64,
    pub(super) is_too_large: bool,
    /// A value that did not survive it.
    pub(super) misfit: Option<Misfit>,
}

impl RequestedType {
    pub(super) fn new(wanted: DataType, inferred: DataType, is_possible: bool, is_rounded: bool) -> Self {
        let is_possible = is_possible && !is_rounded;
        Self { wanted, inferred, is_possible, is_rounded, padding_bits: 0, is_too_large: false, misfit: None }
    }

    /// The type that all values so far survive.
    pub(super) fn data_type(&self) -> &DataType {
        if self.is_possible { &self.wanted } else { &self.inferred }
    }

    /// Looks at more values. Gives what they are in the type, or `None` where they stay as they are: the type is given
    /// up, or their nulls take more than is left of the budget, which is known to be right only once all were looked at
    /// ([`is_possible`](Self::is_possible) tells the two apart).
    pub(super) fn observe(&mut self, array: &ArrayRef, budget: &mut PaddingBudget) -> Option<ArrayRef> {
        if !self.is_possible {
            self.look_for_misfit(array);
            return None;
        }
        let bits = padding_bits_if_lengths_match(array, &self.wanted);
        self.padding_bits = self.padding_bits.saturating_add(bits.unwrap_or_default());
        let made = match bits {
            Some(bits) if budget.take(bits) => cast_exactly(array, &self.wanted),
            Some(_) if misfit::all_survive(array, &self.wanted) => return None,
            _ => None,
        };
        if made.is_none() {
            self.is_possible = false;
            self.look_for_misfit(array);
        }
        made
    }

    /// Prefers a value that the type cannot hold over one it changes, even if that came in an earlier batch.
    fn look_for_misfit(&mut self, array: &ArrayRef) {
        self.misfit = match self.misfit.take() {
            None => misfit::first_in(array, &self.wanted),
            Some(Misfit::Changed(value)) => misfit::not_held_in(array, &self.wanted).or(Some(Misfit::Changed(value))),
            held => held,
        };
    }
}
