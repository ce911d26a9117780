//! The two names that go into paths: an agent's, and a job's.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The longest job id that is taken; longer ones are not ids but mishaps.
const MAX_ID_BYTES: usize = 512;

/// An agent, written `group/slug`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AgentName {
    pub group: String,
    pub slug: String,
}

/// Why a name is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidName(pub &'static str);

impl fmt::Display for InvalidName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for InvalidName {}

impl FromStr for AgentName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        let (group, slug) = text.split_once('/').ok_or(InvalidName("an agent is named `group/slug`"))?;
        if slug.contains('/') {
            return Err(InvalidName("an agent is named `group/slug`, with one slash"));
        }
        for part in [group, slug] {
            if matches!(part, "" | "." | "..") || part.chars().any(char::is_control) {
                return Err(InvalidName("group and slug must not be empty, `.` or `..`, nor hold control characters"));
            }
        }
        Ok(Self { group: group.to_owned(), slug: slug.to_owned() })
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.group, self.slug)
    }
}

/// The id of a job, fit to stand in a path once percent-encoded.
///
/// Empty ids, `.`, `..`, control characters and ids over 512 bytes are refused. Anything else is taken as it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct JobId(String);

impl JobId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for JobId {
    type Error = InvalidName;

    fn try_from(text: String) -> Result<Self, InvalidName> {
        if text.is_empty() || text == "." || text == ".." {
            return Err(InvalidName("a job id must not be empty, `.` or `..`"));
        }
        if text.len() > MAX_ID_BYTES {
            return Err(InvalidName("a job id must not be longer than 512 bytes"));
        }
        if text.chars().any(char::is_control) {
            return Err(InvalidName("a job id must not hold control characters"));
        }
        Ok(Self(text))
    }
}

impl FromStr for JobId {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        Self::try_from(text.to_owned())
    }
}

impl From<JobId> for String {
    fn from(id: JobId) -> String {
        id.0
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
