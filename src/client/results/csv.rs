//! A CSV body. It is held whole: its columns are text, and such answers are small.

use super::receive::Broken;
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

    /// The place of the last line break that something stands behind.
    pub(super) fn last_line_break(&self) -> u64 {
        memchr::memrchr(b'\n', self.body.trim_ascii_end()).unwrap_or_default() as u64
    }

    /// The rows, if they are as many as were told: a body that was cut between two of them looks whole.
    pub(super) fn rows(self, max_columns: usize) -> Result<Rows, Broken> {
        let rows = rows::decode_csv(&self.body, max_columns)?;
        match self.told {
            Some(told) if told != rows.len() as u64 => Err(Broken::Short(DecodeError {
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
