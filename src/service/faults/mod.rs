//! Faults on request: what goes wrong in the wild, played when a test asks for it.
//!
//! ```text
//! inject, --fault, Rowhaul-Fault -> plan (which request, how often) -> play -> an answer, altered | a script on the wire
//! ```
//!
//! A [`Fault`] is a value that says what goes wrong; an [`Injection`] says to which requests, after how many and how
//! often. The plan decides under one lock, so that a fault asked for twice is played exactly twice, however many
//! callers race. Faults that HTTP can say are answers like any other; those that it cannot say (a reset, a body that
//! stalls, two lengths) leave the router as a script, which the connection plays on the socket itself.
//!
//! Deliberately absent: chance. Which request meets which fault follows from the order of requests alone.

mod altered;
mod encoded;
mod fault;
mod malformed;
mod plan;
mod play;
mod script;
mod status;
mod text;

pub use fault::{Coding, Fault, Framing, Malformed, Point, RetryPlace, StatusBody, Texts};
pub use plan::Injection;
pub(super) use plan::{FaultPlan, InjectionId};
pub(super) use play::{OnWire, Outcome, Played, play};
pub(super) use script::{Script, perform};
