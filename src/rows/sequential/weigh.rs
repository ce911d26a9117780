//! Rows that are too much: a row with too many columns, or with which the table would be far larger than the body.
//!
//! Both are told by counts that may be too high while a segment is open, as columns that become text stay among them.
//! So nothing is refused before it is counted anew; where that takes a segment of the row alone, the row is taken back
//! and read again.

use super::Segments;
use super::cell_budget::CellBudget;
use crate::rows::clipped::{MAX_NAME, clipped};
use crate::rows::columns::Context;
use crate::rows::json::cursor::{Cursor, ReadResult, Stop};

impl Segments {
    /// Counts the columns anew and reads the row once more, with which there were too many: some that were counted may
    /// have become text. Only if there are still too many is it refused.
    #[cold]
    pub(super) fn read_row_recounted(
        &mut self,
        start: usize,
        cursor: &mut Cursor<'_>,
        context: &mut Context,
    ) -> ReadResult<()> {
        self.recount(context);
        self.read_row_again(start, cursor, context)
    }

    /// Checks whether the row just read makes the table far larger than the body.
    #[inline(never)]
    pub(super) fn weigh_row(&mut self, start: usize, cursor: &mut Cursor<'_>, context: &mut Context) -> ReadResult<()> {
        let bytes = cursor.at - start;
        let is_large = CellBudget::of_row(context) > self.cells.most_of_row(bytes);
        let must_begin = self.recount_and_see_if_sum_begins(bytes, context);
        if is_large || must_begin {
            self.take_row_back(context);
            self.seal_and_open(context);
            if must_begin {
                self.cells.sum_from_here();
            }
            self.read_row_again(start, cursor, context)?;
        }
        let too_much = if is_large && self.open.count_cells(1) > self.cells.most_of_row(bytes) {
            ("the row has", self.cells.most_of_row(bytes))
        } else if self.recount_and_see_if_too_many(bytes, context) {
            ("all rows together have", self.cells.explained_by(self.bytes_read(bytes)))
        } else {
            return Ok(());
        };
        Err(self.refuse_row(start, too_much, context))
    }

    /// Takes the row back and says why it is refused: with it something has more cells than it may.
    #[cold]
    fn refuse_row(&mut self, start: usize, (what, most): (&str, u64), context: &mut Context) -> Stop {
        let columns = self.open.count_columns();
        let widest = self.open.widest().map(|name| {
            format!(
                "; most columns are in `{}`, which is JSON text where a schema asks for a string",
                clipped(name, MAX_NAME)
            )
        });
        let widest = widest.unwrap_or_default();
        self.take_row_back(context);
        let message = format!(
            "{what} more than {most} cells in {columns} columns, nested ones included: too many to hold, most are \
             empty{widest}"
        );
        Cursor::bad_at(start, message)
    }

    /// Whether cells have to be summed up from the last row on, of so many bytes: with it there would be more than the
    /// body explains, if all rows so far and all elements of their arrays had all columns. Where it looks like that,
    /// these are counted anew.
    fn recount_and_see_if_sum_begins(&mut self, bytes: usize, context: &mut Context) -> bool {
        let most = self.cells.explained_by(self.bytes_read(bytes));
        if self.cells.sums_cells() || CellBudget::at_most(self.rows_read(), context.counts) <= most {
            return false;
        }
        self.recount(context);
        CellBudget::at_most(self.rows_read(), context.counts) > most
    }

    /// Whether there are more cells than the body explains, where they are summed up: if the sum says so they are
    /// counted anew, and that decides. `bytes` are those of the last row.
    fn recount_and_see_if_too_many(&mut self, bytes: usize, context: &mut Context) -> bool {
        let (bytes, rows) = (self.bytes_read(bytes), self.open.len());
        self.cells.are_too_many(bytes, self.cells.of_open(rows, context)) && {
            // What is found is remembered: columns that became text would else bring the sum here with every row.
            self.recount(context);
            let cells = self.open.count_cells(rows);
            self.cells.found_in_open(cells, rows, context);
            self.cells.are_too_many(bytes, cells)
        }
    }

    /// Reads a row again that was taken back, where the columns are counted exactly.
    fn read_row_again(&mut self, start: usize, cursor: &mut Cursor<'_>, context: &mut Context) -> ReadResult<()> {
        cursor.at = start;
        match self.open.read_row(cursor, context, self.options.max_columns) {
            Err(Stop::TooManyInAll(fault)) => Err(Stop::Bad(fault)),
            read => read,
        }
    }

    /// Takes back the row read last.
    fn take_row_back(&mut self, context: &mut Context) {
        self.open.undo(context.attempt, self.open.len() - 1);
        context.take_row_back();
    }
}
