//! Bytes in, Arrow out: the decoder of result bodies. It opens no file and no socket, and knows no runtime; it starts
//! threads of its own for a large body, and keeps memory from one table for the next.
//!
//! ```text
//! bytes → decode → sequential → envelope (the next row) → columns (its values, by json) → finish → Rows
//!         ↘ handover (ahead of it) ↗                                                            ↘ stream → batches
//! ```
//!
//! [`Decoder`] is fed the body as it arrives, [`decode`] takes one of which all is there. Values go from the bytes
//! straight into column builders; there is no tree of values in between, except where a column holds JSON text
//! (`json::canonical`). What a column is follows from the facts of all its values and of nothing else.
//!
//! Words that mean one thing in here:
//!
//! - *window*: the bytes at hand; *rest*: bytes that are kept for later, which are the beginning of a row that the
//!   window cuts off, or what follows a batch that is not taken yet;
//! - *chunk*: a part of the body, cut where a row is taken to end, that a thread reads before the sequential reading
//!   gets there; *block*: 64 bytes that are looked at together;
//! - *segment*: the columns of some rows; when it is full the next begins, and each becomes a record batch;
//! - *facts*: the kinds of value a column has seen; they add up in any order, and they alone decide its *storage*;
//! - *shape*: the facts of a column and of all that is in it, without values; shapes merge into the schema of the
//!   whole;
//! - *place*: where a value or a null stands in a column, or a byte in the window; *gap*: four or more nulls that come
//!   at once, as for rows without the column, of which only the count is stored, while a `null` that is written in the
//!   body is stored like a value; the *physical* index of a place leaves gaps out;
//! - *cell*: one place of one column; *declared*: named by the caller's schema or the agent before the first row.
//!
//! In reading order:
//!
//! - the door: `decode`; what may be said before: `options` (with `limits`), `declared`; what goes wrong: `error`, with
//!   `error_kind`, and what messages quote: `clipped`;
//! - one value: `json`, with the scanner;
//! - around the rows: `envelope`;
//! - the builders: `columns`, with widening; their memory: `memory`; what the processor is told beforehand: `prefetch`;
//! - a body in one thread: `sequential`; in several, if its beginning says so: `handover`, with `threads`; in batches,
//!   read more than once: `stream`;
//! - the end: `finish`, with notes and conversions; what comes out: `table`, with text as each receiver takes it:
//!   `text_layout`; whether two are equal: `equality`; a column as one array: `whole_column`;
//! - tables: `concat`, `write`, `kept_file`; answers in CSV: `csv`.

mod clipped;
mod declared;
mod decode;
mod error;
mod error_kind;
mod limits;
mod options;

mod json;

mod envelope;

mod columns;
mod memory;
#[cfg_attr(not(target_arch = "x86_64"), path = "prefetch_elsewhere.rs")]
mod prefetch;

mod sequential;

mod handover;
mod threads;

mod stream;

mod equality;
mod finish;
mod table;
mod text_layout;
mod whole_column;

mod concat;
mod csv;
mod kept_file;
pub mod write;

pub use concat::concat;
pub use csv::decode_csv;
pub use decode::{Decoded, Decoder, decode};
pub use envelope::{BOM, Envelope};
pub use error::DecodeError;
pub use error_kind::DecodeErrorKind;
pub use finish::{directly_within, type_name};
pub use kept_file::{read_kept, write_kept};
pub use limits::Limits;
pub use options::{Declared, DecodeOptions, Form, Hold, ParseDates};
pub use stream::{Batches, Survey, Surveyed};
pub use table::{NOTE_KEY, Note, Rows, breaks_lines};
pub use text_layout::{TextConverter, TextLayout};
