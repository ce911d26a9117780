//! How many rows a run may bring at most: what its cost is bounded by.

use serde_json::{Map, Value};

use super::agent::{Agent, Limit, Zero};

impl Agent {
    /// The most rows these parameters can bring, or `None` where that is unbounded.
    ///
    /// All limits are added, then multiplied by the inputs. A limit that is 0 or absent where the contract gives that
    /// the meaning "all", or gives it none, makes the run unbounded: a cap on cost must not rest on a guess.
    pub fn max_rows(&self, params: &Map<String, Value>) -> Option<u64> {
        let mut per_input: u64 = u64::from(self.rows.limits.is_empty());
        for limit in &self.rows.limits {
            per_input = per_input.checked_add(self.limit_of(limit, params)?)?;
        }
        self.rows.inputs.iter().try_fold(per_input, |rows, group| {
            let inputs: u64 = group.iter().map(|name| count(params.get(name))).sum();
            rows.checked_mul(inputs)
        })
    }

    /// The parameter to set so that [`Agent::max_rows`] is bounded: the first limit that is open.
    pub fn open_limit(&self, params: &Map<String, Value>) -> Option<&str> {
        let open = self.rows.limits.iter().find(|limit| self.limit_of(limit, params).is_none());
        open.map(|limit| limit.parameter.as_str())
    }

    fn limit_of(&self, limit: &Limit, params: &Map<String, Value>) -> Option<u64> {
        let parameter = self.parameter(&limit.parameter)?;
        let value = params.get(&limit.parameter).or(parameter.default.as_ref()).and_then(Value::as_u64).unwrap_or(0);
        let value = value.min(parameter.maximum.unwrap_or(u64::MAX));
        (value > 0 || limit.zero == Zero::None).then_some(value)
    }
}

/// The number of inputs of one parameter: an array's length, or one for the single string of the `/v1/data` form.
fn count(value: Option<&Value>) -> u64 {
    match value {
        Some(Value::Array(items)) => items.len() as u64,
        Some(Value::String(text)) => u64::from(!text.is_empty()),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use crate::catalogue::find;
    use serde_json::{Value, json};

    #[track_caller]
    fn bound(agent: &str, params: &Value) -> Option<u64> {
        let (group, slug) = agent.split_once('/').unwrap();
        find(group, slug).unwrap().max_rows(params.as_object().unwrap())
    }

    #[test]
    fn all_limits_are_summed_and_multiplied_by_the_inputs() {
        let params = json!({"searchQueries": ["a", "b"], "startUrls": ["c"], "maxResults": 10, "maxResultsShorts": 5, "maxResultStreams": 1});
        assert_eq!(bound("video/video-scraper", &params), Some(48));
        assert_eq!(
            bound("retail/pincode-scraper", &json!({"products": ["a", "b"], "pincodes": ["1", "2", "3"]})),
            Some(6)
        );
    }

    #[test]
    fn zero_or_absent_where_it_means_all_is_unbounded() {
        assert_eq!(bound("events/events", &json!({"searchQueries": ["a"], "maxResults": 0})), None);
        assert_eq!(bound("events/events", &json!({"searchQueries": ["a"]})), None);
        assert_eq!(bound("events/events", &json!({"searchQueries": ["a", "b"], "maxResults": 7})), Some(14));
        assert_eq!(bound("video/channel-scraper", &json!({"startUrls": [1], "maxResultsShorts": 9})), None);
    }

    #[test]
    fn the_platform_cap_bounds_a_larger_limit() {
        assert_eq!(
            bound("retail/bestsellers-scraper", &json!({"categoryUrls": ["a"], "maxItemsPerStartUrl": 500})),
            Some(100)
        );
    }
}
