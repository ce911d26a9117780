//! JSON text of values that are in columns, for columns that mix kinds, and for CSV and NDJSON.
//!
//! `render` writes it, by an `outline` of which members of objects are there; `marks` remembers which of the texts in a
//! column are no strings, `text_of` makes `str` of one, `pointers` tells which columns hold nothing else, as their
//! metadata says, and `parse_back` reads those again.

mod marks;
mod outline;
mod parse_back;
mod pointers;
mod render;
mod text_of;

pub(super) use marks::JsonMarks;
pub(in crate::rows) use outline::Outline;
pub(in crate::rows) use pointers::{JsonTexts, PointerBudget, PointerTo};
pub(super) use text_of::text_of;
