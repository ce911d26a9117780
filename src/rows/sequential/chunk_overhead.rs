//! Whether rebuilding all columns for each chunk costs more than an extra thread gains.
//!
//! Each column of a chunk takes some 0.5 µs: it is made, sealed, and becomes an array of its own. A chunk of 4 MiB
//! takes a millisecond to read where it is long text, and 12 where it is small values.

use super::Segments;

/// Fewer columns than this are never too many.
const FEW_COLUMNS: u64 = 1_000;

/// More are always too many: reading ahead is not begun with them, and ends where a chunk has them.
const MANY_COLUMNS: u64 = 8_000;

/// So many bytes of a chunk take so long to read that one column more does not matter.
const BYTES_FOR_COLUMN: u64 = 4 << 10;
/// And so many of its values.
const VALUES_FOR_COLUMN: u64 = 64;

/// Whether a chunk has so many columns that no other row of it is read ahead.
pub(in crate::rows) fn ends_chunk(columns: usize) -> bool {
    columns as u64 > MANY_COLUMNS
}

impl Segments {
    /// Whether chunks of the rows that follow have too many columns, if they have as many values as those so far.
    pub(super) fn has_too_many_for_chunks(&self, columns: usize) -> bool {
        let (columns, bytes) = (columns as u64, self.options.limits.chunk_bytes as u64);
        if columns <= FEW_COLUMNS || columns > MANY_COLUMNS {
            return columns > MANY_COLUMNS;
        }
        let read = self.bytes_sealed + self.open_bytes as u64;
        let values = (self.values_sealed + self.open.count_values()).saturating_mul(bytes) / read.max(1);
        columns > bytes / BYTES_FOR_COLUMN + values / VALUES_FOR_COLUMN
    }
}
