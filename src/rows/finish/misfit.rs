//! The first value that does not survive a type, for whoever asked for that and is to know why it is not given.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, UInt64Array};
use arrow_schema::{DataType, Field};
use arrow_select::take::take;

use super::cast::{cast_exactly, holds_all, takes_kind};
use super::padding::{exceeds_budget, padding_bits_if_lengths_match};
use crate::rows::clipped::clipped;
use crate::rows::columns::{Column, JsonTexts};

/// How much of a value is quoted in a note.
const MAX_QUOTED: usize = 40;

/// A value that does not survive a type, as a note quotes it.
#[derive(Debug)]
pub(super) enum Misfit {
    /// The type has nothing for it.
    NotHeld(String),
    /// It comes out of the type as another: `007` of numbers as `7`.
    Changed(String),
}

impl Misfit {
    pub(super) fn value(&self) -> &str {
        match self {
            Self::NotHeld(value) | Self::Changed(value) => value,
        }
    }

    /// The text, if it is one and quoted whole.
    pub(super) fn text(&self) -> Option<&str> {
        self.value().strip_prefix('"')?.strip_suffix('"').filter(|text| !text.ends_with('…'))
    }
}

/// Whether all values survive a type, as far as that can be told without making more nulls than there is memory for.
pub(super) fn all_survive(array: &ArrayRef, wanted: &DataType) -> bool {
    values_of(array).is_some_and(|values| survive(&values, wanted))
}

/// The first value that a type does not hold, or else the first that it changes. There is none where the type takes no
/// values of their kind, or not so many of them.
pub(super) fn first_in(array: &ArrayRef, wanted: &DataType) -> Option<Misfit> {
    let wanted = &for_any_number(wanted);
    if !takes_kind(array.data_type(), wanted) {
        return None;
    }
    not_held_in(array, wanted).or_else(|| {
        let values = values_of(array)?;
        first(&values, |values| survive(values, wanted)).map(Misfit::Changed)
    })
}

/// The first value that a type does not hold. There is none where it takes no values of their kind.
pub(super) fn not_held_in(array: &ArrayRef, wanted: &DataType) -> Option<Misfit> {
    let wanted = &for_any_number(wanted);
    if !takes_kind(array.data_type(), wanted) {
        return None;
    }
    let values = values_of(array)?;
    first(&values, |values| fit(values, wanted, |values| holds_all(values, wanted))).map(Misfit::NotHeld)
}

/// The first value that is not right by itself; none where all together are, or where not even an empty array is.
fn first(values: &ArrayRef, are_right: impl Fn(&ArrayRef) -> bool) -> Option<String> {
    // As if there were no others: Arrow's casts look at elements beyond those of a slice.
    let part = |start: usize, end: usize| taken(values, start..end);
    if are_right(values) || !are_right(&part(0, 0)?) {
        return None;
    }
    // The values before `start` are right, and one of those up to `end` is not.
    let (mut start, mut end) = (0, values.len());
    while end - start > 1 {
        let middle = start + (end - start) / 2;
        if are_right(&part(start, middle)?) { start = middle } else { end = middle }
    }
    let value = part(start, end)?;
    if are_right(&value) {
        return None;
    }
    if value.data_type().is_string() {
        return Some(quoted(value.as_string::<i32>().value(0)));
    }
    let mut text = Vec::new();
    Column::of_array(&value, &JsonTexts::default().top()).render_faithfully(0, &mut text);
    Some(clipped(&String::from_utf8_lossy(&text), MAX_QUOTED).into_owned())
}

/// A text as a note quotes it.
pub(super) fn quoted(text: &str) -> String {
    format!("{:?}", clipped(text, MAX_QUOTED))
}

fn survive(values: &ArrayRef, wanted: &DataType) -> bool {
    fit(values, wanted, |values| cast_exactly(values, wanted).is_some())
}

/// Whether values are of the length that a type has, and convert as far as there is memory for their nulls.
fn fit(values: &ArrayRef, wanted: &DataType, convert: impl Fn(&ArrayRef) -> bool) -> bool {
    padding_bits_if_lengths_match(values, wanted).is_some_and(|bits| exceeds_budget(bits) || convert(values))
}

/// A type that has keys or ends of runs for any number of values: no value is a misfit for want of those.
fn for_any_number(wanted: &DataType) -> DataType {
    match wanted {
        DataType::Dictionary(_, values) => DataType::Dictionary(Box::new(DataType::Int64), values.clone()),
        DataType::RunEndEncoded(ends, values) => {
            let ends = Field::clone(ends).with_data_type(DataType::Int64);
            DataType::RunEndEncoded(Arc::new(ends), Arc::clone(values))
        }
        other => other.clone(),
    }
}

/// All that is not null.
fn values_of(array: &ArrayRef) -> Option<ArrayRef> {
    match array.logical_nulls() {
        None => Some(Arc::clone(array)),
        Some(nulls) => taken(array, nulls.valid_indices()),
    }
}

fn taken(array: &ArrayRef, places: impl Iterator<Item = usize>) -> Option<ArrayRef> {
    take(array, &UInt64Array::from_iter_values(places.map(|at| at as u64)), None).ok()
}
