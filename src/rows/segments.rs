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
const SEGMENT_BYTES: usize = 16 << 20;

/// And when it has this many cells, however few bytes those took: wide tables are sparse.
const SEGMENT_CELLS: usize = 16 << 20;

/// A table may have this many cells, and one more for each byte of the body.
const SPARE_CELLS: u64 = 256 << 20;

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
    cells_in_full: u64,
    bytes_in_full: u64,
}

impl Segments {
    pub(super) fn new(options: DecodeOptions) -> Self {
        let declared = options.declared.members();
        let open = Fields::with_nulls(0, &declared, declared.len());
        Self { members: declared.clone(), declared, open, options, ..Self::default() }
    }

    /// How many columns the open segment has, nested ones included.
    pub(super) fn count_columns(&self) -> usize {
        self.open.count_columns()
    }

    pub(super) fn rows_read(&self) -> u64 {
        self.rows_in_full + self.open.len() as u64
    }

    #[inline]
    pub(super) fn read_row(&mut self, cursor: &mut Cursor<'_>, context: &mut Context) -> Scan<()> {
        self.open.read_row(cursor, context, self.options.max_columns)
    }

    /// Counts bytes of the body, and closes the open segment where it is full.
    ///
    /// # Errors
    /// Says so when the table is far larger than the body: a few bytes can name a column, and each row has a cell in it.
    #[inline]
    pub(super) fn took(&mut self, bytes: usize, context: &mut Context) -> Result<(), String> {
        self.open_bytes += bytes;
        let rows = self.open.len();
        let cells = rows.saturating_mul(context.counts.columns);
        if rows >= self.options.batch_rows || self.open_bytes >= SEGMENT_BYTES || cells >= SEGMENT_CELLS {
            self.close(context);
            let allowed = SPARE_CELLS + self.bytes_in_full;
            if self.cells_in_full > allowed {
                let columns = context.counts.columns;
                return Err(format!("{columns} columns, nested ones included, leave too many cells empty to hold"));
            }
        }
        Ok(())
    }

    /// Closes the open segment, if it holds anything.
    pub(super) fn close(&mut self, context: &mut Context) {
        let len = self.open.len();
        self.bytes_in_full += std::mem::take(&mut self.open_bytes) as u64;
        if len == 0 {
            return;
        }
        let (mut columns, _) = std::mem::take(&mut self.open).into_parts();
        columns.iter_mut().for_each(|(_, column)| column.settle());
        let shapes = columns.iter().map(|(name, column)| (Arc::clone(name), Shape::of_column(column))).collect();
        merge_members(&mut self.members, shapes);
        self.open = Fields::with_nulls(0, &self.members, self.declared.len());
        self.rows_in_full += len as u64;
        self.cells_in_full += (len as u64).saturating_mul(context.counts.columns as u64);
        context.counts.columns = self.open.count_columns();
        self.full.push(Segment { columns, len });
    }

    /// The full segments, which are then no longer held.
    pub(super) fn take_full(&mut self) -> Vec<Segment> {
        std::mem::take(&mut self.full)
    }

    /// What the whole turned out to be.
    pub(super) fn plan(&self, context: &Context) -> Plan {
        Plan::new(&self.options, &self.declared, &self.members, context.counts)
    }

    pub(super) fn finish(mut self, context: &mut Context) -> Rows {
        self.close(context);
        let plan = self.plan(context);
        finish::rows(plan, self.full)
    }
}
