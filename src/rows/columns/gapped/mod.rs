//! Values with nulls between them, which may be far more than the values: what every column that holds values is made
//! of.
//!
//! `values` takes them as they come, `bits` says which of a few nulls in a row they are, `gaps` where there are many,
//! and `lay_out` makes a place for each row once the column is finished.
//!
//! `len` counts all places, those in gaps included; `value_count` those in no gap, each with a value or one of a few
//! nulls; and a `value_index` says which of the latter stands at a place.

mod bits;
mod gaps;
mod lay_out;
mod values;

pub(super) use bits::Bits;
pub(in crate::rows) use values::Gapped;
