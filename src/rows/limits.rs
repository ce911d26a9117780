//! How much is held and handed over in one go, and how large a table may be for its body.
//!
//! All limits on what is read:
//!
//! | what | where it is told | what is beyond |
//! |---|---|---|
//! | bytes of a row: 256 Mi | here | is refused |
//! | arrays and objects in each other: 128 | `json::cursor` | is refused |
//! | columns of the table: `max_columns` | `options` | is refused |
//! | columns in all, nested ones included: 65,536 | `columns::count` | is refused |
//! | cells of the table, by the bytes of its body | here, and `sequential::weigh` | is refused |
//! | elements in the arrays of one column of a batch: 2^31 - 1 | `columns::read` | is refused |
//! | members of the results object: 1,000 | `envelope::reader` | is refused |
//! | keys of objects in one column: 256, or as many as were declared; levels of types: 24 | `columns` | becomes text |
//!
//! One that refuses rows and counts more than a batch has to be asked for where rows are taken over that were read
//! ahead (`Segments::has_room_for`), too: else it would depend on threads what is refused. What becomes text follows
//! from facts, which add up in any order.

/// No row may be larger, and no more of the body is looked at in one go.
pub(super) const MAX_ROW_BYTES: usize = 256 << 20;

/// See [`Limits::batch_bytes`]. With the longest row after so many bytes, and all of them numbers that take 4.4 times
/// their bytes as text (`1e20,`), the text of a batch is within 1.7 GiB.
const MAX_BATCH_BYTES: usize = 128 << 20;

/// Sizes that bound memory. What the rows are does not depend on them, but for what is refused.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of the body that one record batch is made of, unless a row is larger. Default 16 MiB; a stream has less.
    /// More than 128 MiB counts as that, for text has offsets of 32 bits.
    pub batch_bytes: usize,
    /// Cells of one record batch at most, nested and empty ones included: wide tables are sparse. Default 16 Mi; a
    /// stream has fewer, and so has a table of which hardly a cell holds anything.
    pub batch_cells: usize,
    /// Bytes of the body that are handed to another thread in one go, unless a row is larger; the last may be an eighth
    /// more. Where rows are sparse it is fewer, so that each becomes one batch, or a few; and with more than three
    /// threads, so that all of them together hold no more. Default 4 MiB, which makes batches of a size that receivers
    /// take well; at least 1, at most 128 MiB.
    pub chunk_bytes: usize,
    /// Cells that a table may have however small its body is, beside [`cells_per_byte`](Self::cells_per_byte). A single
    /// row may have as many, and one more for each of its bytes. Default 256 Mi.
    pub spare_cells: u64,
    /// The cells that are added to `spare_cells` for each byte of the body. Default 1; a stream may have more.
    pub cells_per_byte: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            batch_bytes: 16 << 20,
            batch_cells: 16 << 20,
            chunk_bytes: 4 << 20,
            spare_cells: 256 << 20,
            cells_per_byte: 1,
        }
    }
}

impl Limits {
    /// These limits with what can be done in place of what was asked for.
    pub(super) fn feasible(self) -> Self {
        let (batch_bytes, chunk_bytes) =
            (self.batch_bytes.min(MAX_BATCH_BYTES), self.chunk_bytes.clamp(1, MAX_BATCH_BYTES));
        Self { batch_bytes, chunk_bytes, ..self }
    }
}

/// How a body is refused that has more columns than were allowed.
pub(super) fn too_many_columns(max_columns: usize) -> String {
    format!("more columns than `max_columns` allows ({max_columns})")
}
