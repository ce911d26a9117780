//! The table being read, cut into segments of bounded size.
//!
//! Each segment has columns of its own. When it is full its shape is merged into that of the whole and the next segment
//! starts from there, so that columns widen once and not again in every segment. Only at the end, when the shape of the whole
//! is known, do segments become record batches.

use std::sync::Arc;

use super::columns::{Column, Context, Fields, MAX_COLUMNS_IN_ALL, Room, Shape, merge_members};
use super::finish::{self, Plan};
use super::json::cursor::{Cursor, Scan, Stop};
use super::options::{DecodeOptions, Hold};
use super::slab::Slab;
use super::table::Rows;

/// The rows after which it is guessed how many more there will be, and room is made for them.
const SAMPLE: usize = 64;

/// The bytes of room that are taken beforehand for each byte of the body. Columns of numbers with one digit or two need more, and
/// grow.
const ROOM_FOR_BYTE: usize = 2;

/// Rows with fewer bytes than this for each cell take far more memory than their part of the body.
pub(super) const BYTES_PER_CELL: usize = 4;
const MANY_CELLS: usize = 64 << 10;

/// The most cells of the open segment that are handed over with a fault where only shapes were held.
const CELLS_OF_FAULT: usize = 2 << 20;

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

type Members = Vec<(Arc<str>, Shape)>;

/// What is known of the columns at some place in the body: enough to read on from there.
#[derive(Clone)]
pub(super) struct Known {
    declared: Arc<Members>,
    members: Arc<Members>,
}

/// Rows that were read ahead of the place that is known to be the next.
pub(super) struct Ahead {
    /// What they were read from.
    pub(super) start: Known,
    pub(super) segments: Segments,
    pub(super) context: Context,
    /// Bytes of whole rows.
    pub(super) taken: usize,
}

#[derive(Default)]
pub(super) struct Segments {
    options: DecodeOptions,
    declared: Arc<Members>,
    /// The shape of all full segments.
    members: Arc<Members>,
    full: Vec<Segment>,
    /// What the ends of texts and arrays in full segments are laid out in.
    slab: Slab,
    open: Fields,
    open_bytes: usize,
    /// Bytes that are there to be read.
    at_hand: usize,
    rows_in_full: u64,
    /// Counted from where the table turned out to be sparse.
    cells_in_full: u64,
    bytes_in_full: u64,
    /// How many columns were known before the row read last, nested ones included.
    columns_before: usize,
    /// Whether there are more cells than the body explains; from then on the rows are read in one thread.
    is_sparse: bool,
    /// Whether there was a segment with many cells for its bytes.
    has_many_cells: bool,
}

impl Segments {
    pub(super) fn new(options: DecodeOptions) -> Self {
        let declared = Arc::new(options.declared.members());
        Self::behind(Known { members: Arc::clone(&declared), declared }, options)
    }

    /// Segments of rows that stand behind others.
    pub(super) fn behind(known: Known, options: DecodeOptions) -> Self {
        let Known { declared, members } = known;
        let open = Fields::with_nulls(0, &members, declared.len());
        Self { options, declared, members, open, ..Self::default() }
    }

    /// What the full segments have taught.
    pub(super) fn known(&self) -> Known {
        Known { declared: Arc::clone(&self.declared), members: Arc::clone(&self.members) }
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
        self.columns_before = context.counts.columns;
        // The place alone, and not a copy of the cursor: that is loaded in larger parts than its members were just stored in, and
        // such a load waits until those stores, and all before them, are done.
        let start = cursor.at;
        match self.open.read_row(cursor, context, self.options.max_columns) {
            Err(Stop::Full(_)) => {
                cursor.at = start;
                self.read_row_apart(cursor, context)
            }
            read => read,
        }
    }

    /// Reads a row into a segment of its own: those that became text since the last began are no longer counted there, and so
    /// it does not depend on where segments end how many columns are too many.
    #[cold]
    fn read_row_apart(&mut self, cursor: &mut Cursor<'_>, context: &mut Context) -> Scan<()> {
        self.close(context);
        self.columns_before = context.counts.columns;
        match self.open.read_row(cursor, context, self.options.max_columns) {
            Err(Stop::Full(fault)) => Err(Stop::Bad(fault)),
            read => read,
        }
    }

    /// Counts bytes of the body, and closes the open segment where it is full.
    ///
    /// # Errors
    /// Says so when the table is far larger than the body: a few bytes can name a column, and each row has a cell in it.
    #[inline]
    pub(super) fn took(&mut self, bytes: usize, context: &mut Context) -> Result<(), String> {
        self.open_bytes += bytes;
        self.at_hand = self.at_hand.saturating_sub(bytes);
        let rows = self.open.len();
        let cells = rows.saturating_mul(context.counts.columns);
        if self.is_sparse {
            if self.cells_in_full + cells as u64 > self.spare_cells() {
                return Err(self.too_sparse(context));
            }
        } else if self.cells(context) > self.spare_cells() {
            self.turn_sparse(context)?;
        }
        if rows >= self.options.batch_rows
            || self.open_bytes >= self.options.batch_bytes
            || cells >= self.options.batch_cells
        {
            self.close(context);
        } else if rows == SAMPLE {
            self.make_room(context);
        }
        Ok(())
    }

    /// Takes note of how many bytes there are to be read.
    pub(super) fn announce(&mut self, bytes: usize) {
        self.at_hand = bytes;
    }

    /// Makes room for the rows that the open segment is likely to take of the bytes at hand.
    #[cold]
    fn make_room(&mut self, context: &Context) {
        let bytes = self.at_hand.min(self.options.batch_bytes - self.open_bytes);
        let rows = bytes / (self.open_bytes / SAMPLE).max(1);
        let rows =
            rows.min(self.options.batch_rows - SAMPLE).min(self.options.batch_cells / context.counts.columns.max(1));
        self.open.make_room(&mut Room { times: rows / SAMPLE, bytes: ROOM_FOR_BYTE * bytes });
    }

    /// The cells of all rows so far if each row had each column.
    fn cells(&self, context: &Context) -> u64 {
        self.rows_read().saturating_mul(context.counts.columns as u64)
    }

    /// How many cells may be there for the bytes that were read.
    fn spare_cells(&self) -> u64 {
        let bytes = self.bytes_in_full + self.open_bytes as u64;
        self.options.spare_cells.saturating_add(bytes.saturating_mul(self.options.cells_per_byte))
    }

    /// Has the cells counted from here on, as columns that came late cost nothing in segments before. Where this is depends
    /// on the rows alone, and so do the segments that follow: whoever read what stands before, and in how many segments.
    #[cold]
    fn turn_sparse(&mut self, context: &mut Context) -> Result<(), String> {
        let added = context.counts.columns.saturating_sub(self.columns_before) as u64;
        // Those that became text since the segment began are still counted.
        context.counts.columns = self.open.count_columns();
        if self.cells(context) <= self.spare_cells() {
            return Ok(());
        }
        // A new column has a cell in each row before, of those in one segment.
        if added.saturating_mul(self.rows_read().min(self.options.batch_rows as u64)) > self.spare_cells() {
            return Err(self.too_sparse(context));
        }
        self.is_sparse = true;
        self.close(context);
        self.cells_in_full = 0;
        Ok(())
    }

    #[cold]
    fn too_sparse(&self, context: &Context) -> String {
        let (columns, most) = (context.counts.columns, self.options.spare_cells);
        format!(
            "all rows together have more than {most} cells in {columns} columns, nested ones included: too many to hold, most are empty"
        )
    }

    /// Takes over the segments of rows that were read ahead; `false` where reading those rows from here might give something
    /// else, be it an error, and then nothing is taken.
    ///
    /// They were read with the columns in mind that were known when that began, and by now more may be known. For what a
    /// column is that makes no difference: facts only add up. But limits count what came before.
    pub(super) fn adopt(&mut self, mut ahead: Ahead, context: &mut Context) -> bool {
        if self.is_sparse || ahead.segments.is_sparse {
            return false;
        }
        self.close(context);
        ahead.segments.close(&mut ahead.context);
        let (segments, theirs) = (ahead.segments, ahead.context);
        let is_up_to_date = Arc::ptr_eq(&ahead.start.members, &self.members);
        let columns = context.counts.columns + theirs.columns_added;
        if !self.has_room_for(&segments, &ahead.start, columns) {
            return false;
        }
        self.learn(segments.members, is_up_to_date, context);
        context.counts.lone_surrogates += theirs.counts.lone_surrogates;
        self.rows_in_full += segments.rows_in_full;
        self.bytes_in_full += ahead.taken as u64;
        self.has_many_cells |= segments.has_many_cells;
        self.full.extend(segments.full);
        true
    }

    /// Whether these rows are far from every limit, wherever among them a new column came first.
    fn has_room_for(&self, ahead: &Self, start: &Known, columns: usize) -> bool {
        let width = self.members.len() + (ahead.members.len() - start.members.len());
        let cells = (self.rows_in_full + ahead.rows_in_full).saturating_mul(columns as u64);
        width <= self.options.max_columns && columns <= MAX_COLUMNS_IN_ALL / 2 && cells <= self.spare_cells()
    }

    /// Adds what other rows, which started from `self.members` or from some time before, have taught.
    fn learn(&mut self, members: Arc<Members>, is_up_to_date: bool, context: &mut Context) {
        if Arc::ptr_eq(&self.members, &members) || *self.members == *members {
            return;
        }
        if is_up_to_date {
            self.members = members;
        } else {
            merge_members(Arc::make_mut(&mut self.members), Arc::unwrap_or_clone(members));
        }
        self.open = Fields::with_nulls(0, &self.members, self.declared.len());
        context.counts.columns = self.open.count_columns();
    }

    /// Closes the open segment, if it holds anything.
    pub(super) fn close(&mut self, context: &mut Context) {
        let len = self.open.len();
        let bytes = std::mem::take(&mut self.open_bytes);
        self.bytes_in_full += bytes as u64;
        if len == 0 {
            return;
        }
        let mut columns = std::mem::take(&mut self.open).into_columns();
        let shapes: Members =
            columns.iter().map(|(name, column)| (Arc::clone(name), Shape::of_column(column))).collect();
        if *self.members != shapes {
            merge_members(Arc::make_mut(&mut self.members), shapes);
        }
        self.open = Fields::with_nulls(0, &self.members, self.declared.len());
        self.rows_in_full += len as u64;
        let cells = len.saturating_mul(context.counts.columns);
        self.has_many_cells |= cells > MANY_CELLS && cells > bytes / BYTES_PER_CELL;
        self.cells_in_full += cells as u64;
        context.counts.columns = self.open.count_columns();
        if self.options.hold != Hold::Shapes {
            // Thousands of columns may be in none of these rows, and there may be many segments.
            columns.retain(|(_, column)| column.len() > 0);
            columns.iter_mut().for_each(|(_, column)| column.finish(len, &mut self.slab));
            self.full.push(Segment { columns, len });
        }
    }

    /// Whether reading has stopped until the full segment is taken: see [`Hold::Batch`].
    pub(super) fn has_batch(&self) -> bool {
        self.options.hold == Hold::Batch && !self.full.is_empty()
    }

    /// Whether there are more cells than the body explains, after which nothing is taken over any more.
    pub(super) fn is_sparse(&self) -> bool {
        self.is_sparse
    }

    /// Whether there were rows that take far more memory than their part of the body: few should be held at a time.
    pub(super) fn has_many_cells(&self) -> bool {
        self.has_many_cells
    }

    /// The full segments, which are then no longer held.
    pub(super) fn take_full(&mut self) -> Vec<Segment> {
        // Whoever keeps one of them is not to keep what the next are laid out in.
        self.slab = Slab::default();
        std::mem::take(&mut self.full)
    }

    /// What the whole turned out to be.
    pub(super) fn plan(&self, context: &Context) -> Plan {
        Plan::new(&self.options, &self.declared, &self.members, context.counts)
    }

    pub(super) fn finish(mut self, context: &mut Context) -> Rows {
        // Of rows of which only the shapes were held, those read last are still there when a fault comes.
        if self.open.len().saturating_mul(context.counts.columns) <= CELLS_OF_FAULT {
            self.options.hold = Hold::Rows;
        }
        self.close(context);
        let plan = self.plan(context);
        finish::rows(plan, self.full, self.options.threads)
    }
}
