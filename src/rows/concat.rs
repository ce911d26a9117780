//! Tables of different runs as one, by the decoder's own widening.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, new_null_array};
use arrow_schema::{DataType, Field, Fields, Schema};
use hashbrown::HashMap;

use super::columns::{Column, Counts, Facts, Shape, arrays, merge_members};
use super::finish::{BETWEEN_NOTES, new_batch, with_notes};
use super::notes;
use super::slab::Slab;
use super::table::{NOTE_KEY, Note, Rows};

/// One table with the rows of all, in order. Columns are the union of all columns, in first-seen order. A column that has
/// one type wherever it is present keeps it; any other is widened as if its values had stood in one body, except that text
/// which a table already holds is text: what was JSON text in it is not told from strings any more.
pub fn concat(tables: &[Rows]) -> Rows {
    let mut columns: Vec<(String, Option<DataType>)> = Vec::new();
    let mut index: HashMap<String, usize> = HashMap::new();
    for field in tables.iter().flat_map(|table| table.schema().fields().iter()) {
        let at = *index.entry(field.name().clone()).or_insert_with(|| {
            columns.push((field.name().clone(), Some(field.data_type().clone())));
            columns.len() - 1
        });
        let agreed = &mut columns[at].1;
        if agreed.as_ref().is_some_and(|agreed| agreed != field.data_type()) {
            *agreed = None;
        }
    }
    let widened: Vec<(String, ArrayRefs)> = columns
        .iter()
        .filter(|(_, agreed)| agreed.is_none())
        .map(|(name, _)| (name.clone(), widen(tables, name)))
        .collect();
    let widened: HashMap<String, ArrayRefs> = widened.into_iter().collect();
    let mut notes: Vec<Note> = Vec::new();
    let carried = tables.iter().flat_map(|table| table.notes().iter().cloned());
    for note in carried.chain(widened.values().flat_map(|arrays| arrays.notes.iter().cloned())) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    let fields = columns.iter().map(|(name, agreed)| {
        let arrays = widened.get(name);
        let data_type = agreed.clone().or_else(|| arrays.map(|arrays| arrays.data_type.clone()));
        let texts = notes_on(tables, name, arrays.map(|arrays| arrays.notes.as_slice()).unwrap_or_default());
        with_notes(Field::new(name, data_type.unwrap_or(DataType::Null), true), &texts)
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let batches = tables.iter().flat_map(Rows::batches).enumerate().map(|(at, batch)| {
        let column = |field: &Arc<Field>| match widened.get(field.name()) {
            Some(arrays) => Arc::clone(&arrays.batches[at]),
            None => present(batch, field.name()).unwrap_or_else(|| new_null_array(field.data_type(), batch.num_rows())),
        };
        new_batch(Arc::clone(&schema), schema.fields().iter().map(column).collect(), batch.num_rows())
    });
    Rows::new(Arc::clone(&schema), batches.collect(), notes)
}

/// The notes on a column and on what is in it, each once: those that stand in the metadata of the tables, and new ones.
fn notes_on(tables: &[Rows], name: &str, new: &[Note]) -> Vec<String> {
    let fields = tables.iter().filter_map(|table| table.schema().field_with_name(name).ok());
    let known = fields.filter_map(|field| field.metadata().get(NOTE_KEY)).flat_map(|notes| notes.split(BETWEEN_NOTES));
    let mut texts: Vec<String> = Vec::new();
    for text in known.map(str::to_owned).chain(new.iter().map(ToString::to_string)) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// A column of all batches, in one type.
struct ArrayRefs {
    data_type: DataType,
    batches: Vec<ArrayRef>,
    notes: Vec<Note>,
}

fn widen(tables: &[Rows], name: &str) -> ArrayRefs {
    let name: Arc<str> = Arc::from(name);
    let mut members = Vec::new();
    let mut parts = Vec::new();
    for batch in tables.iter().flat_map(Rows::batches) {
        let column = present(batch, &name).map_or_else(Column::new, |array| Column::of_array(&array));
        merge_members(&mut members, vec![(Arc::clone(&name), Shape::of_column(&column))]);
        parts.push((column, batch.num_rows()));
    }
    // Types count only where there is no value at all: that of an empty column may be no more than what was declared.
    if members.iter().all(|(_, shape)| shape.facts == Facts::NOTHING) {
        for field in tables.iter().filter_map(|table| table.schema().field_with_name(&name).ok()) {
            merge_members(&mut members, vec![(Arc::clone(&name), super::declared::of_type(field.data_type()))]);
        }
    }
    let notes = notes::of_table(&[], &members, Counts::default()).into_iter().map(|remark| remark.note).collect();
    let mut slab = Slab::default();
    let data_type = members.first().map_or(DataType::Null, |(_, shape)| shape.data_type());
    let fields = Fields::from(vec![Field::new(&*name, data_type.clone(), true)]);
    let one = |(column, len): (Column, usize)| {
        arrays(vec![(Arc::clone(&name), column)], &members, &fields, len, &mut slab).swap_remove(0)
    };
    let batches = parts.into_iter().map(one).collect();
    ArrayRefs { data_type, batches, notes }
}

fn present(batch: &RecordBatch, name: &str) -> Option<ArrayRef> {
    batch.column_by_name(name).map(Arc::clone)
}
