//! The decoder held against a model of its rules that shares nothing with it.
//!
//! ```text
//! bytes ─┬─ serde_json ─ json (a tree) ─ bodies (is it accepted, which rows) ─ types, cells (what the table must hold) ─┐
//!        └─ decode (in every way: whole, in pieces, in two passes) ────────────────────────────────── check ────────────┘
//! ```
//!
//! [`json`] is a body as serde_json reads it, [`text`] the canonical JSON text of a value, [`made_up`] makes bodies
//! that are mostly valid, so that the fuzzer gets deep. Everything else panics where the decoder and the model differ.

pub mod bodies;
pub mod cells;
pub mod check;
pub mod decode;
pub mod json;
pub mod made_up;
pub mod text;
pub mod types;

pub use check::check;
