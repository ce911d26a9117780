//! Parameters in one form.

use serde_json::{Map, Value};

/// Parameters as a text that is equal for equal ones: keys in order, at every depth.
pub(super) fn canonical(params: &Map<String, Value>) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let mut fields: Vec<_> = fields.iter().map(|(name, value)| (name.clone(), sorted(value))).collect();
                fields.sort_by(|(one, _), (other, _)| one.cmp(other));
                Value::Object(fields.into_iter().collect())
            }
            Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
            plain => plain.clone(),
        }
    }
    sorted(&Value::Object(params.clone())).to_string()
}
