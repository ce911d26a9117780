//! A body of any size in constant memory, in two passes: `survey` learns the schema, `batches` makes the rows of it.

mod survey;

mod batches;

pub use batches::Batches;
pub use survey::{Survey, Surveyed};
