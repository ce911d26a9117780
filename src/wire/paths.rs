//! Every path of the contract, in both forms (sections 4 and 9).

use std::fmt::Write as _;

use super::names::{AgentName, JobId};

/// Which form of the run and job paths is spoken (section 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PathForm {
    /// `/api/v1/agents/{group}/{slug}/run`, `/api/v1/jobs/…`
    #[default]
    Agents,
    /// `/v1/data/{group}/{slug}/run`, `/v1/jobs/…`
    Data,
}

/// Route templates, for a server.
pub mod route {
    pub const RUN: &str = "/api/v1/agents/{group}/{slug}/run";
    pub const JOBS: &str = "/api/v1/jobs";
    pub const JOB: &str = "/api/v1/jobs/{job_id}";
    pub const RESULTS: &str = "/api/v1/jobs/{job_id}/results";
    pub const AGENTS: &str = "/api/v1/agents";
    pub const ALL_AGENTS: &str = "/api/v1/agents/all";
    pub const GROUP: &str = "/api/v1/agents/{group}";
    pub const AGENT: &str = "/api/v1/agents/{group}/{slug}";
    pub const BALANCE: &str = "/api/v1/balance";
    pub const DATA_RUN: &str = "/v1/data/{group}/{slug}/run";
    pub const DATA_JOBS: &str = "/v1/jobs";
    pub const DATA_JOB: &str = "/v1/jobs/{job_id}";
    pub const DATA_RESULTS: &str = "/v1/jobs/{job_id}/results";
}

/// Builds the paths a client asks for; names are percent-encoded, so that none of them leaves its segment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Paths {
    pub form: PathForm,
}

impl Paths {
    pub fn run(self, agent: &AgentName) -> String {
        let template = match self.form {
            PathForm::Agents => route::RUN,
            PathForm::Data => route::DATA_RUN,
        };
        template.replace("{group}", &percent_encoded(&agent.group)).replace("{slug}", &percent_encoded(&agent.slug))
    }

    pub fn job(self, id: &JobId) -> String {
        let template = match self.form {
            PathForm::Agents => route::JOB,
            PathForm::Data => route::DATA_JOB,
        };
        template.replace("{job_id}", &percent_encoded(id.as_str()))
    }

    pub fn results(self, id: &JobId) -> String {
        self.job(id) + "/results"
    }

    pub fn jobs(self) -> &'static str {
        match self.form {
            PathForm::Agents => route::JOBS,
            PathForm::Data => route::DATA_JOBS,
        }
    }

    pub fn groups(self) -> &'static str {
        route::AGENTS
    }

    pub fn all_agents(self) -> &'static str {
        route::ALL_AGENTS
    }

    pub fn group(self, group: &str) -> String {
        route::GROUP.replace("{group}", &percent_encoded(group))
    }

    pub fn agent(self, agent: &AgentName) -> String {
        route::AGENT.replace("{group}", &percent_encoded(&agent.group)).replace("{slug}", &percent_encoded(&agent.slug))
    }

    pub fn balance(self) -> &'static str {
        route::BALANCE
    }
}

/// Percent-encodes everything but the unreserved characters of RFC 3986.
pub fn percent_encoded(segment: &str) -> String {
    let mut encoded = String::with_capacity(segment.len());
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_never_leaves_its_segment() {
        let id: JobId = "../x?y#z".parse().unwrap();
        assert_eq!(Paths::default().results(&id), "/api/v1/jobs/..%2Fx%3Fy%23z/results");
    }

    #[test]
    fn both_forms_are_spoken() {
        let agent: AgentName = "events/events".parse().unwrap();
        let id: JobId = "j1".parse().unwrap();
        let data = Paths { form: PathForm::Data };
        assert_eq!(Paths::default().run(&agent), "/api/v1/agents/events/events/run");
        assert_eq!(data.run(&agent), "/v1/data/events/events/run");
        assert_eq!(data.job(&id), "/v1/jobs/j1");
        assert_eq!(data.balance(), "/api/v1/balance");
    }
}
