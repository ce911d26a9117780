//! Rows into files, one format a file. Everything goes to a `Write`; who opens and renames files stands elsewhere.
//! `cells` are the text of values, for files and for screens.

mod cells;
mod need_columns;

mod csv;
mod ipc;
mod ndjson;
mod packing;
mod pandas;
mod parquet;

pub use csv::{CsvOptions, write_csv};
pub use ipc::write_ipc;
pub(super) use ipc::write_ipc_with;
pub use ndjson::write_ndjson;
pub use packing::Packing;
pub use parquet::{Compression, write_parquet};
