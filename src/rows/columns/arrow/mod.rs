//! Finished columns as Arrow arrays, and the way back.

mod from_arrow;
mod no_values;
mod to_arrow;

pub(in crate::rows) use no_values::{NoValues, may_be_shared};
pub(in crate::rows) use to_arrow::arrays;
