//! What a run will bring, decided when it starts: so many rows for each input under each limit.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::chance::Chance;
use super::input::{finds_nothing, shows_one};
use super::order::{Order, Population};
use super::section::{Row, Section};
use crate::catalogue::{Agent, Limit, Zero};

/// The version of all rules of `samples`: one more for each change by which an equal run brings other rows than before.
pub(in crate::service) const VERSION: u32 = 1;

/// How much there is of anything when a run asks for all.
const ALL: (u64, u64) = (30, 120);

#[derive(Debug)]
pub(in crate::service) struct Plan {
    seed: u64,
    agent: &'static Agent,
    order: Order,
    inputs: Vec<Input>,
    /// The second kind of inputs, each of which is combined with each of the first; one empty text where there is none.
    seconds: Vec<String>,
    row_count: u64,
}

/// One input and the rows it brings under each limit of the agent.
#[derive(Debug)]
struct Input {
    text: String,
    rows: Vec<u64>,
}

impl Plan {
    /// Plans a run whose parameters are valid.
    pub(in crate::service) fn draw(seed: u64, agent: &'static Agent, params: &Map<String, Value>) -> Self {
        let mut groups = agent.rows.inputs.iter().map(|group| texts(group, params));
        let inputs: Vec<Input> = groups
            .next()
            .unwrap_or_default()
            .into_iter()
            .map(|text| Input { rows: rows_of(seed, agent, params, &text), text })
            .collect();
        let seconds = groups.next().unwrap_or_else(|| vec![String::new()]);
        let of_first = inputs.iter().flat_map(|input| &input.rows).fold(0_u64, |sum, rows| sum.saturating_add(*rows));
        let row_count = of_first.saturating_mul(seconds.len() as u64);
        Self { seed, agent, order: Order::of(params), inputs, seconds, row_count }
    }

    pub(in crate::service) fn row_count(&self) -> u64 {
        self.row_count
    }

    /// The rows, made one by one.
    pub(in crate::service) fn rows(plan: &Arc<Self>) -> Rows {
        Rows { plan: Arc::clone(plan), next: Place::default(), section: None }
    }

    /// The names of the columns, also of a run without rows.
    pub(in crate::service) fn columns(&self) -> Vec<String> {
        let first = self.section(Place::default()).row(0);
        match serde_json::to_value(first) {
            Ok(Value::Object(fields)) => fields.into_iter().map(|(name, _)| name).collect(),
            _ => Vec::new(),
        }
    }

    fn section(&self, place: Place) -> Section {
        let (text, rows) = self.inputs.get(place.input).map_or(("", &[][..]), |input| (&input.text, &input.rows));
        let pincode = self.seconds.get(place.second).cloned().unwrap_or_default();
        let limit = self.agent.rows.limits.get(place.limit).map_or("", |limit| limit.parameter.as_str());
        let rows = rows.get(place.limit).copied().unwrap_or_default();
        let chance = Chance::of(self.seed, &[&self.agent.slug, limit, text, &pincode]);
        // More rows than there would be of themselves are asked for: then there are that many.
        let size = rows.max(all(self.seed, self.agent, limit, text));
        Section {
            agent: &self.agent.slug,
            limit,
            input: text.to_owned(),
            pincode,
            seed: self.seed,
            rows,
            order: self.order,
            population: Population::new(size, chance.item(u64::MAX)),
            chance,
        }
    }
}

/// The texts of some input parameters, one after the other.
fn texts(names: &[String], params: &Map<String, Value>) -> Vec<String> {
    let text = |value: &Value| value.as_str().or_else(|| value.get("url")?.as_str()).map(str::to_owned);
    let of_one = |value: &Value| match value {
        Value::Array(items) => items.iter().filter_map(text).collect(),
        single => Vec::from_iter(text(single)),
    };
    names.iter().filter_map(|name| params.get(name)).flat_map(of_one).collect()
}

/// The rows of one input: exactly the limits, everything where a limit means all, one for the page of one thing.
fn rows_of(seed: u64, agent: &Agent, params: &Map<String, Value>, input: &str) -> Vec<u64> {
    let limits = &agent.rows.limits;
    if finds_nothing(input) {
        return vec![0; limits.len()];
    }
    if limits.is_empty() {
        return vec![1];
    }
    if shows_one(&agent.slug, input) {
        return (0..limits.len()).map(|at| u64::from(at == 0)).collect();
    }
    let of_limit = |limit: &Limit| match params.get(&limit.parameter).and_then(Value::as_u64).unwrap_or(0) {
        0 if limit.zero == Zero::None => 0,
        0 => all(seed, agent, &limit.parameter, input),
        rows => rows,
    };
    limits.iter().map(of_limit).collect()
}

/// How much there is under a limit when nobody limits it; never more than the platform shows.
fn all(seed: u64, agent: &Agent, limit: &str, input: &str) -> u64 {
    let cap = agent.parameter(limit).and_then(|parameter| parameter.maximum).unwrap_or(ALL.1);
    Chance::of(seed, &["all", &agent.slug, limit, input]).whole(ALL.0, ALL.1.min(cap))
}

/// Where in a plan a row stands.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    input: usize,
    second: usize,
    limit: usize,
    row: u64,
}

/// The rows of a plan, in order: input by input, limit by limit.
#[derive(Debug)]
pub(in crate::service) struct Rows {
    plan: Arc<Plan>,
    next: Place,
    section: Option<Section>,
}

impl Iterator for Rows {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        while self.next.input < self.plan.inputs.len() {
            let section = self.section.get_or_insert_with(|| self.plan.section(self.next));
            if self.next.row < section.rows {
                self.next.row += 1;
                return Some(section.row(self.next.row - 1));
            }
            self.section = None;
            self.next = self.plan.following(self.next);
        }
        None
    }
}

impl Plan {
    /// The start of the section after this one.
    fn following(&self, place: Place) -> Place {
        let Place { input, second, limit, .. } = place;
        if limit + 1 < self.agent.rows.limits.len() {
            Place { limit: limit + 1, row: 0, ..place }
        } else if second + 1 < self.seconds.len() {
            Place { input, second: second + 1, limit: 0, row: 0 }
        } else {
            Place { input: input + 1, ..Place::default() }
        }
    }
}
