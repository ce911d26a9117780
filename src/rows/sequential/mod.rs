//! A body in one thread, row after row: the reading that every other way of reading has to agree with.
//!
//! In reading order: `body` takes the bytes, window by window, and `rest` keeps what is left of a row; `segments` holds
//! the rows, cut to bounded size, and `adopt` takes over those that were read ahead; `weigh` refuses rows with which
//! the table would be far larger than the body, and `cell_budget` counts what they ask for; `estimates` says what is to
//! be expected of the rows to come, and `chunk_overhead` where their columns are too many for several threads.

mod body;
mod rest;

mod adopt;
mod segments;

mod cell_budget;
mod weigh;

mod chunk_overhead;
mod estimates;

pub(super) use adopt::{Adopted, RowsAhead};
pub(super) use body::Sequential;
pub(super) use chunk_overhead::ends_chunk;
pub(super) use segments::{KnownShapes, Segments};
