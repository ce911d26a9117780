//! Bytes in, Arrow out: the decoder of result bodies. Pure and synchronous, no I/O.
//!
//! ```text
//! bytes ─ cursor (scan, text, escape, number) ─ envelope ─ columns ─ segments ─ finish (notes, convert) ─ Rows
//! ```
//!
//! [`Decoder`] is fed the body as it arrives, [`decode`] takes one of which all is there. Values go from the bytes straight
//! into column builders; there is no tree of values in between, except where a column holds JSON text (`canonical`). What a
//! column is follows from the facts of all its values and of nothing else.

mod batches;
mod canonical;
mod cells;
mod columns;
mod concat;
mod convert;
mod csv;
mod cursor;
mod dates;
mod declared;
mod decode;
mod envelope;
mod error;
mod escape;
mod finish;
mod handover;
mod keep;
mod layout;
mod notes;
mod number;
mod options;
mod relay;
mod rest;
mod scan;
mod segments;
mod sequential;
mod share;
mod skip;
mod slab;
mod survey;
mod table;
mod text;
mod thaw;
mod unexpected;
mod view;
pub mod write;

pub use batches::Batches;
pub use cells::nested_as_json;
pub use concat::concat;
pub use csv::decode_csv;
pub use decode::{Decoded, Decoder, decode};
pub use envelope::Envelope;
pub use error::DecodeError;
pub use keep::{read_kept, write_kept};
pub use layout::TextLayout;
pub use options::{Declared, DecodeOptions, Form, Hold, ParseDates};
pub use survey::{Survey, Surveyed};
pub use table::{NOTE_KEY, Note, Rows};
