//! The columns of an object's keys.
//!
//! Most keys are those of the row before: `key` compares one with what stands in the body, `successor` says which one
//! is expected where, and `find_key` goes by that. Keys that were not expected are found by their first bytes, in
//! `key_cache`, or else by name. `duplicates` are keys that come again in one object.

mod duplicate_watch;
mod duplicates;
mod find_key;
mod key;
mod key_cache;
mod successor;

pub(super) use duplicate_watch::DuplicateWatch;
pub(super) use duplicates::Duplicates;
pub(super) use key::Key;
pub(super) use key_cache::KeyCache;
pub(super) use successor::Successor;
