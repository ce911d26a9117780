//! What people write, in the languages they write in: one small collection a language.
//!
//! Quotes, commas, line breaks, emoji and right-to-left text are in it on purpose: rows are made to be read back.
//! `{topic}`, `{city}` and `{venue}` stand for what a row is about.

mod arabic;
mod english;
mod french;
mod german;
mod hindi;
mod japanese;
mod spanish;

mod tongue;

pub(super) use tongue::{ALL, Tongue, any, person, tongue};
