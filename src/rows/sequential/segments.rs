//! The table being read, cut into segments of bounded size.
//!
//! Each segment has columns of its own. When it is full its shape is merged into that of the whole and the next segment
//! starts from there, so that columns widen once and not again in every segment. Only at the end, when the shape of the
//! whole is known, do segments become record batches.
//!
//! [`weigh`](super::weigh) refuses rows with which the table would be far larger than the body, and
//! [`cell_budget`](super::cell_budget) counts what they ask for.

use std::sync::Arc;

use super::cell_budget::CellBudget;
use crate::rows::columns::{Context, MemberShapes, Members, ReserveBudget, Segment, Shape, merge_members};
use crate::rows::finish::{self, Plan};
use crate::rows::json::cursor::{Cursor, ReadResult, Stop};
use crate::rows::memory::Arena;
use crate::rows::options::{DecodeOptions, Hold};
use crate::rows::table::Rows;
use crate::rows::threads::{MAX_THREADS, Workers};

/// The rows after which it is guessed how many more there will be, and room is made for them.
const SAMPLE: usize = 64;

/// The bytes of room that are taken beforehand for each byte of the body: arrays of numbers with one digit need no
/// more. What is not written to is given back.
const RESERVED_FOR_BYTE: usize = 5;

/// A segment with more cells than this for each byte of the body is mostly empty.
const CELLS_WHERE_EMPTY: u64 = 32;
/// Into so many parts a batch is cut where it is mostly empty, if the table is held: most columns are then null
/// throughout a batch, and share one array of nulls.
const PARTS_WHERE_EMPTY: u64 = 8;

/// The most cells of the open segment that are handed over with a fault where only shapes were held.
const CELLS_OF_FAULT: u64 = 2 << 20;

/// What is known of the columns at some place in the body: enough to read on from there.
#[derive(Clone)]
pub(in crate::rows) struct KnownShapes {
    declared: Arc<MemberShapes>,
    pub(super) shapes: Arc<MemberShapes>,
}

/// The sealed segments, the one that rows are read into, and what is counted over all of them.
#[derive(Default)]
pub(in crate::rows) struct Segments {
    pub(super) options: DecodeOptions,
    pub(super) declared: Arc<MemberShapes>,
    /// The shape of all sealed segments.
    pub(super) shapes: Arc<MemberShapes>,
    pub(super) sealed: Vec<Segment>,
    /// What the ends of texts and arrays in sealed segments are laid out in.
    pub(super) arena: Arena,
    /// What those in rows that were taken over are laid out in. The next that are read ahead take up what is left: with
    /// slabs of its own each chunk would leave a part of the last one unused.
    pub(super) spare_arenas: Vec<Arena>,
    pub(super) open: Members,
    pub(super) open_bytes: usize,
    /// Up to where the bytes of the body are there.
    pub(super) available_to: u64,
    pub(super) rows_sealed: u64,
    pub(super) bytes_sealed: u64,
    /// Values in sealed segments: fewer than cells by far where rows are sparse.
    pub(super) values_sealed: u64,
    pub(super) cells: CellBudget,
}

impl Segments {
    pub(in crate::rows) fn new(options: DecodeOptions) -> Self {
        let declared = Arc::new(options.declared.shapes());
        Self::continuing(KnownShapes { shapes: Arc::clone(&declared), declared }, options)
    }

    /// Segments of rows that stand after others.
    pub(in crate::rows) fn continuing(known: KnownShapes, options: DecodeOptions) -> Self {
        let KnownShapes { declared, shapes } = known;
        let open = Members::with_nulls(0, &shapes, declared.len());
        let cells = CellBudget::new(&options);
        Self { options, declared, shapes, open, cells, ..Self::default() }
    }

    /// These segments, with the ends of texts and arrays laid out in what is left of an arena.
    pub(in crate::rows) fn laid_out_in(self, arena: Arena) -> Self {
        Self { arena, ..self }
    }

    /// What the sealed segments have taught.
    pub(in crate::rows) fn known(&self) -> KnownShapes {
        KnownShapes { declared: Arc::clone(&self.declared), shapes: Arc::clone(&self.shapes) }
    }

    /// Counts the columns of the open segment anew.
    pub(in crate::rows) fn recount(&mut self, context: &mut Context) {
        context.counts.recount(&self.open);
        self.cells.recounted();
    }

    pub(in crate::rows) fn rows_read(&self) -> u64 {
        self.rows_sealed + self.open.len() as u64
    }

    /// Reads a row, or takes it back whole.
    ///
    /// # Errors
    /// Refuses one with which the table would be far larger than the body.
    #[expect(clippy::inline_always, reason = "as `Members::read_row`")]
    #[inline(always)]
    pub(in crate::rows) fn read_row(&mut self, cursor: &mut Cursor<'_>, context: &mut Context) -> ReadResult<()> {
        // The offset, not a copy of the cursor: to copy it loads sixteen bytes at once that were just stored eight at a
        // time, and such a load waits until the stores are done.
        let start = cursor.at;
        match self.open.read_row(cursor, context, self.options.max_columns) {
            Err(Stop::TooManyInAll(_)) => self.read_row_recounted(start, cursor, context)?,
            read => read?,
        }
        if self.cells.could_be_too_many(CellBudget::at_most(self.rows_read(), context.counts)) {
            self.weigh_row(start, cursor, context)?;
        }
        Ok(())
    }

    /// Counts bytes of the body, and seals the open segment where it is full.
    #[inline]
    pub(in crate::rows) fn advance(&mut self, bytes: usize, context: &mut Context) {
        self.open_bytes += bytes;
        let rows = self.open.len();
        if rows >= self.options.batch_rows
            || self.open_bytes >= self.options.limits.batch_bytes
            || self.has_cells_of_batch(self.cells.of_open(rows, context))
        {
            self.seal_and_open(context);
        } else if rows == SAMPLE {
            self.reserve(context);
        }
    }

    /// Whether the open segment, with so many cells, has as many as a batch may have.
    #[inline]
    fn has_cells_of_batch(&self, cells: u64) -> bool {
        let most = self.options.limits.batch_cells as u64;
        let is_mostly_empty = || cells / CELLS_WHERE_EMPTY >= self.open_bytes as u64;
        cells >= most / PARTS_WHERE_EMPTY && (cells >= most || self.options.hold == Hold::Rows && is_mostly_empty())
    }

    /// Takes note of how many bytes there are to be read.
    pub(in crate::rows) fn set_bytes_available(&mut self, bytes: usize) {
        self.available_to = self.bytes_read(bytes);
    }

    /// How many bytes were read, with so many that are not counted yet.
    pub(super) fn bytes_read(&self, uncounted: usize) -> u64 {
        self.bytes_sealed + (self.open_bytes + uncounted) as u64
    }

    /// Makes room for the rows that the open segment is likely to take of the bytes at hand.
    #[cold]
    fn reserve(&mut self, context: &Context) {
        let available = self.available_to.saturating_sub(self.bytes_read(0)) as usize;
        let bytes = available.min(self.options.limits.batch_bytes - self.open_bytes);
        let rows = bytes / (self.open_bytes / SAMPLE).max(1);
        let rows = rows
            .min(self.options.batch_rows - SAMPLE)
            .min(self.options.limits.batch_cells / context.counts.columns.max(1));
        self.open.reserve(&mut ReserveBudget { times: rows / SAMPLE, bytes: RESERVED_FOR_BYTE * bytes });
    }

    /// Seals the open segment, if it holds anything, and opens the next.
    pub(in crate::rows) fn seal_and_open(&mut self, context: &mut Context) {
        if self.seal(context) {
            self.open_next(context);
        }
    }

    /// Opens a segment that has the columns known so far.
    pub(super) fn open_next(&mut self, context: &mut Context) {
        self.open = Members::with_nulls(0, &self.shapes, self.declared.len());
        self.recount(context);
    }

    /// Seals the open segment, if it holds anything, and opens no other: where no row follows, new columns would be
    /// made for nothing, and small bodies have more columns than rows.
    pub(in crate::rows) fn seal(&mut self, context: &mut Context) -> bool {
        let len = self.open.len();
        let bytes = std::mem::take(&mut self.open_bytes);
        self.bytes_sealed += bytes as u64;
        if len == 0 {
            return false;
        }
        context.forget();
        self.values_sealed += self.open.count_values();
        self.cells.close(self.open.count_cells(len), bytes as u64, context);
        let open = std::mem::take(&mut self.open);
        let shapes = Shape::members_of(&open);
        let mut columns = open.into_columns();
        if *self.shapes != shapes {
            merge_members(Arc::make_mut(&mut self.shapes), shapes);
        }
        self.rows_sealed += len as u64;
        if self.options.hold != Hold::Shapes {
            // Thousands of columns may be in none of these rows, and there may be many segments.
            columns.retain(|(_, column)| column.len() > 0);
            columns.iter_mut().for_each(|(_, column)| column.seal(len, &mut self.arena));
            self.sealed.push(Segment { columns, len });
        }
        true
    }

    /// Whether reading has stopped until the sealed segment is taken: see [`Hold::Batch`].
    pub(in crate::rows) fn has_batch(&self) -> bool {
        self.options.hold == Hold::Batch && !self.sealed.is_empty()
    }

    /// Whether cells are summed up, as there may be more than the body explains; nothing is taken over from then on.
    pub(in crate::rows) fn sums_cells(&self) -> bool {
        self.cells.sums_cells()
    }

    /// Whether there were rows that take far more memory than their part of the body: few should be held at a time.
    pub(in crate::rows) fn had_sparse_rows(&self) -> bool {
        self.cells.had_sparse_rows()
    }

    /// The sealed segments, which are then no longer held.
    pub(in crate::rows) fn take_sealed(&mut self) -> Vec<Segment> {
        // Whoever keeps one of them is not to keep what the next are laid out in. Chunks in flight may still have one,
        // where they are shorter than what is fed at once.
        self.arena = Arena::default();
        self.spare_arenas.clear();
        std::mem::take(&mut self.sealed)
    }

    /// What the whole turned out to be.
    pub(in crate::rows) fn plan(&self, context: &Context) -> Plan {
        Plan::new(&self.options, Arc::clone(&self.declared), Arc::clone(&self.shapes), context.counts)
    }

    /// All as one table. Others help to make it: the threads that helped to read, or else new ones.
    pub(in crate::rows) fn finish(mut self, context: &mut Context, workers: Option<Workers>) -> Rows {
        // Where only shapes are held, the open segment still has its rows, and a fault hands them over if they are few.
        if self.cells.of_open(self.open.len(), context) <= CELLS_OF_FAULT {
            self.options.hold = Hold::Rows;
        }
        self.seal(context);
        let plan = self.plan(context);
        let others = self.options.threads.min(MAX_THREADS).min(self.sealed.len()).saturating_sub(1);
        finish::rows(plan, self.sealed, workers.or_else(|| Workers::spawn(others)))
    }
}
