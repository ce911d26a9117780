//! Taking over rows that were read ahead, from a place that has turned out to be the next.

use std::sync::Arc;

use super::cell_budget::CellBudget;
use super::segments::{KnownShapes, Segments};
use crate::rows::columns::{
    Context, Counts, MAX_COLUMNS_IN_ALL, MemberShapes, Segment, has_become_text, merge_members,
};
use crate::rows::json::tally::Tally;

/// Rows that were read ahead of the place that is known to be the next.
pub(in crate::rows) struct RowsAhead {
    /// The shapes that were known when reading them began.
    pub(in crate::rows) start: KnownShapes,
    /// All of them sealed.
    pub(in crate::rows) segments: Segments,
    pub(in crate::rows) context: Context,
    /// Bytes of whole rows.
    pub(in crate::rows) taken: usize,
}

/// What has become of rows that were read ahead.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::rows) enum Adopted {
    /// They were taken over.
    Rows,
    /// Nothing was taken, for reading those rows from here might give something else, be it an error.
    Nothing,
    /// Nothing was taken: a column that is text by now was read as structs or lists here, and to read it again is many
    /// times faster than to render it.
    QuickerToReadAgain,
}

impl Segments {
    /// Takes over the segments of rows that were read ahead, if that gives what reading those rows from here does.
    ///
    /// They were read with the columns in mind that were known when that began, and by now more may be known. For what
    /// a column is that makes no difference: facts only add up. But limits count what came before. So there are three
    /// proofs: that they begin where this reading stands, which whoever hands them over has seen; that neither side has
    /// to sum its cells; and that there is room in every limit that counts what came before.
    pub(in crate::rows) fn adopt(&mut self, ahead: RowsAhead, context: &mut Context) -> Adopted {
        if self.sums_cells() || ahead.segments.sums_cells() {
            return Adopted::Nothing;
        }
        // First, so that what is known and counted is all that stands before; where nothing is taken over, a batch has
        // ended early.
        self.seal_and_open(context);
        if !self.has_room_for(&ahead, context.counts) {
            return Adopted::Nothing;
        }
        if self.holds_what_is_text_now(&ahead) {
            return Adopted::QuickerToReadAgain;
        }
        let RowsAhead { start, segments, context: theirs, taken } = ahead;
        self.learn(segments.shapes, &start.shapes, context);
        context.counts.tally.add(theirs.counts.tally);
        context.counts.cells_in_arrays += theirs.counts.cells_in_arrays;
        self.rows_sealed += segments.rows_sealed;
        self.bytes_sealed += taken as u64;
        self.values_sealed += segments.values_sealed;
        self.cells.adopt(&segments.cells, context);
        self.sealed.extend(segments.sealed);
        self.spare_arenas.push(segments.arena);
        Adopted::Rows
    }

    /// Whether these rows meet no limit that counts more than a batch, wherever among them a new column came first.
    /// `counts` are those before them.
    fn has_room_for(&self, ahead: &RowsAhead, counts: Counts) -> bool {
        let (segments, theirs) = (&ahead.segments, &ahead.context);
        let width = self.shapes.len() + (segments.shapes.len() - ahead.start.shapes.len());
        let (added, added_in_arrays) = (theirs.columns_added, theirs.columns_added_in_arrays);
        let (rows, elements) = (self.rows_sealed + segments.rows_sealed, theirs.counts.tally.elements);
        let most = |rows, elements| {
            let tally = Tally { elements, ..counts.tally };
            let row_columns = counts.row_columns + (added - added_in_arrays);
            let element_columns = counts.element_columns + added_in_arrays;
            CellBudget::at_most(rows, Counts { tally, row_columns, element_columns, ..counts })
        };
        // At worst one row has all new elements, and every row and element has all columns.
        let no_row_is_too_large = !self.cells.could_be_too_many(most(1, elements));
        let all_are_explained =
            most(rows, counts.tally.elements + elements) <= self.cells.explained_by(self.bytes_sealed);
        width <= self.options.max_columns
            && counts.columns + added <= MAX_COLUMNS_IN_ALL
            && no_row_is_too_large
            && all_are_explained
    }

    /// Whether these rows have objects or arrays where there is text by now.
    fn holds_what_is_text_now(&self, ahead: &RowsAhead) -> bool {
        let is_text_now = |segment: &Segment| {
            let columns = segment.columns.iter().map(|(name, column)| (name, column));
            has_become_text(&self.shapes, columns)
        };
        !Arc::ptr_eq(&ahead.start.shapes, &self.shapes) && ahead.segments.sealed.iter().any(is_text_now)
    }

    /// Adds the shapes of other rows, which were read from what was known at their `start`: now, or some time before.
    /// Where they are new the segment that is open, and empty, is opened again with their columns.
    fn learn(&mut self, shapes: Arc<MemberShapes>, start: &Arc<MemberShapes>, context: &mut Context) {
        if Arc::ptr_eq(&self.shapes, &shapes) || *self.shapes == *shapes {
            return;
        }
        if Arc::ptr_eq(&self.shapes, start) {
            self.shapes = shapes;
        } else {
            merge_members(Arc::make_mut(&mut self.shapes), Arc::unwrap_or_clone(shapes));
        }
        self.open_next(context);
    }
}
