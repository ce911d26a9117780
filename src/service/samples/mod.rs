//! Made-up rows for the nine agents, which follow the parameters of a run.
//!
//! A [`Plan`] says how many rows each input of a run brings; a [`Section`] is what one input brings under one limit,
//! and one file a family makes its rows. Nothing is drawn from a stream of chance: each row follows from the seed, its
//! agent, its input and its place, so that a run of a million rows is held in a few numbers.
//!
//! The column `input` names the input a row came from, as the caller wrote it. It is the first column, but for the
//! events agent, whose 29 declared columns come before. Dates lie around a fixed instant, the epoch of the service's
//! clock, whatever the time is. A search for `nothing` finds nothing.

mod plan;
mod section;

mod chance;
mod input;
mod order;
mod places;
mod tongues;

mod comments;
mod events;
mod goods;
mod offers;
mod products;
mod reviews;
mod videos;

pub(super) use chance::Chance;
pub(super) use plan::{Plan, Rows, VERSION};
pub(super) use section::Row;
