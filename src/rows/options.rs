//! What a caller may say of the rows before they are read.

use std::num::NonZero;
use std::sync::{Arc, OnceLock};

use arrow_schema::SchemaRef;

use crate::catalogue::Agent;

/// See [`DecodeOptions::batch_bytes`].
const MOST_BATCH_BYTES: usize = 128 << 20;

/// How bytes are turned into a table.
#[derive(Debug, Clone)]
pub struct DecodeOptions {
    /// What the body is.
    pub form: Form,
    /// Columns known beforehand: they come first and are there whatever the body holds.
    pub declared: Declared,
    /// Which text columns become timestamps. Default: none, text is never interpreted.
    pub parse_dates: ParseDates,
    /// More columns than this is an error. Default 10,000.
    pub max_columns: usize,
    /// Rows in one record batch at most. Default 65,536.
    pub batch_rows: usize,
    /// Bytes of the body that one record batch is made of at most, but for a row. Default 16 MiB; a stream has less.
    /// More than 128 MiB counts as that: text has offsets of 32 bits, and some numbers take four times the bytes as
    /// text (`1e20,`).
    pub batch_bytes: usize,
    /// Cells of one record batch at most, nested and empty ones included: wide tables are sparse. Default 16 Mi; a
    /// stream has fewer.
    pub batch_cells: usize,
    /// How many threads a large body may take, the one that feeds it included. 1 means no other, and so does 0; more
    /// than 16 are not used. Default the machine's cores, up to 4. The rows are the same with any number; each thread
    /// holds some MiB more.
    pub threads: usize,
    /// Bytes of the body that are handed to another thread in one go, unless a row is larger; the last may be an eighth
    /// more. Where rows are sparse it is fewer, so that each becomes one batch. Default 4 MiB, which makes batches of a
    /// size that receivers take well; tests want less, but at least 1.
    pub block_bytes: usize,
    /// A table that is mostly empty may have this many cells, and more for each byte of the body; and so may one row,
    /// with one more for each of its bytes. Default 256 Mi; tests want less.
    pub spare_cells: u64,
    /// The cells that are added to `spare_cells` for each byte of the body. Default 1; a stream may have more.
    pub cells_per_byte: u64,
    /// What is held of the rows that were read: for the two passes of a [`Survey`](super::Survey), which set it; a
    /// [`Decoder`](super::Decoder) holds all.
    pub hold: Hold,
}

/// What is held of rows once they fill a batch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Hold {
    #[default]
    Rows,
    /// One batch: reading goes on, in one thread, when it was taken.
    Batch,
    /// What their columns are, but no values.
    Shapes,
}

/// The threads that are taken unless told otherwise.
fn usual_threads() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, NonZero::get).min(4))
}

impl Default for DecodeOptions {
    fn default() -> Self {
        Self {
            form: Form::Answer,
            declared: Declared::Nothing,
            parse_dates: ParseDates::None,
            max_columns: 10_000,
            batch_rows: 65_536,
            batch_bytes: 16 << 20,
            batch_cells: 16 << 20,
            threads: usual_threads(),
            block_bytes: 4 << 20,
            spare_cells: 256 << 20,
            cells_per_byte: 1,
            hold: Hold::Rows,
        }
    }
}

impl DecodeOptions {
    /// The same with what can be done in place of what was asked for.
    pub(super) fn within_limits(self) -> Self {
        let (batch_bytes, block_bytes) = (self.batch_bytes.min(MOST_BATCH_BYTES), self.block_bytes.max(1));
        Self { batch_bytes, block_bytes, ..self }
    }
}

/// What a body is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// What a request for results is answered with (section 4.3): the results object, or a `status` and no rows yet.
    Answer,
    /// An object whose array `data` holds the rows, from the service or not.
    Results,
    /// An object in which these names, one or more, lead to the array of rows. What stands beside is stepped over.
    Records(Arc<[String]>),
    /// The results object, a bare array of objects, or newline-delimited objects, whichever it shows itself to be.
    Any,
    /// Newline-delimited objects.
    Lines,
}

/// Columns known before the first row.
#[derive(Debug, Clone, Default)]
pub enum Declared {
    #[default]
    Nothing,
    /// The columns of an agent of the catalogue.
    Agent(&'static Agent),
    /// Any Arrow schema.
    Schema(SchemaRef),
}

/// Which text columns are read as dates and times (ISO 8601), each only if every value of it is one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ParseDates {
    #[default]
    None,
    All,
    Columns(Vec<String>),
}
