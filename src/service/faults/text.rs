//! Injections as text, for the places that have only text: `on=run,fault=status,code=503,retry_after=1,times=2`.
//!
//! Pairs with commas between them. A word alone is the fault's name, so `reset` is `fault=reset`. Values are JSON where
//! they read as JSON and text otherwise; one with a comma stands in double quotes. What is not a word of the injection
//! is a field of the fault.

use std::str::FromStr;

use serde_json::{Map, Value};

use super::fault::Fault;
use super::plan::Injection;
use crate::service::endpoint::Endpoint;

impl FromStr for Injection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut fields = pairs(text)?;
        let mut take = |name: &str| fields.shift_remove(name);
        let on = take("on").map_or(Ok(None), |on| Endpoint::named(on.as_str().unwrap_or_default()))?;
        let times = match take("times") {
            None => Some(1),
            Some(Value::Null) => None,
            Some(value) => Some(count("times", &value)?),
        };
        let after = take("after").map_or(Ok(0), |value| count("after", &value))?;
        let word = |value: Value| if let Value::String(text) = value { text } else { value.to_string() };
        let (job, agent) = (take("job").map(word), take("agent").map(word));
        // This one holds whatever is left over.
        let name = fields.get("fault").and_then(Value::as_str).unwrap_or_default().to_owned();
        if name == "fields" {
            fields.shift_remove("fault");
            fields = Map::from_iter([("fault".to_owned(), name.into()), ("values".to_owned(), fields.into())]);
        }
        Ok(Self { on, fault: Fault::from_json(Value::Object(fields))?, times, after, job, agent })
    }
}

impl Fault {
    /// Reads a fault from its JSON form, `{"fault": name, field: value, …}`.
    pub fn from_json(json: Value) -> Result<Self, String> {
        let name = json.get("fault").and_then(Value::as_str).unwrap_or_default().to_owned();
        let fault: Self = serde_json::from_value(json).map_err(|error| format!("the fault `{name}`: {error}"))?;
        fault.check()?;
        Ok(fault)
    }
}

fn count(name: &str, value: &Value) -> Result<u32, String> {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| format!("`{name}` must be a whole number, not {value}"))
}

/// The pairs of a text, in their order.
fn pairs(text: &str) -> Result<Map<String, Value>, String> {
    let mut pairs = Map::new();
    for part in parts(text)? {
        let (name, value) = part.split_once('=').unwrap_or(("fault", &part));
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
        if pairs.insert(name.trim().to_owned(), value).is_some() {
            return Err(format!("`{}` must not be given twice", name.trim()));
        }
    }
    Ok(pairs)
}

/// A text cut at the commas that stand outside quotes, brackets and braces.
fn parts(text: &str) -> Result<Vec<String>, String> {
    let (mut parts, mut quoted, mut depth) = (vec![String::new()], false, 0_usize);
    for letter in text.chars() {
        match letter {
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
    }
    if quoted || depth > 0 {
        return Err(format!("a quote or bracket is never closed in `{text}`"));
    }
    Ok(parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::faults::{Framing, Point, Texts};

    fn read(text: &str) -> Injection {
        text.parse().unwrap()
    }

    #[test]
    fn a_fault_is_written_as_pairs() {
        let injection = read("on=run,fault=status,code=503,retry_after=1,times=2,after=3,agent=events/events");
        assert_eq!((injection.on, injection.times, injection.after), (Some(Endpoint::Run), Some(2), 3));
        assert_eq!(injection.agent.as_deref(), Some("events/events"));
        let Fault::Status { code: 503, retry_after: Texts(retry_after), .. } = injection.fault else { panic!() };
        assert_eq!(retry_after, ["1"]);
    }

    #[test]
    fn a_word_alone_is_the_name_and_dates_stand_in_quotes() {
        assert_eq!(read("reset").fault, Fault::Reset { applied: false });
        assert_eq!(read("reset,applied=true,times=null").times, None);
        let dated = read(r#"status,code=429,retry_after="Sun, 06 Nov 1994 08:49:37 GMT""#);
        let Fault::Status { retry_after, .. } = dated.fault else { panic!() };
        assert_eq!(retry_after.0, ["Sun, 06 Nov 1994 08:49:37 GMT"]);
        assert_eq!(read("cut,at=7").fault, Fault::Cut { at: Point::Bytes(7), framing: Framing::default() });
        let Fault::Fields { values } = read("fields,status=COMPLETED,row_count=7").fault else { panic!() };
        assert_eq!(Value::Object(values).to_string(), r#"{"status":"COMPLETED","row_count":7}"#);
    }

    #[test]
    fn what_is_unknown_is_refused_with_what_there_is() {
        let refused = |text: &str| text.parse::<Injection>().unwrap_err();
        assert!(refused("explode").contains("`reset`") && refused("explode").contains("`too_early`"));
        assert!(refused("reset,aplied=true").contains("`applied`"));
        assert!(refused("on=nowhere,reset").contains("balance or any"));
        assert!(refused("status,code=99").contains("from 200"));
        assert!(refused("status,code=503,retry_after=\"1").contains("never closed"));
        assert!(refused("reset,times=-1").contains("whole number"));
        assert!(refused("reset,reset").contains("twice"));
        assert!(refused("").contains("fault"));
    }
}
