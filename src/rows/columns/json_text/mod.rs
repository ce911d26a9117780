//! JSON text of values that are in columns, for columns that mix kinds, and for CSV and NDJSON.
//!
//! `render` writes it, by an `outline` of which members of objects are there; `marks` remembers which of the texts in a
//! column are no strings, and `pointers` which columns hold nothing else, as their metadata tells.

mod marks;
mod outline;
mod pointers;
mod render;

pub(super) use marks::{JsonMarks, text_of};
pub(in crate::rows) use outline::Outline;
pub(in crate::rows) use pointers::{JsonTexts, PointerBudget, PointerTo};
