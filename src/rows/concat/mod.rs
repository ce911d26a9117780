//! Tables of different runs as one, by the decoder's own widening.
//!
//! `join` puts tables together, each an `input`, and each column of them is `joined`; `types` says which
//! type holds what all tables have of it, or why none does, and `notes` are what the tables said.

mod input;
mod join;

mod joined;
mod notes;
mod types;

pub use join::concat;
