//! The contract as it stands on the wire: paths, bodies and error bodies of sections 2 to 5, without any I/O.
//!
//! Client and local service share these types and nothing else, so that the two cannot drift apart in spelling. Reading
//! is lenient where deployments differ, writing is the contract.

mod agent;
mod balance;
mod job;
mod moment;
mod names;
mod paths;
mod problem;
mod usd;

pub use agent::{AgentDetails, AgentList, AgentSummary, GroupList, ParameterDescriptor};
pub use balance::Balance;
pub use job::{JobRecord, RunRequest, RunResponse, Status};
pub use moment::{are_apart, is_long_after, moment};
pub use names::{AgentName, InvalidName, JobId};
pub use paths::{PathForm, Paths, percent_encoded, route};
pub use problem::Problem;
pub use usd::Usd;
