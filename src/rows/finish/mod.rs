//! The last step: segments become record batches of the one schema that holds them all.
//!
//! A [`Plan`] derives the types from the shapes of all segments, and makes a batch of each segment. The conversions
//! that were asked for then look at every batch. Those that some value does not allow are given up, and the others are
//! made, batch after batch.
//!
//! - [`plan`]: makes types and batches;
//! - [`notes`]: a list of what there is to say; [`why_widened`]: what is said of columns, and [`field_path`]: how notes
//!   name them; [`counting_notes`]: those that count something;
//! - [`convert`]: to the types that were asked for, as [`request`] has it; [`target`]: what is to become of a column
//!   and
//!   of what is within it; [`requested_type`]: one type, for as long as every value survives it;
//! - how values become others: [`cast`] those that are alike, [`dates`] text that is a date or a time ([`iso8601`]
//!   reads it), [`numbers`] text that is a number, [`decimals`] floats;
//! - limits: [`calendar`], which dates and times there are; [`distinct`], whether the keys of a dictionary are enough
//!   for all batches; [`padding`], how much memory nulls of a fixed size may take;
//! - what to say where a type is not given: [`why_not`], in words; [`misfit`] finds a value that does not convert,
//!   [`misspelt`] a column that the schema names almost;
//! - [`nested`]: what types hold; [`type_name`]: what they are called.

mod plan;

pub(super) mod counting_notes;
pub(super) mod field_path;
pub(super) mod notes;
pub(super) mod why_widened;

mod convert;
mod request;
mod requested_type;
mod target;

pub(super) mod cast;
mod dates;
mod decimals;
mod iso8601;
mod numbers;

mod calendar;
pub(super) mod distinct;
pub(super) mod padding;

mod misfit;
mod misspelt;
mod why_not;

pub(super) mod nested;
mod type_name;

pub use nested::directly_within;
pub(super) use plan::{Plan, rows};
pub use type_name::type_name;
