//! The columns of an object's keys.
//!
//! Most keys are those of the row before: `key` compares one with what stands in the body, `find_key` goes by where
//! keys were expected and by name where they were not, and `order` says which of the two pays; `first_missed`, when
//! another key is to be expected first. `duplicates` are keys that come again in one object.

mod duplicate_watch;
mod duplicates;
mod find_key;
mod first_missed;
mod key;
mod order;

pub(super) use duplicate_watch::DuplicateWatch;
pub(super) use duplicates::Duplicates;
pub(super) use first_missed::FirstMissed;
pub(super) use key::Key;
pub(super) use order::Order;
