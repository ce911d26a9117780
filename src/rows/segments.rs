//! The table being read, cut into segments of bounded size.
//!
//! Each segment has columns of its own. When it is full its shape is merged into that of the whole and the next segment
//! starts from there, so that columns widen once and not again in every segment. Only at the end, when the shape of the whole
//! is known, do segments become record batches.

use std::sync::Arc;

use super::columns::{Column, Context, Fields, Shape, merge_members};
use super::cursor::{Cursor, Scan};
use super::finish::{self, Plan};
use super::options::DecodeOptions;
use super::table::Rows;

/// A segment is full when it has taken this many bytes of the body, however few rows those are.
const SEGMENT_BYTES: usize = 32 << 20;

/// Full columns of a range of rows.
pub(super) struct Segment {
    pub(super) columns: Vec<(Arc<str>, Column)>,
    pub(super) len: usize,
}

impl std::fmt::Debug for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segment").field("len", &self.len).finish_non_exhaustive()
    }
}

#[derive(Default)]
pub(super) struct Segments {
    options: DecodeOptions,
    declared: Vec<(Arc<str>, Shape)>,
    /// The shape of all full segments.
    members: Vec<(Arc<str>, Shape)>,
    full: Vec<Segment>,
    open: Fields,
    open_bytes: usize,
    rows_in_full: u64,
}

impl Segments {
    pub(super) fn new(options: DecodeOptions) -> Self {
        let declared = options.declared.members();
        let open = Fields::with_nulls(0, &declared);
        Self { members: declared.clone(), declared, open, options, ..Self::default() }
    }

    pub(super) fn rows_read(&self) -> u64 {
        self.rows_in_full + self.open.len() as u64
    }

    #[inline]
    pub(super) fn read_row(&mut self, cursor: &mut Cursor<'_>, context: &mut Context) -> Scan<()> {
        self.open.read_row(cursor, context, self.options.max_columns)
    }

    /// Forgets what was read of a row that did not end.
    pub(super) fn drop_open_row(&mut self) {
        self.open.drop_open();
    }

    /// Counts bytes of the body, and closes the open segment where it is full.
    #[inline]
    pub(super) fn took(&mut self, bytes: usize) {
        self.open_bytes += bytes;
        if self.open.len() >= self.options.batch_rows || self.open_bytes >= SEGMENT_BYTES {
            self.close();
        }
    }

    /// Closes the open segment, if it holds anything.
    pub(super) fn close(&mut self) {
        self.open_bytes = 0;
        let len = self.open.len();
        if len == 0 {
            return;
        }
        let open = std::mem::take(&mut self.open);
        let (mut columns, _) = open.into_parts();
        for (name, column) in &mut columns {
            let declared = self.declared.iter().find(|(declared, _)| declared == name).map(|(_, shape)| shape);
            column.settle(declared);
        }
        let shapes = columns.iter().map(|(name, column)| (Arc::clone(name), Shape::of_column(column))).collect();
        merge_members(&mut self.members, shapes);
        self.open = Fields::with_nulls(0, &self.members);
        self.rows_in_full += len as u64;
        self.full.push(Segment { columns, len });
    }

    /// The full segments, which are then no longer held.
    pub(super) fn take_full(&mut self) -> Vec<Segment> {
        std::mem::take(&mut self.full)
    }

    /// What the whole turned out to be.
    pub(super) fn plan(&self, context: &Context) -> Plan {
        Plan::new(&self.options, &self.declared, &self.members, context)
    }

    pub(super) fn finish(mut self, context: &Context) -> Rows {
        self.close();
        let plan = self.plan(context);
        finish::rows(plan, self.full)
    }
}
