//! What every column that holds values is made of while it grows: its values, a bit for each that says whether it is
//! null, and its long runs of nulls as gaps.
//!
//! ```text
//! logical    1  null  2  null null null null null null  3     len 10
//! physical   1   0    2                                 3     4 of them, bits 1 0 1 1
//! gaps                  { start: 3, physical: 3, count: 6 }
//! ```
//!
//! As in Arrow's run-end encoded arrays a *logical* index counts every place, and a *physical* one only those stored.
//! `values` takes them as they come, `bits` and `gaps` say what is null, and `lay_out` gives each place its own once
//! the column is finished.

mod bits;
mod gaps;
mod lay_out;
mod values;

pub(super) use bits::Bits;
pub(in crate::rows) use values::Gapped;
