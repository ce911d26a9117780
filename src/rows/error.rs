//! Why a body could not be decoded, and the rows that were read before.

use std::fmt;

use super::error_kind::DecodeErrorKind;
use super::table::Rows;

/// A body that is not what it has to be.
#[derive(Debug, Clone)]
pub struct DecodeError {
    pub kind: DecodeErrorKind,
    /// What is wrong, in lower case and without a final dot.
    pub message: String,
    /// Where in the decoded body, counted from its first byte.
    pub byte_offset: u64,
    /// The row it is in, counted from 0; `None` outside the rows.
    pub row: Option<u64>,
    /// How many whole rows were read before the error.
    pub rows_read: u64,
    /// Those rows: they were paid for. Of a stream only the last are held.
    pub rows: Box<Rows>,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.byte_offset)?;
        if let Some(row) = self.row {
            write!(f, " (row {row})")?;
        }
        match self.rows_read {
            0 => Ok(()),
            1 => f.write_str("; 1 whole row was read before it"),
            rows => write!(f, "; {rows} whole rows were read before it"),
        }
    }
}

impl std::error::Error for DecodeError {}
