//! Parameters of a run: checked by the catalogue, completed with defaults, put into the form of a path.
//!
//! [`Agent::validate`] is strict and speaks of what stands on the wire; the local service refuses by it.
//! [`Agent::complete`] is what the client does first: it takes the convenient spellings (one string for a list, a
//! string for a URL object), fills in defaults and normalises product addresses, so that equal requests are equal
//! values.

use serde_json::{Map, Value, json};

use super::address::{asin_in, canonical_product, is_asin, is_web_address};
use super::agent::{Agent, Items, Parameter, Rule};
use super::invalid::Invalid;
use super::parameter_type::{ParameterType, kind_of, one_of, quoted};
use crate::wire::PathForm;

impl Agent {
    /// Checks parameters as they stand on the wire, in the given path form.
    pub fn validate(&self, params: &Map<String, Value>, form: PathForm) -> Result<(), Invalid> {
        let known = self.parameters.iter().map(|parameter| parameter.name.as_str());
        if let Some(unknown) = Invalid::unknown(params.keys(), known) {
            return Err(unknown);
        }
        for parameter in &self.parameters {
            match params.get(&parameter.name) {
                None if parameter.required => return Err(Invalid::missing(&parameter.name)),
                None => {}
                Some(value) => parameter.check(value, form).map_err(|reason| Invalid::new(&parameter.name, reason))?,
            }
        }
        let is_filled = |name: &String| match params.get(name) {
            Some(Value::Array(items)) => !items.is_empty(),
            Some(Value::String(text)) => !text.is_empty(),
            _ => false,
        };
        match self.one_of.first() {
            Some(first) if !self.one_of.iter().any(is_filled) => {
                Err(Invalid::new(first, format!("at least one of {} must hold something", self.one_of.join(", "))))
            }
            _ => Ok(()),
        }
    }

    /// Completes parameters as a caller wrote them, then checks them. The result is in the `/api/v1` form.
    pub fn complete(&self, params: Map<String, Value>) -> Result<Map<String, Value>, Invalid> {
        let mut completed = Map::new();
        let mut given = params;
        for parameter in &self.parameters {
            // An empty list says no more than none, where a list is what is asked for.
            let may_be_empty = !parameter.required && parameter.kind == ParameterType::Array;
            let says_nothing = |value: &Value| value.is_null() || may_be_empty && *value == json!([]);
            let value = given.shift_remove(&parameter.name).filter(|value| !says_nothing(value));
            if let Some(value) = value.or_else(|| parameter.default.clone()) {
                completed.insert(parameter.name.clone(), parameter.complete(value));
            }
        }
        completed.extend(given);
        self.validate(&completed, PathForm::Agents)?;
        Ok(completed)
    }

    /// Puts completed parameters into the form of a path: under `/v1/data` some arrays are single strings.
    pub fn in_form(&self, mut params: Map<String, Value>, form: PathForm) -> Result<Map<String, Value>, Invalid> {
        if form == PathForm::Agents {
            return Ok(params);
        }
        for parameter in self.parameters.iter().filter(|parameter| parameter.data_form.is_some()) {
            let Some(Value::Array(items)) = params.get_mut(&parameter.name) else { continue };
            match items.len() {
                0 => drop(params.shift_remove(&parameter.name)),
                1 => {
                    let single = items.swap_remove(0);
                    params.insert(parameter.name.clone(), single);
                }
                n => {
                    let reason = format!("the /v1/data form takes one value in a run, {n} were given");
                    return Err(Invalid::new(&parameter.name, reason));
                }
            }
        }
        Ok(params)
    }
}

impl Parameter {
    fn check(&self, value: &Value, form: PathForm) -> Result<(), String> {
        let kind = if form == PathForm::Data { self.data_form.unwrap_or(self.kind) } else { self.kind };
        kind.check(value).map_err(|reason| match kind {
            ParameterType::String if !self.options.is_empty() => {
                format!("must be one of {}, a string, not {}", quoted(&self.options), kind_of(value))
            }
            _ => reason,
        })?;
        match value {
            Value::Number(number) => self.check_integer(number),
            Value::String(text) => self.check_text(text, self.items),
            Value::Array(items) => self.check_items(items),
            _ => Ok(()),
        }
    }

    fn check_integer(&self, number: &serde_json::Number) -> Result<(), String> {
        let minimum = self.minimum.unwrap_or(0);
        let Some(value) = number.as_u64() else { return Err(format!("must be at least {minimum}")) };
        if value < minimum {
            return Err(format!("must be at least {minimum}"));
        }
        // Beyond i64 no service counts; without a stated cap this is the only upper bound.
        let maximum = self.maximum.unwrap_or(i64::MAX as u64);
        if value > maximum { Err(format!("must be at most {maximum}")) } else { Ok(()) }
    }

    fn check_items(&self, items: &[Value]) -> Result<(), String> {
        if items.is_empty() && self.required {
            return Err("must not be empty".to_owned());
        }
        for (at, item) in items.iter().enumerate() {
            let text = match (self.items, item) {
                (Some(Items::String | Items::Address) | None, Value::String(text)) => text,
                (Some(Items::Url | Items::Address), Value::Object(object)) => match (object.len(), object.get("url")) {
                    (1, Some(Value::String(url))) => url,
                    _ => return Err(format!("item {at} must be an object with the one key `url` (a string)")),
                },
                (Some(Items::Url), other) => {
                    return Err(format!("item {at} must be an object with the one key `url`, not {}", kind_of(other)));
                }
                (_, other) => return Err(format!("item {at} must be a string, not {}", kind_of(other))),
            };
            self.check_text(text, self.items).map_err(|reason| format!("item {at} {reason}"))?;
        }
        Ok(())
    }

    fn check_text(&self, text: &str, items: Option<Items>) -> Result<(), String> {
        one_of(&self.options, text)?;
        if text.trim().is_empty() {
            return Err("must not be blank".to_owned());
        }
        let is_address = matches!(items, Some(Items::Url | Items::Address)) || self.name.ends_with("Urls");
        if is_address && !is_web_address(text) {
            return Err("must be an absolute http or https address".to_owned());
        }
        match self.rule {
            Some(Rule::BestsellerAddress) if !(text.contains("/zgbs/") || text.contains("/bestsellers/")) => {
                Err("must contain /zgbs/ or /bestsellers/".to_owned())
            }
            Some(Rule::ProductAddress) if asin_in(text).is_none() => {
                Err("must be a product address with an ASIN after /dp/".to_owned())
            }
            Some(Rule::ProductOrAsin) if !is_asin(text) && asin_in(text).is_none() => {
                Err("must be an ASIN (ten capitals or digits) or a product address with one after /dp/".to_owned())
            }
            Some(Rule::Pincode) if !(text.len() == 6 && text.bytes().all(|b| b.is_ascii_digit())) => {
                Err("must be six ASCII digits".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn complete(&self, value: Value) -> Value {
        let value = match (self.kind, value) {
            (ParameterType::Array, Value::String(text)) => Value::Array(vec![Value::String(text)]),
            (_, value) => value,
        };
        let Value::Array(items) = value else { return value };
        Value::Array(items.into_iter().map(|item| self.complete_item(item)).collect())
    }

    fn complete_item(&self, item: Value) -> Value {
        let normalised = |text: String| match self.rule {
            Some(Rule::ProductAddress | Rule::ProductOrAsin) => canonical_product(&text).unwrap_or(text),
            _ => text,
        };
        match (self.items, item) {
            (Some(Items::Url | Items::Address), Value::String(text)) => json!({ "url": normalised(text) }),
            (Some(Items::Url | Items::Address), Value::Object(mut object)) => {
                if let Some(Value::String(url)) = object.get_mut("url") {
                    *url = normalised(std::mem::take(url));
                }
                Value::Object(object)
            }
            (_, Value::String(text)) => Value::String(normalised(text)),
            (_, other) => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::find;

    fn refused(agent: &str, params: &Value) -> String {
        let (group, slug) = agent.split_once('/').unwrap();
        let params = params.as_object().unwrap();
        let invalid = find(group, slug).unwrap().validate(params, PathForm::Agents).unwrap_err();
        format!("{}: {}", invalid.field, invalid.reason)
    }

    #[test]
    fn integers_are_integers_and_not_negative() {
        for bad in [json!(-1), json!(1.5), json!(1.0), json!("10"), json!(true), json!(null), json!(1u64 << 63)] {
            let text = refused("events/events", &json!({"searchQueries": ["x"], "maxResults": bad}));
            assert!(text.starts_with("maxResults: must be"), "{text}");
        }
    }

    #[test]
    fn each_rule_of_the_contract_names_its_field() {
        let cases = [
            ("events/events", json!({}), "searchQueries: at least one of"),
            ("events/events", json!({"searchQueries": [], "startUrls": []}), "searchQueries: at least one of"),
            ("events/events", json!({"searchQueries": ["x"], "maxResult": 1}), "maxResult: not a parameter"),
            ("video/comment-scraper", json!({"startUrls": [{"url": "https://v.example/1"}]}), "maxComments: required"),
            (
                "video/comment-scraper",
                json!({"startUrls": ["https://v.example/1"], "maxComments": 1}),
                "startUrls: item 0",
            ),
            (
                "retail/bestsellers-scraper",
                json!({"categoryUrls": ["https://s.example/x"], "maxItemsPerStartUrl": 1}),
                "categoryUrls: item 0 must contain",
            ),
            (
                "retail/bestsellers-scraper",
                json!({"categoryUrls": ["https://s.example/zgbs/x"], "maxItemsPerStartUrl": 101}),
                "maxItemsPerStartUrl: must be at most 100",
            ),
            (
                "retail/pincode-scraper",
                json!({"products": ["B0ABCDEFGH"], "pincodes": ["١٢٣٤٥٦"]}),
                "pincodes: item 0 must be six ASCII digits",
            ),
            (
                "retail/pincode-scraper",
                json!({"products": ["b0abcdefgh"], "pincodes": ["110001"]}),
                "products: item 0 must be an ASIN",
            ),
        ];
        for (agent, params, expected) in cases {
            let text = refused(agent, &params);
            assert!(text.starts_with(expected), "{text}");
        }
    }

    #[test]
    fn completing_takes_the_convenient_spellings_and_fills_defaults() {
        let reviews = find("retail", "reviews-scraper").unwrap();
        let params = json!({"productUrls": "https://shop.example/Name/dp/B0ABCDEFGH?x=1"});
        let completed = reviews.complete(params.as_object().unwrap().clone()).unwrap();
        let expected = json!({"productUrls": [{"url": "https://shop.example/dp/B0ABCDEFGH"}], "maxReviews": 100});
        assert_eq!(Value::Object(completed), expected);
    }

    #[test]
    fn the_data_form_takes_single_strings() {
        let events = find("events", "events").unwrap();
        let params = |queries: Value| json!({"searchQueries": queries}).as_object().unwrap().clone();
        let single = events.in_form(params(json!(["jazz"])), PathForm::Data).unwrap();
        assert_eq!(single["searchQueries"], "jazz");
        events.validate(&single, PathForm::Data).unwrap();
        assert!(events.in_form(params(json!(["jazz", "rock"])), PathForm::Data).is_err());
    }
}
