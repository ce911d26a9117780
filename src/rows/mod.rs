//! Bytes in, Arrow out: the decoder of result bodies. Pure and synchronous, no I/O.

mod decode;
mod error;
mod options;
mod table;

pub use decode::{Decoded, Decoder, Envelope};
pub use error::DecodeError;
pub use options::{Declared, DecodeOptions, Form, ParseDates};
pub use table::{Note, Rows};
