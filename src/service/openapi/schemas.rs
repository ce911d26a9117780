//! What bodies hold.

use serde_json::{Map, Value, json};

use crate::catalogue::ParameterType;
use crate::catalogue::{self, ColumnKind};
use crate::service::extras::Extra;
use crate::service::job::Phase;
use crate::service::state::Shared;

/// Every named schema.
pub(super) fn all(state: &Shared) -> Value {
    let text = || json!({"type": "string"});
    let price = || json!({"type": "number", "minimum": 0});
    json!({
        "Job": job(state),
        "JobList": object(&json!({"jobs": {"type": "array", "items": {"$ref": "#/components/schemas/Job"}}})),
        "Started": started(state),
        "Results": results(state),
        "Groups": object(&json!({"groups": {"type": "array", "items": text()}})),
        "AgentList": object(&json!({"agents": {"type": "array", "items": object(&json!({
            "group": text(), "slug": text(), "name": text(), "description": text(), "price_per_1k_usd": price(),
        }))}})),
        "Agent": object(&json!({
            "group": text(), "slug": text(), "name": text(), "description": text(),
            "price_per_1k_usd": price(), "unit": text(),
            "parameters": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Parameter"}},
        })),
        "Parameter": {
            "type": "object",
            "required": ["type", "required", "name", "description"],
            "properties": {
                "type": {"type": "string", "enum": ParameterType::NAMES},
                "required": {"type": "boolean"},
                "name": text(),
                "description": text(),
                "default": {},
                "options": {"type": "array", "items": text()},
            },
        },
        "Balance": object(&json!({"usd_remaining": {"type": "number", "minimum": 0}})),
        "Health": object(&json!({"status": {"type": "string", "const": "ok"}})),
        "Problem": problem(state),
        "EventRow": event_row(),
    })
}

/// An object whose members are all there.
fn object(properties: &Value) -> Value {
    let required: Vec<String> = properties.as_object().map(|all| all.keys().cloned().collect()).unwrap_or_default();
    json!({"type": "object", "required": required, "properties": properties})
}

fn status() -> Value {
    json!({"type": "string", "enum": Phase::NAMES})
}

fn time() -> Value {
    json!({"type": "string", "format": "date-time"})
}

fn optional(mut schema: Value) -> Value {
    let kind = schema["type"].take();
    schema["type"] = json!([kind, "null"]);
    schema
}

fn job(state: &Shared) -> Value {
    if !state.has(Extra::JobRecord) {
        return object(&json!({"status": status()}));
    }
    let count = || optional(json!({"type": "integer", "minimum": 0}));
    object(&json!({
        "job_id": {"type": "string"},
        "id": {"type": "string"},
        "agent": {"type": "string"},
        "status": status(),
        "row_count": count(),
        "credits_used": count(),
        "error": optional(json!({"type": "string"})),
        "created_at": time(),
        "started_at": optional(time()),
        "completed_at": optional(time()),
        "expires_at": optional(time()),
    }))
}

fn started(state: &Shared) -> Value {
    if !state.has(Extra::JobRecord) {
        return object(&json!({"job_id": {"type": "string"}}));
    }
    object(&json!({
        "job_id": {"type": "string"},
        "status": status(),
        "agent": {"type": "string"},
        "created_at": time(),
    }))
}

fn results(state: &Shared) -> Value {
    let states = if state.has(Extra::NotReady) { json!({"const": "completed", "type": "string"}) } else { status() };
    object(&json!({
        "status": states,
        "row_count": {"type": "integer", "minimum": 0},
        "data": {"type": "array", "items": {"type": "object"}},
    }))
}

fn problem(state: &Shared) -> Value {
    if state.has(Extra::ErrorCodes) {
        object(&json!({"error": {"type": "string"}, "message": {"type": "string"}}))
    } else {
        object(&json!({"detail": {"type": "string"}}))
    }
}

/// The declared columns of the events agent, for generators of code.
fn event_row() -> Value {
    let kind = |kind: ColumnKind| match kind {
        ColumnKind::Text => json!({"type": ["string", "null"]}),
        ColumnKind::Number => json!({"type": ["number", "null"]}),
        ColumnKind::Boolean => json!({"type": ["boolean", "null"]}),
        ColumnKind::Array => json!({"type": ["array", "null"]}),
        ColumnKind::Object => json!({"type": ["object", "null"]}),
        ColumnKind::ObjectArray => json!({"type": ["array", "null"], "items": {"type": "object"}}),
    };
    let columns = catalogue::find("events", "events").map(|agent| agent.columns.as_slice()).unwrap_or_default();
    let properties: Map<String, Value> =
        columns.iter().map(|column| (column.name.clone(), kind(column.kind))).collect();
    json!({"type": "object", "properties": properties})
}
