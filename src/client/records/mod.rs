//! What is remembered beyond the life of a process, and taken up again.
//!
//! `record` is the way to the ledger: it writes down what was heard of a job and makes a job of what was written.
//! `jobs` lists, `resume` takes up what is unfinished, `reconcile` asks what became of starts that nobody answered,
//! which `listed` looks for in the service's own list, and `together` where there are many of them; `by_hand` takes the
//! caller's word for it. `under_way` counts what is being written.

mod by_hand;
mod jobs;
mod listed;
pub(super) mod reconcile;
pub(super) mod record;
pub(super) mod resume;
mod together;
pub(super) mod under_way;
