//! The last step: segments become record batches of the one schema that holds them all.
//!
//! [`plan`] makes them, and [`notes`] says what was widened and why, some by [`counting_notes`]. [`convert`] makes
//! other types of columns, and what is within them has a [`target`] of its own; [`cast`] is for values that are alike,
//! [`distinct`] for dictionaries of few keys, [`padding`] for nulls of a fixed size, [`dates`] for dates and times in
//! text, [`numbers`] for those in text, [`decimals`] for floats. [`misfit`] finds a value for which a type is not
//! given, [`misspelt`] a column that a schema names almost. [`place`] is where something stands, [`nested`] tells what
//! types hold, [`type_name`] what they are called.

mod plan;

pub(super) mod counting_notes;
pub(super) mod notes;

mod convert;
mod misfit;
mod misspelt;
mod place;
mod target;

pub(super) mod cast;
mod dates;
mod decimals;
pub(super) mod distinct;
mod numbers;
pub(super) mod padding;

pub(super) mod nested;
mod type_name;

pub use nested::directly_within;
pub(super) use plan::{Plan, rows};
pub use type_name::type_name;
