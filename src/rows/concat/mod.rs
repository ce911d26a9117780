//! Tables of different runs as one, by the decoder's own widening.
//!
//! `join` puts tables together, each an `input`, and each column of them is `joined`: in their `common_type`, or in a
//! wider one, with `why_text` where that is text; `notes` are what the tables said.

mod input;
mod join;

mod common_type;
mod joined;
mod notes;
mod why_text;

pub use join::concat;
