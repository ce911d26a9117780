//! Rows as CSV by RFC 4180: a header, comma, CR LF, quotes where needed, UTF-8; nested cells as JSON text, null as nothing.

use std::sync::Arc;

use csv::{Terminator, Writer, WriterBuilder};
use serde_json::Value;

use super::samples::{Plan, Row, Rows};

/// The CSV text of a job's rows, one line at a time.
pub(super) struct CsvText {
    rows: Rows,
    header: Option<Vec<String>>,
}

impl CsvText {
    pub(super) fn new(plan: &Arc<Plan>) -> Self {
        Self { rows: Plan::rows(plan), header: Some(plan.columns()) }
    }

    /// Writes the next line; false when there is no other.
    pub(super) fn write(&mut self, out: &mut Vec<u8>) -> bool {
        let cells = match self.header.take() {
            Some(header) => header,
            None => match self.rows.next() {
                Some(row) => cells(&row),
                None => return false,
            },
        };
        let mut writer: Writer<&mut Vec<u8>> = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out);
        writer.write_record(cells).expect("a Vec takes every byte, and one line has no other to differ from");
        true
    }
}

fn cells(row: &Row) -> Vec<String> {
    match serde_json::to_value(row) {
        Ok(Value::Object(fields)) => fields.into_iter().map(|(_, value)| cell(value)).collect(),
        _ => Vec::new(),
    }
}

fn cell(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    }
}
