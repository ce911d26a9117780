use crate::catalogue::Agent;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;
mod chance;
pub(super) use chance::Chance;

#[derive(Debug)]
pub(super) struct Plan {
    input: String,
    rows: u64,
}
impl Plan {
    pub(super) fn draw(_seed: u64, _agent: &'static Agent, params: &Map<String, Value>) -> Self {
        Self { input: params.keys().next().cloned().unwrap_or_default(), rows: 5 }
    }
    pub(super) fn row_count(&self) -> u64 {
        self.rows
    }
    pub(super) fn columns(&self) -> Vec<String> {
        vec!["input".into(), "position".into()]
    }
    pub(super) fn rows(plan: &Arc<Self>) -> Rows {
        Rows { plan: Arc::clone(plan), at: 0 }
    }
}
pub(super) struct Rows {
    plan: Arc<Plan>,
    at: u64,
}
impl Iterator for Rows {
    type Item = Row;
    fn next(&mut self) -> Option<Row> {
        (self.at < self.plan.rows).then(|| {
            self.at += 1;
            Row { input: self.plan.input.clone(), position: self.at }
        })
    }
}
#[derive(Debug, Serialize)]
pub(super) struct Row {
    input: String,
    position: u64,
}
