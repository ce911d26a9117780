//! The answers that say no, named once and referred to by every operation.

use serde_json::{Value, json};

use crate::service::extras::Extra;
use crate::service::state::Shared;

/// The refusals that operations refer to.
pub(super) fn refusals(state: &Shared) -> Value {
    let described = |description: &str| {
        json!({
            "description": description,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
        })
    };
    let mut all = json!({
        "400": described("The body is not JSON or the query cannot be read."),
        "401": described("The header `Authorization: Bearer <API_KEY>` is missing, given twice, or has another key."),
        "402": described("The account cannot pay for the run."),
        "403": described("The request names a host that is not this service."),
        "404": described("There is no such agent or job, or there are no rows yet."),
        "408": described("The body took too long."),
        "409": described("The job is completed and can no longer be cancelled."),
        "410": described("The results expired, or another version of the service made them."),
        "413": described("The body is too long."),
        "415": described("The body is not `application/json`, or compressed."),
        "422": described("A parameter breaks a rule; `details` names the field and the rule."),
        "429": described("Too many requests within a minute."),
        "503": described("The service cannot write or read its data."),
    });
    all["401"]["headers"] =
        json!({"WWW-Authenticate": {"required": true, "schema": {"type": "string", "const": "Bearer"}}});
    all["429"]["headers"] = json!({
        "Retry-After": {"required": true, "description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}},
    });
    if !state.has(Extra::RateLimit) {
        all.as_object_mut().map(|all| all.shift_remove("429"));
    }
    all
}

/// References to some of them, beside those that every operation with a key may answer.
pub(super) fn with_refusals(state: &Shared, mut responses: Value, codes: &[&str]) -> Value {
    let limited = state.has(Extra::RateLimit).then_some("429");
    for code in ["401", "403"].into_iter().chain(codes.iter().copied()).chain(limited) {
        responses[code] = json!({"$ref": format!("#/components/responses/{code}")});
    }
    responses
}
