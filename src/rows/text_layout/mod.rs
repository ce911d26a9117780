//! Text as each receiver takes it best: `layout` says how it lies in a schema (and `names` are those that others
//! take), `converter` lays out the batches, and `arrays` an array.

mod layout;
mod names;

mod converter;

mod arrays;

pub use converter::TextConverter;
pub use layout::TextLayout;
