//! Rows as the contract gives them (section 4.3), written row by row.

use std::sync::Arc;

use super::samples::{Plan, Rows};

/// `{"status": …, "row_count": …, "data": […]}`, one row at a time.
pub(super) struct JsonText {
    rows: Rows,
    row_count: u64,
    at: Place,
}

#[derive(Clone, Copy)]
enum Place {
    Start,
    FirstRow,
    LaterRow,
    End,
}

impl JsonText {
    pub(super) fn new(plan: &Arc<Plan>) -> Self {
        Self { rows: Plan::rows(plan), row_count: plan.row_count(), at: Place::Start }
    }

    /// Writes the next piece; false when there is no other.
    pub(super) fn write(&mut self, out: &mut Vec<u8>) -> bool {
        match self.at {
            Place::Start => {
                let head = format!(r#"{{"status":"completed","row_count":{},"data":["#, self.row_count);
                out.extend_from_slice(head.as_bytes());
                self.at = Place::FirstRow;
            }
            Place::FirstRow | Place::LaterRow => {
                let Some(row) = self.rows.next() else {
                    out.extend_from_slice(b"]}");
                    self.at = Place::End;
                    return true;
                };
                if matches!(self.at, Place::LaterRow) {
                    out.push(b',');
                }
                serde_json::to_writer(out, &row).expect("rows have text keys, and a Vec takes every byte");
                self.at = Place::LaterRow;
            }
            Place::End => return false,
        }
        true
    }
}
