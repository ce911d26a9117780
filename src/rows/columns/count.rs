//! How many columns and cells there are, which bounds what a small body can ask for.
//!
//! For example, one row, `{"a": 1, "o": {"x": 1, "y": 2}, "l": [{"p": 1, "q": 2}, {"p": 3}]}`:
//!
//! | what is counted | | |
//! |---|---|---|
//! | columns | `a`, `o`, `o.x`, `o.y`, `l`, `l.p`, `l.q` | 7 |
//! | row columns: each row has a cell in them | `a`, `o`, `o.x`, `o.y`, `l` | 5 |
//! | element columns: each element of an array has a cell in them | `l.p`, `l.q` | 2 |
//! | cells in arrays: elements times element columns | 2 × 2 | 4 |
//! | cells: rows times row columns, and those in arrays | 1 × 5 + 4 | 9 |
//! | values that are stored: all but gaps, arrays and objects | `1`, `1`, `2`, `1`, `2`, `3` | 6 |
//!
//! [`Counts`] has what is counted while rows are read, as bounds that cost next to nothing to keep; the methods of
//! [`Column`] and [`Members`] go through all columns and say what there is.

use super::{Column, Context, List, Members, Store};
use crate::rows::json::tally::Tally;

/// More columns than this, nested ones included, are no table: each costs memory in every row.
pub(in crate::rows) const MAX_COLUMNS_IN_ALL: usize = 1 << 16;

/// The counts that are restored when a row is taken back.
#[derive(Debug, Default, Clone, Copy)]
pub(in crate::rows) struct Counts {
    pub(in crate::rows) tally: Tally,
    /// Columns of the segment, nested ones included. This and the next two are upper bounds until they are
    /// [recounted](Self::recount): columns that became text may still be among them.
    pub(in crate::rows) columns: usize,
    /// Those of them in which each row has a cell: all but those of objects in arrays.
    pub(in crate::rows) row_columns: usize,
    /// The most in which each element of one array has a cell.
    pub(in crate::rows) element_columns: usize,
    /// Cells of objects in arrays, since the first row. An upper bound for the same reason, and it stays one: where
    /// that matters, `CellBudget` takes off what was too much.
    pub(in crate::rows) cells_in_arrays: u64,
}

impl Counts {
    /// Counts the columns anew.
    pub(in crate::rows) fn recount(&mut self, members: &Members) {
        (self.columns, self.row_columns) = (members.count_columns(), members.count_row_columns());
        self.element_columns = members.most_element_columns();
    }
}

/// What was counted where an array begins.
#[derive(Clone, Copy)]
pub(super) struct ColumnsSoFar {
    added: usize,
    added_in_arrays: usize,
    row_columns: usize,
}

impl Context {
    /// How many columns there are before an array is read.
    #[inline]
    pub(super) fn columns_so_far(&self) -> ColumnsSoFar {
        let Self { columns_added: added, columns_added_in_arrays: added_in_arrays, counts, .. } = *self;
        ColumnsSoFar { added, added_in_arrays, row_columns: counts.row_columns }
    }

    /// Counts the cells of the new elements of an array. If they added columns, also counts the cells that earlier
    /// elements now have in those columns.
    #[inline]
    pub(super) fn count_cells_of(&mut self, list: &mut List, elements: usize, before: ColumnsSoFar) {
        self.counts.cells_in_arrays += list.count_cells(elements);
        if self.columns_added == before.added {
            return;
        }
        let added = self.columns_added - before.added;
        // Arrays among the elements have counted theirs.
        let own = added - (self.columns_added_in_arrays - before.added_in_arrays);
        self.columns_added_in_arrays = before.added_in_arrays + added;
        self.counts.cells_in_arrays += list.add_columns(own, self.attempt);
        self.counts.element_columns = self.counts.element_columns.max(list.columns());
        self.counts.row_columns = before.row_columns;
    }
}

impl Members {
    /// How many columns there are, nested ones included.
    pub(in crate::rows) fn count_columns(&self) -> usize {
        self.list.iter().map(|member| member.column.count_columns()).sum()
    }

    /// The member that has more than half of them, if one does.
    pub(in crate::rows) fn widest(&self) -> Option<&str> {
        let half = self.count_columns() / 2;
        self.list.iter().find(|member| member.column.count_columns() > half).map(|member| &*member.name)
    }

    /// In how many of all columns each row has a cell: all but those of objects in arrays.
    pub(in crate::rows) fn count_row_columns(&self) -> usize {
        self.list.iter().map(|member| 1 + member.column.count_members()).sum()
    }

    /// The most columns in which each element of one array has a cell.
    pub(in crate::rows) fn most_element_columns(&self) -> usize {
        self.list.iter().map(|member| member.column.most_element_columns()).max().unwrap_or_default()
    }

    /// How many cells `places` places have, those within arrays included.
    pub(in crate::rows) fn count_cells(&self, places: usize) -> u64 {
        self.list.iter().map(|member| places as u64 + member.column.count_cells_within(places)).sum()
    }

    /// How many values the columns store, a few nulls among them; objects and arrays add only what is in them.
    pub(in crate::rows) fn count_values(&self) -> u64 {
        self.list.iter().map(|member| member.column.count_values()).sum()
    }
}

impl Column {
    /// How many columns there are within it in which each of its places has a cell: not those of objects in arrays.
    pub(super) fn count_members(&self) -> usize {
        match &self.store {
            Store::Struct(members) => members.count_row_columns(),
            _ => 0,
        }
    }

    /// The most columns in which each element of one array within it has a cell.
    pub(super) fn most_element_columns(&self) -> usize {
        match &self.store {
            Store::List(list) => list.elements.count_members().max(list.elements.most_element_columns()),
            Store::Struct(members) => members.most_element_columns(),
            _ => 0,
        }
    }

    /// How many cells there are within it if it has `places` places.
    pub(super) fn count_cells_within(&self, places: usize) -> u64 {
        match &self.store {
            Store::List(list) => list.elements.count_cells_within(list.elements.len()),
            Store::Struct(members) => members.count_cells(places),
            _ => 0,
        }
    }

    /// See [`Members::count_values`](super::Members::count_values).
    pub(super) fn count_values(&self) -> u64 {
        match &self.store {
            Store::Null(_) => 0,
            Store::Boolean(values) => values.physical_len() as u64,
            Store::Int64(values) => values.physical_len() as u64,
            Store::UInt64(values) => values.physical_len() as u64,
            Store::Float64(values) => values.physical_len() as u64,
            Store::Utf8(texts) => texts.physical_len() as u64,
            Store::List(list) => list.elements.count_values(),
            Store::Struct(members) => members.count_values(),
        }
    }

    /// How many columns this is, nested ones included. The elements of arrays have no name, so they do not count as a
    /// column of their own; a row that brings new columns does not count them either.
    pub(in crate::rows) fn count_columns(&self) -> usize {
        1 + match &self.store {
            Store::List(list) => list.elements.count_columns() - 1,
            Store::Struct(members) => members.count_columns(),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::json::cursor::Cursor;

    #[test]
    fn one_row_has_what_the_head_of_this_file_says() {
        let (mut members, mut context) = (Members::default(), Context::default());
        let row = br#"{"a": 1, "o": {"x": 1, "y": 2}, "l": [{"p": 1, "q": 2}, {"p": 3}]}"#;
        members.read_row(&mut Cursor::new(row, true), &mut context, 10).unwrap();
        assert_eq!(members.count_columns(), 7);
        assert_eq!(members.count_row_columns(), 5);
        assert_eq!(members.most_element_columns(), 2);
        assert_eq!(members.count_cells(1), 9);
        assert_eq!(members.count_values(), 6);
        let kept = context.counts;
        assert_eq!((kept.columns, kept.row_columns, kept.element_columns, kept.cells_in_arrays), (7, 5, 2, 4));
    }
}
