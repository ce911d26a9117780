//! Finished columns as Arrow arrays, and the way back.
//!
//! A column is laid out in two steps. [`Column::seal`](super::Column::seal), by the thread that read it, gives members
//! a place for every object and makes offsets of ends. [`arrays`], once it is known what all segments hold, widens what
//! is left to widen, and gives each place of a gap its own.

mod from_arrow;
mod no_values;
mod to_arrow;

pub(in crate::rows) use no_values::{NoValues, may_be_shared};
pub(in crate::rows) use to_arrow::arrays;
