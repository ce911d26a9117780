//! The nine agents of section 4.7, as data: parameters, columns, row bounds and the one stated price.
//!
//! `agents.json` is the only place where they are written down. The client validates and completes parameters against
//! it, the local service refuses by it, the Python dataclasses and the docs are generated from it. Nothing here does
//! I/O, and prices that the contract does not state are absent rather than invented.

mod address;
mod agent;
mod all;
mod bounds;
mod invalid;
mod parameter_type;
mod parameters;

pub use address::{asin_in, canonical_product};
pub use agent::{Agent, Column, ColumnKind, Items, Limit, Parameter, RowBounds, Rule, Zero};
pub use all::{AGENTS_JSON, agents, find, groups};
pub use invalid::Invalid;
pub use parameter_type::{ParameterType, one_of};
