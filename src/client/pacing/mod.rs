//! When the next request may go out, and whether a failed one is repeated.
//!
//! `pace` (how far apart) and `retry` (whether, and when) are pure; `pacer` keeps one pace for all calls of a client,
//! starts and results before polls, and `quota` bounds what all of them may spend on repeats.

mod pace;
pub(super) mod pacer;
pub(super) mod quota;
pub(super) mod retry;
