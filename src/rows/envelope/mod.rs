//! What stands around the rows: the results object of section 4.3, a bare array, or nothing but line breaks.
//!
//! In reading order: `reader` goes from row to row, `sniff` tells what a body is that nobody has named, and `doubt`
//! says so where it may have been meant as something else.

mod reader;

mod doubt;
mod sniff;

pub use reader::{BOM, Envelope};
pub(super) use reader::{EnvelopeReader, Next};
