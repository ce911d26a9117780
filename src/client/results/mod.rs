//! The rows of a completed job, or its body.
//!
//! `rows` fetches and decodes, `receive` judges a body as a whole: only one that closed and whose count is right gives
//! rows, and its `beginning` tells what it is. `spool` is for results of any size, `download` for the body as it was
//! sent. `keep` puts rows on disk, and `reuse` answers equal requests with them.

mod beginning;
mod brackets;
mod csv;
mod download;
pub(super) mod keep;
mod receive;
pub(super) mod reuse;
pub(super) mod rows;
pub(super) mod spool;
