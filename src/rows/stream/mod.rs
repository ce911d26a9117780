//! A body of any size in constant memory, read in two passes, or in three where types are asked for that values may not
//! convert to: `survey` learns the schema, `batches` makes the rows of it.

mod survey;

mod batches;

pub use batches::Batches;
pub use survey::{Survey, Surveyed};
