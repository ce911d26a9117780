//! What came back: read within bounds, and understood.
//!
//! Arrives: the head of an answer and a stream of bytes. `body` reads them, limited in size, time and pace; `encoding`
//! understands how they are encoded, and `inflating` undoes that on a thread of its own once a body turns out large;
//! `json` is for small answers. Leaves: the body, or what `refusal` makes of an answer other than 2xx, with the pause
//! that `retry_after` found in it. Absent: whether anything is repeated, which is [`pacing`](super::pacing)'s.

pub(super) mod body;
pub(super) mod encoding;
mod inflating;
pub(super) mod json;
pub(super) mod refusal;
pub(super) mod retry_after;
