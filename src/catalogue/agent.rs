//! What the catalogue says of one agent: the shape of `agents.json`.

use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::Value;

use super::parameter_type::ParameterType;

/// One data-collection agent (sections 2.1 and 4.7).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// The placeholder's name: `video`, `retail` or `events`.
    pub group: String,
    pub slug: String,
    pub name: String,
    pub description: String,
    /// The name of the row kind, such as `events`.
    pub unit: String,
    /// USD for 1000 rows, where the contract states it (the events agent only).
    #[serde(default)]
    pub price_per_1k_usd: Option<Decimal>,
    /// Credits for one row, where the contract states that instead.
    #[serde(default)]
    pub credits_per_row: Option<u32>,
    pub parameters: Vec<Parameter>,
    /// Array parameters of which at least one must hold something.
    #[serde(default)]
    pub one_of: Vec<String>,
    pub rows: RowBounds,
    /// The declared columns; empty where the contract does not list them.
    #[serde(default)]
    pub columns: Vec<Column>,
}

impl Agent {
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }
}

/// One parameter of an agent, under the service's own name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    pub name: String,
    pub display: String,
    #[serde(rename = "type")]
    pub kind: ParameterType,
    /// What an array holds.
    #[serde(default)]
    pub items: Option<Items>,
    pub required: bool,
    #[serde(default)]
    pub default: Option<Value>,
    #[serde(default)]
    pub minimum: Option<u64>,
    #[serde(default)]
    pub maximum: Option<u64>,
    /// The closed list of values, where there is one.
    #[serde(default)]
    pub options: Vec<String>,
    #[serde(default)]
    pub rule: Option<Rule>,
    /// The type under `/v1/data` where it differs (section 4.7, last paragraph).
    #[serde(default)]
    pub data_form: Option<ParameterType>,
    pub description: String,
}

/// The element of an array parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Items {
    /// A plain string.
    String,
    /// An object with the one key `url`.
    Url,
    /// The contract says only "array": a string or an object with the key `url`.
    Address,
}

/// A rule of section 4.7 that a type alone does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The address contains `/zgbs/` or `/bestsellers/`.
    BestsellerAddress,
    /// A product address that holds an ASIN; normalised to domain plus `/dp/<ASIN>`.
    ProductAddress,
    /// A product address as above, or an ASIN alone.
    ProductOrAsin,
    /// Six ASCII digits.
    Pincode,
}

/// How many rows a run may bring: the sum of its limits, times each group of inputs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowBounds {
    /// Groups of array parameters: lengths are added within a group, groups are multiplied.
    pub inputs: Vec<Vec<String>>,
    /// The parameters that limit the rows of one input; none means one row for each.
    pub limits: Vec<Limit>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    pub parameter: String,
    /// What 0 means for this parameter.
    pub zero: Zero,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Zero {
    /// All there is.
    All,
    /// None of this kind.
    None,
    /// The contract does not say; counted as all where money depends on it.
    Unstated,
}

/// One declared column (section 2.3).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    pub name: String,
    pub display: String,
    pub kind: ColumnKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnKind {
    Text,
    Number,
    Boolean,
    Array,
    Object,
    ObjectArray,
}
