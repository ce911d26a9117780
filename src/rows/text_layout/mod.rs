//! Text as each receiver takes it best: `layout` says how it lies in a schema, `converter` lays out the batches, and
//! `arrays` an array.

mod layout;

mod converter;

mod arrays;

pub use converter::TextConverter;
pub use layout::TextLayout;
