//! A table that is to be joined with others, and what tables have to say of a column.

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};
use hashbrown::HashMap;

use crate::rows::finish::notes::BETWEEN_NOTES;
use crate::rows::table::{NOTE_KEY, Rows};

/// A table, and where in it each column is.
pub(super) struct Input<'t> {
    table: &'t Rows,
    places: HashMap<&'t str, usize>,
}

impl<'t> Input<'t> {
    pub(super) fn new(table: &'t Rows) -> Self {
        let fields = table.schema().fields().iter().enumerate();
        Self { table, places: fields.map(|(at, field)| (field.name().as_str(), at)).collect() }
    }

    pub(super) fn field(&self, name: &str) -> Option<&'t Field> {
        self.places.get(name).map(|&at| self.table.schema().field(at))
    }

    /// The column in each batch, `None` where the table has none, and how many rows that has.
    pub(super) fn arrays(&self, name: &str) -> impl Iterator<Item = (Option<&'t ArrayRef>, usize)> {
        let at = self.places.get(name).copied();
        self.table.batches().iter().map(move |batch| (at.map(|at| batch.column(at)), batch.num_rows()))
    }

    pub(super) fn has_values(&self, name: &str) -> bool {
        self.arrays(name).any(|(array, _)| array.is_some_and(|array| array.logical_null_count() < array.len()))
    }
}

/// The notes that stand in the metadata of the tables.
pub(super) fn known_notes<'t>(parts: &[Input<'t>], name: &str) -> impl Iterator<Item = &'t str> {
    let known = parts.iter().filter_map(move |part| part.field(name)?.metadata().get(NOTE_KEY));
    known.flat_map(|notes| notes.split(BETWEEN_NOTES))
}

/// Metadata common to all tables with this column, notes excluded. A table whose type differs from the result counts as
/// having none.
pub(super) fn common_metadata(
    parts: &[Input<'_>],
    name: &str,
    data_type: &DataType,
) -> std::collections::HashMap<String, String> {
    let nothing = std::collections::HashMap::new();
    let told = parts.iter().filter_map(|part| part.field(name));
    let mut told = told.map(|field| if field.data_type() == data_type { field.metadata() } else { &nothing });
    let mut common = told.next().unwrap_or(&nothing).clone();
    common.remove(NOTE_KEY);
    told.for_each(|other| common.retain(|key, value| other.get(key) == Some(value)));
    common
}
