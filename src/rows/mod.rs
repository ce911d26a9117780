//! Bytes in, Arrow out: the decoder of result bodies. It opens no file and no socket, and knows no runtime; it starts
//! threads of its own for a large body, and keeps memory from one table for the next.
//!
//! ```text
//! bytes ─ json (cursor, scan, text, number) ─ envelope ─ columns ─ sequential ─ finish (notes, convert) ─ Rows
//! ```
//!
//! [`Decoder`] is fed the body as it arrives, [`decode`] takes one of which all is there. Values go from the bytes
//! straight into column builders; there is no tree of values in between, except where a column holds JSON text
//! (`json::canonical`). What a column is follows from the facts of all its values and of nothing else.
//!
//! In reading order:
//!
//! - the door: `decode`; what may be said before: `options` (with `limits`), `declared`; what goes wrong: `error`, and
//!   what messages quote: `clipped`;
//! - one value: `json`, with the scanner;
//! - around the rows: `envelope`;
//! - the builders: `columns`, with widening; their memory: `slab`;
//! - a body in one thread: `sequential`; in several, if its `head` says so: `handover`, with `threads`; in two passes:
//!   `stream`;
//! - the end: `finish`, with notes and conversions; what comes out: `table`, with text as each receiver takes it:
//!   `text_layout`; which of that is JSON: `json_texts`; a column as one array: `whole_column`;
//! - tables: `concat`, `write`, `kept_file`; answers in CSV: `csv`.

mod clipped;
mod declared;
mod decode;
mod error;
mod limits;
mod options;

mod json;

mod envelope;

mod columns;
mod slab;

mod sequential;

mod handover;
mod head;
mod threads;

mod stream;

mod finish;
mod json_texts;
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
pub use envelope::Envelope;
pub use error::DecodeError;
pub use finish::type_name;
pub use kept_file::{read_kept, write_kept};
pub use limits::Limits;
pub use options::{Declared, DecodeOptions, Form, Hold, ParseDates};
pub use stream::{Batches, Survey, Surveyed};
pub use table::{NOTE_KEY, Note, Rows, breaks_lines};
pub use text_layout::TextLayout;
