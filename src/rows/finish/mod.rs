//! The last step: segments become record batches of the one schema that holds them all.
//!
//! A [`Plan`] derives the types from the shapes of all segments, and makes a batch of each segment. The conversions
//! that were asked for then look at every batch. Those that some value does not allow are given up, and the others are
//! made, batch after batch.
//!
//! - [`plan`]: makes types and batches;
//! - [`notes`]: what was widened and why, some of it counted ([`counting_notes`]); [`field_path`]: where that is;
//! - [`convert`]: to the types that were asked for; [`target`]: what is to become of a column and of what is within it;
//! - how values become others: [`cast`] those that are alike, [`dates`] text that is a date or a time, [`numbers`] text
//!   that is a number, [`decimals`] floats;
//! - limits: [`distinct`], whether the keys of a dictionary are enough for all batches; [`padding`], how much memory
//!   nulls of a fixed size may take;
//! - what to say where a type is not given: [`misfit`] finds a value that does not convert, [`misspelt`] a column that
//!   the schema names almost;
//! - [`nested`]: what types hold; [`type_name`]: what they are called.

mod plan;

pub(super) mod counting_notes;
pub(super) mod notes;

mod convert;
mod field_path;
mod misfit;
mod misspelt;
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
