//! Agents as the service describes them (sections 2.1, 4.4 and 4.5).

use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::usd::Usd;

/// `GET /api/v1/agents`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupList {
    pub groups: Vec<String>,
}

/// `GET /api/v1/agents/{group}/{slug}`. Only group and slug are needed; deployments leave others out.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AgentDetails {
    pub group: String,
    pub slug: String,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub description: Option<String>,
    /// USD for 1000 rows; `None` where the service names no price, or none that is one.
    #[serde(default, deserialize_with = "lenient_price")]
    pub price_per_1k_usd: Option<Usd>,
    #[serde(default)]
    pub unit: Option<String>,
    /// From parameter name to its descriptor, in the order of the service.
    #[serde(default)]
    pub parameters: Map<String, Value>,
}

/// What a descriptor may hold (section 2.1; `default` and `options` are seen in the wild).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ParameterDescriptor {
    #[serde(rename = "type")]
    pub kind: String,
    pub required: bool,
    pub name: String,
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

/// `GET /api/v1/agents/all` and `GET /api/v1/agents/{group}`, where a deployment has them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AgentList {
    #[serde(deserialize_with = "objects")]
    pub agents: Vec<AgentSummary>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AgentSummary {
    pub group: String,
    pub slug: String,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub description: Option<String>,
    #[serde(default, deserialize_with = "lenient_price")]
    pub price_per_1k_usd: Option<Usd>,
}

/// Objects, and not lists of their members, which would do for serde.
fn objects<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<AgentSummary>, D::Error> {
    let agents = Vec::<Box<RawValue>>::deserialize(deserializer)?;
    let read = |agent: &RawValue| match agent.get() {
        object if object.starts_with('{') => serde_json::from_str(object).map_err(D::Error::custom),
        _ => Err(D::Error::custom("an agent in the list is no object")),
    };
    agents.iter().map(|agent| read(agent)).collect()
}

/// A price that is null, text or negative is unknown; it is never guessed.
fn lenient_price<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Usd>, D::Error> {
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).ok())
}
