//! Text as each receiver takes it best: `layout` finds it in tables, and `arrays` lays it out anew.

mod layout;

mod arrays;

pub use layout::TextLayout;
