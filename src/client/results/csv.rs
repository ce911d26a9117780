//! A CSV body. It is held whole: its columns are text, and such answers are small.

use super::receive::ReaderError;
use crate::rows::{self, DecodeError, DecodeErrorKind, Rows};

#[derive(Debug)]
pub(super) struct Csv {
    body: Vec<u8>,
    told: Option<u64>,
}

impl Csv {
    /// It does not say itself how many rows it has; `told` is what the service said of the completed job.
    pub(super) fn new(told: Option<u64>) -> Self {
        Self { body: Vec::new(), told }
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.body.extend_from_slice(bytes);
    }

    /// Whether the record that begins there, or after the line break there, is the last.
    pub(super) fn has_its_last_record_at(&self, at: u64) -> bool {
        let body = self.body.get(at as usize..).unwrap_or_default();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(body);
        reader.byte_records().nth(1).is_none()
    }

    /// The rows, if they are as many as were told: a body that was cut between two of them looks whole.
    pub(super) fn rows(&self, max_columns: usize) -> Result<Rows, ReaderError> {
        let rows = rows::decode_csv(&self.body, max_columns)?;
        match self.told {
            Some(told) if told != rows.len() as u64 => Err(ReaderError::Short(DecodeError {
                kind: DecodeErrorKind::Truncated,
                message: format!("the service told {told} rows for the job and there are {}", rows.len()),
                byte_offset: self.body.len() as u64,
                row: None,
                rows_read: rows.len() as u64,
                rows: Box::new(rows),
            })),
            _ => Ok(rows),
        }
    }
}
