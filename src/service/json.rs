//! Rows as the contract gives them (section 4.3), written row by row.

use super::served::Served;
use super::store::StoreError;

/// `{"status": …, "row_count": …, "data": […]}`, a little at a time.
pub(super) struct JsonText {
    rows: Served,
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
    pub(super) fn new(rows: Served) -> Self {
        Self { rows, at: Place::Start }
    }

    /// Writes the next piece; false when there is no other.
    pub(super) fn write(&mut self, out: &mut Vec<u8>) -> Result<bool, StoreError> {
        match self.at {
            Place::Start => {
                let head = format!(r#"{{"status":"completed","row_count":{},"data":["#, self.rows.row_count);
                out.extend_from_slice(head.as_bytes());
                self.at = Place::FirstRow;
            }
            Place::FirstRow | Place::LaterRow => {
                let end = out.len();
                if matches!(self.at, Place::LaterRow) {
                    out.push(b',');
                }
                if self.rows.write_json(out)? {
                    self.at = Place::LaterRow;
                } else {
                    out.truncate(end);
                    out.extend_from_slice(b"]}");
                    self.at = Place::End;
                }
            }
            Place::End => return Ok(false),
        }
        Ok(true)
    }
}
