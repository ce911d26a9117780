//! Tables put together: their columns by name, their rows in order.

use std::sync::Arc;

use arrow_schema::{Field, Schema};
use hashbrown::HashSet;

use super::input::{Input, common_metadata, known_notes};
use super::joined::{Joined, Shared, Wanted};
use super::notes::JoinedNotes;
use crate::rows::finish::notes::{MAX_NOTES, with_notes};
use crate::rows::finish::padding::smallest_to_drop;
use crate::rows::table::{Note, Rows, new_batch};

/// One table with the rows of all, in order. Columns are the union of all columns, in first-seen order, and of each:
///
/// - one that has one type wherever it has values keeps it;
/// - so does one of which one type holds the values of all: the finer unit of dates, times and durations, UTC for two
///   zones, a decimal with the digits of both, a dictionary with keys for all, also in lists and in objects of the same
///   members in the same order;
/// - any other is widened as if its values had stood in one body. But text that a table already holds is text where
///   strings were among it: which of it was JSON text is not known any more.
pub fn concat(tables: &[Rows]) -> Rows {
    let mut names: Vec<&str> = Vec::new();
    let mut known: HashSet<&str> = HashSet::new();
    for field in tables.iter().flat_map(|table| table.schema().fields()) {
        if known.insert(field.name()) {
            names.push(field.name());
        }
    }
    let parts: Vec<Input<'_>> = tables.iter().map(Input::new).collect();
    let mut shared = Shared::default();
    let wanted: Vec<Wanted<'_>> = names.into_iter().map(|name| Wanted::of(&parts, name)).collect();
    let fewest = smallest_to_drop(wanted.iter().map(|wanted| wanted.padding_bits).collect());
    let columns = wanted.into_iter().map(|wanted| {
        let is_too_large = fewest.is_some_and(|fewest| wanted.padding_bits >= fewest);
        (wanted.name, Joined::of(&parts, wanted, is_too_large, &mut shared))
    });
    let columns: Vec<(&str, Joined)> = columns.collect();
    let on_columns: Vec<Vec<String>> = columns.iter().map(|(name, column)| notes_on(&parts, name, column)).collect();
    let notes = notes_of(tables, &columns, &on_columns);
    let fields = columns.iter().zip(&on_columns).map(|((name, column), notes)| {
        let may_be_null = parts.iter().any(|part| part.field(name).is_none_or(Field::is_nullable));
        let field = Field::new(*name, column.data_type.clone(), may_be_null);
        let field = Arc::new(field.with_metadata(common_metadata(&parts, name, &column.data_type)));
        with_notes(&column.json.noted_on(&field), notes)
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let batches = tables.iter().flat_map(Rows::batches).enumerate().map(|(at, batch)| {
        let arrays = columns.iter().map(|(_, column)| Arc::clone(&column.batches[at])).collect();
        new_batch(Arc::clone(&schema), arrays, batch.num_rows())
    });
    Rows::new(Arc::clone(&schema), batches.collect(), notes)
}

/// The notes on a column and on what is in it, each once: those of the tables that still hold, and new ones.
fn notes_on(parts: &[Input<'_>], name: &str, column: &Joined) -> Vec<String> {
    let known = known_notes(parts, name).filter(|text| !column.outdated.contains(*text)).map(str::to_owned);
    let mut told: HashSet<String> = HashSet::new();
    let new = column.notes.iter().filter(|note| note.column.is_some());
    let all = known.chain(new.map(ToString::to_string));
    all.filter(|text| told.insert(text.clone())).take(MAX_NOTES).collect()
}

/// The notes of the tables, each once, but those that hold of no column any more; and new ones.
fn notes_of(tables: &[Rows], columns: &[(&str, Joined)], on_columns: &[Vec<String>]) -> Vec<Note> {
    // What is no more in one column may be the name of another.
    let held: HashSet<&str> = on_columns.iter().flatten().map(String::as_str).collect();
    let outdated = columns.iter().flat_map(|(_, column)| &column.outdated).map(String::as_str);
    let outdated: HashSet<&str> = outdated.filter(|text| !held.contains(text)).collect();
    let carried = tables.iter().flat_map(Rows::notes).filter(|note| !outdated.contains(note.to_string().as_str()));
    let new = columns.iter().flat_map(|(_, column)| &column.notes);
    let mut notes = JoinedNotes::default();
    carried.chain(new).for_each(|note| notes.add(note));
    notes.into_list()
}
