//! What a caller may say of the rows before they are read.

use std::num::NonZero;
use std::sync::{Arc, OnceLock};

use arrow_schema::SchemaRef;

use super::limits::Limits;
use crate::catalogue::Agent;

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
    /// How many threads a large body may take, the one that feeds it included. 1 means no other, and so does 0; more
    /// than 16 are not used. Default the machine's cores, up to 4. The rows are the same with any number; each thread
    /// holds some MiB more.
    pub threads: usize,
    /// How much memory it takes. No caller has to know of them; tests want less.
    pub limits: Limits,
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
            threads: usual_threads(),
            limits: Limits::default(),
            hold: Hold::Rows,
        }
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
