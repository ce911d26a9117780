//! Runs and jobs (sections 2.2, 3 and 4.1 to 4.3), with what deployments add to a job's record.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::names::JobId;

/// The body of a run request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunRequest {
    pub params: Map<String, Value>,
}

/// The answer to a run request, as the local service gives it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunResponse {
    pub job_id: JobId,
    pub status: String,
    pub agent: String,
    pub created_at: String,
    /// Why the job failed, where it did so at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The status of a job. The contract names only `completed`; the others are seen in the wild.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    Completed,
    Failed,
    Cancelled,
    /// Still going: `queued`, `running`, or any word a deployment uses.
    Going(String),
}

impl Status {
    pub fn parse(text: &str) -> Self {
        match text {
            "completed" => Self::Completed,
            "failed" => Self::Failed,
            "cancelled" => Self::Cancelled,
            other => Self::Going(other.to_owned()),
        }
    }

    pub fn as_str(&self) -> &str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Going(word) => word,
        }
    }

    /// Whether the job can no longer change.
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Going(_))
    }
}

/// What a job's record says. Only `status` is contract; each other field is kept when present and of its type, and
/// everything unknown stays in `extra`.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRecord {
    pub id: Option<String>,
    pub status: Status,
    pub agent: Option<String>,
    pub row_count: Option<u64>,
    pub error: Option<String>,
    pub created_at: Option<String>,
    pub started_at: Option<String>,
    pub completed_at: Option<String>,
    pub expires_at: Option<String>,
    pub extra: Map<String, Value>,
}

impl JobRecord {
    /// Reads the answer to a status call.
    ///
    /// # Errors
    /// Says what is wrong when the body is not an object or its `status` is not a string.
    pub fn parse(body: &[u8]) -> Result<Self, String> {
        match serde_json::from_slice(body) {
            Ok(Value::Object(fields)) => Self::from_fields(fields),
            Ok(_) => Err("the job record is not an object".to_owned()),
            Err(error) => Err(format!("the job record is not JSON: {error}")),
        }
    }

    pub fn from_fields(mut fields: Map<String, Value>) -> Result<Self, String> {
        let status = match fields.shift_remove("status") {
            Some(Value::String(word)) => Status::parse(&word),
            Some(other) => return Err(format!("the job's `status` is not a string but {other}")),
            None => return Err("the job record has no `status`".to_owned()),
        };
        let mut text = |name: &str| match fields.get(name) {
            Some(Value::String(_)) => match fields.shift_remove(name) {
                Some(Value::String(text)) => Some(text),
                _ => None,
            },
            Some(Value::Null) => {
                fields.shift_remove(name);
                None
            }
            _ => None,
        };
        let record = Self {
            id: text("job_id").or_else(|| text("id")),
            status,
            agent: text("agent"),
            error: text("error"),
            created_at: text("created_at"),
            started_at: text("started_at"),
            completed_at: text("completed_at"),
            expires_at: text("expires_at"),
            row_count: None,
            extra: Map::new(),
        };
        let row_count = fields.get("row_count").and_then(Value::as_u64);
        if row_count.is_some() || fields.get("row_count").is_some_and(Value::is_null) {
            fields.shift_remove("row_count");
        }
        Ok(Self { row_count, extra: fields, ..record })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_fields_are_kept_and_unknown_ones_stay_in_extra() {
        let body = br#"{"id": "j1", "status": "completed", "row_count": 3, "credits_used": 3, "expires_at": null}"#;
        let record = JobRecord::parse(body).unwrap();
        assert_eq!(record.id.as_deref(), Some("j1"));
        assert_eq!(record.status, Status::Completed);
        assert_eq!(record.row_count, Some(3));
        assert_eq!(record.extra.keys().collect::<Vec<_>>(), ["credits_used"]);
    }

    #[test]
    fn a_status_that_is_not_a_string_is_refused_and_an_unknown_one_is_still_going() {
        assert!(JobRecord::parse(br#"{"status": 7}"#).is_err());
        assert!(JobRecord::parse(br"[]").is_err());
        let record = JobRecord::parse(br#"{"status": "COMPLETED"}"#).unwrap();
        assert!(!record.status.is_final());
    }
}
