//! What a local service does beyond the contract, each part with a switch of its own.
//!
//! The specification leaves much as "not shown". Deployments fill it in, each in its own way, so a client has to work
//! where none of this is there. With no extras the service is the bare contract.

use std::str::FromStr;

/// One thing that deployments add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum Extra {
    /// Agent, rows, credits, error and times in a job's record; else it is `{"status": …}` and a start `{"job_id": …}`.
    JobRecord = 1,
    /// `DELETE` on a job.
    Cancel = 1 << 1,
    /// `GET /api/v1/jobs`.
    JobList = 1 << 2,
    /// `GET /api/v1/agents/all` and `GET /api/v1/agents/{group}`.
    AgentLists = 1 << 3,
    /// 429 beyond `requests_per_minute`.
    RateLimit = 1 << 4,
    /// Results are gone 7 days after completion.
    Expiry = 1 << 5,
    /// 404 for results that are not ready; else 200 with the status and no rows.
    NotReady = 1 << 6,
    /// `{"error": code, "message": text, …}`; else `{"detail": text}`.
    ErrorCodes = 1 << 7,
    /// The `/v1/data` and `/v1/jobs` form of the paths (section 9).
    DataPaths = 1 << 8,
    /// Results as CSV.
    Csv = 1 << 9,
    /// The request header `Rowhaul-Fault`, honoured on loopback.
    FaultHeader = 1 << 10,
}

impl Extra {
    pub const ALL: [Self; 11] = [
        Self::JobRecord,
        Self::Cancel,
        Self::JobList,
        Self::AgentLists,
        Self::RateLimit,
        Self::Expiry,
        Self::NotReady,
        Self::ErrorCodes,
        Self::DataPaths,
        Self::Csv,
        Self::FaultHeader,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::JobRecord => "job_record",
            Self::Cancel => "cancel",
            Self::JobList => "job_list",
            Self::AgentLists => "agent_lists",
            Self::RateLimit => "rate_limit",
            Self::Expiry => "expiry",
            Self::NotReady => "not_ready",
            Self::ErrorCodes => "error_codes",
            Self::DataPaths => "data_paths",
            Self::Csv => "csv",
            Self::FaultHeader => "fault_header",
        }
    }
}

/// A choice of extras.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extras(u16);

impl Extras {
    pub const NONE: Self = Self(0);

    pub fn all() -> Self {
        Extra::ALL.into_iter().fold(Self::NONE, Self::with)
    }

    #[must_use]
    pub fn with(self, extra: Extra) -> Self {
        Self(self.0 | extra as u16)
    }

    pub fn has(self, extra: Extra) -> bool {
        self.0 & extra as u16 != 0
    }
}

impl FromStr for Extras {
    type Err = String;

    /// Reads `all`, `none`, or names with commas between them.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "all" => Ok(Self::all()),
            "none" | "" => Ok(Self::NONE),
            names => names.split(',').map(str::trim).try_fold(Self::NONE, |extras, name| {
                let found = Extra::ALL.into_iter().find(|extra| extra.name() == name);
                found.map(|extra| extras.with(extra)).ok_or_else(|| {
                    let known = Extra::ALL.map(Extra::name).join(", ");
                    format!("`extras` are `all`, `none` or some of {known}, not `{name}`")
                })
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extras_are_named_one_by_one_all_or_none() {
        let some: Extras = "cancel, csv".parse().unwrap();
        assert!(some.has(Extra::Cancel) && some.has(Extra::Csv) && !some.has(Extra::JobList));
        assert_eq!("all".parse(), Ok(Extra::ALL.into_iter().fold(Extras::NONE, Extras::with)));
        assert_eq!("none".parse(), Ok(Extras::NONE));
        assert!("cancel,fly".parse::<Extras>().unwrap_err().contains("job_list"));
    }
}
