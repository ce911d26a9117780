//! Compressed bodies, inflated as their bytes arrive and never further than limits allow.
//!
//! Arrives: bytes in pieces, and which [`Coding`] they are of, which a header has told or their own beginning. Leaves:
//! the bytes they hold, in pieces. `body` is one body; `gzip` and `zstd` inflate into room that is given, and `limits`
//! says how much an answer may grow. Absent: where bytes come from, and threads.

mod body;
mod coding;
mod gzip;
mod limits;
mod zstd;

pub use body::{Inflate, InflateError, ROOM};
pub use coding::Coding;
pub use limits::Limits;
