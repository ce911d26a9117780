//! What becomes one record batch.

use std::sync::Arc;

use super::Column;

/// The sealed columns of a range of rows, but for those without a value in any of them.
pub(in crate::rows) struct Segment {
    pub(in crate::rows) columns: Vec<(Arc<str>, Column)>,
    pub(in crate::rows) len: usize,
}

impl std::fmt::Debug for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segment").field("len", &self.len).finish_non_exhaustive()
    }
}
