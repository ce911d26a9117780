//! Agents that the user of a local service brings: what they ask for, where their rows come from, and how these come
//! in.
//!
//! ```text
//! run -> state -> crew (a thread) -> Source::bring -> Feed::row … Feed::finish | Feed::fail -> book -> store
//! ```
//!
//! A [`Source`] is handed the parameters and a [`Feed`] and pushes its rows, each as the text of a JSON object, in its
//! own time and on a thread that nobody else waits for. Rows are kept in the store in pieces, paid for as they come,
//! and served when the job is completed. A job whose agent was at work when the service ended has failed, and costs
//! nothing.

mod agent;
mod crew;
mod feed;
mod file;
mod parameters;

pub use agent::{OwnAgent, Source, Takes};
pub(super) use crew::{Crew, Task};
pub use feed::{Feed, FeedError};
pub use file::RowsFile;
pub use parameters::OwnParameter;
