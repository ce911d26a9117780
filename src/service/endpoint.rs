//! What a request is about, told from its method and the route it took.

use axum::http::Method;

use crate::wire::route;

/// An operation of the service, whichever path form asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoint {
    /// Starting a run (section 4.1).
    Run,
    /// The state of a job (section 4.2).
    Status,
    /// The rows of a job (section 4.3).
    Results,
    /// `DELETE` on a job, as deployments have it.
    Cancel,
    /// The list of jobs, as deployments have it.
    Jobs,
    /// The groups (section 4.4), and the lists of agents that deployments have.
    Agents,
    /// The details of one agent (section 4.5).
    Agent,
    /// The balance (section 4.6).
    Balance,
}

impl Endpoint {
    pub const ALL: [Self; 8] =
        [Self::Run, Self::Status, Self::Results, Self::Cancel, Self::Jobs, Self::Agents, Self::Agent, Self::Balance];

    /// The word for it where faults are asked for.
    pub fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Status => "status",
            Self::Results => "results",
            Self::Cancel => "cancel",
            Self::Jobs => "jobs",
            Self::Agents => "agents",
            Self::Agent => "agent",
            Self::Balance => "balance",
        }
    }

    /// The operation with this name; `None` for `any`.
    ///
    /// # Errors
    /// Says what there is when it is none.
    pub fn named(name: &str) -> Result<Option<Self>, String> {
        if name == "any" {
            return Ok(None);
        }
        let found = Self::ALL.into_iter().find(|endpoint| endpoint.name() == name);
        found.map(Some).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("`on` is one of {names} or any, not `{name}`")
        })
    }

    /// The operation behind a method on a route; `None` where the service has none.
    pub(super) fn of(method: &Method, route: &str) -> Option<Self> {
        let reads = matches!(*method, Method::GET | Method::HEAD);
        match route {
            route::RUN | route::DATA_RUN if *method == Method::POST => Some(Self::Run),
            route::JOB | route::DATA_JOB if *method == Method::DELETE => Some(Self::Cancel),
            route::JOB | route::DATA_JOB if reads => Some(Self::Status),
            route::RESULTS | route::DATA_RESULTS if reads => Some(Self::Results),
            route::JOBS | route::DATA_JOBS if reads => Some(Self::Jobs),
            route::AGENTS | route::ALL_AGENTS | route::GROUP if reads => Some(Self::Agents),
            route::AGENT if reads => Some(Self::Agent),
            route::BALANCE if reads => Some(Self::Balance),
            _ => None,
        }
    }
}
