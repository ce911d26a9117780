//! Formats in which a row is what its columns have, so that without any there is none.

use std::io;

use crate::rows::Rows;

/// Refuses rows that a `format` has no place for.
pub(super) fn need_columns(rows: &Rows, format: &str) -> io::Result<()> {
    if rows.is_empty() || !rows.schema().fields().is_empty() {
        return Ok(());
    }
    Err(io::Error::other(format!("{format} cannot store rows without columns, and there are {} such rows", rows.len())))
}
