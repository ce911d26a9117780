//! The last step: segments become record batches of the one schema that holds them all.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema, SchemaRef};

use super::columns::{Context, Shape, arrays};
use super::convert::Conversions;
use super::notes;
use super::options::DecodeOptions;
use super::segments::Segment;
use super::table::{NOTE_KEY, Note, Rows};

#[derive(Debug)]
/// What a result turned out to be: enough to make a batch of any of its segments.
pub(super) struct Plan {
    members: Vec<(Arc<str>, Shape)>,
    /// The schema before conversions.
    natural: SchemaRef,
    pub(super) conversions: Conversions,
    notes: Vec<Note>,
}

impl Plan {
    pub(super) fn new(
        options: &DecodeOptions,
        declared: &[(Arc<str>, Shape)],
        members: &[(Arc<str>, Shape)],
        context: &Context,
    ) -> Self {
        let fields: Vec<Field> =
            members.iter().map(|(name, shape)| Field::new(&**name, shape.data_type(), true)).collect();
        Self {
            members: members.to_vec(),
            natural: Arc::new(Schema::new(fields)),
            conversions: Conversions::new(options, members),
            notes: notes::of_table(declared, members, context),
        }
    }

    /// A batch of the natural types.
    pub(super) fn batch(&self, segment: Segment) -> RecordBatch {
        let arrays = arrays(segment.columns, &self.members, segment.len);
        new_batch(Arc::clone(&self.natural), arrays, segment.len)
    }

    /// The final schema and all notes, once every batch was observed.
    pub(super) fn settle(&mut self) -> (SchemaRef, Vec<Note>) {
        let mut notes = std::mem::take(&mut self.notes);
        notes.extend(self.conversions.settle());
        let fields = self.natural.fields().iter().enumerate().map(|(at, field)| {
            let field = match self.conversions.target(at) {
                Some(target) => field.as_ref().clone().with_data_type(target.clone()),
                None => field.as_ref().clone(),
            };
            with_note(field, &notes)
        });
        (Arc::new(Schema::new(fields.collect::<Vec<_>>())), notes)
    }

    /// A natural batch in the final schema; `None` where a value does not convert after all.
    pub(super) fn convert(&self, batch: &RecordBatch, schema: &SchemaRef) -> Option<RecordBatch> {
        let columns = batch.columns().iter().enumerate();
        let arrays = columns.map(|(at, column)| self.conversions.apply(at, column)).collect::<Option<Vec<_>>>()?;
        Some(new_batch(Arc::clone(schema), arrays, batch.num_rows()))
    }
}

/// All segments as one table.
pub(super) fn rows(mut plan: Plan, segments: Vec<Segment>) -> Rows {
    let natural: Vec<RecordBatch> = segments.into_iter().map(|segment| plan.batch(segment)).collect();
    for batch in &natural {
        plan.conversions.observe(batch);
    }
    let (schema, notes) = plan.settle();
    let batches: Option<Vec<RecordBatch>> = natural.iter().map(|batch| plan.convert(batch, &schema)).collect();
    match batches {
        Some(batches) => Rows::new(schema, batches, notes),
        None => Rows::new(Arc::clone(&plan.natural), natural, notes),
    }
}

pub(super) fn new_batch(schema: SchemaRef, arrays: Vec<arrow_array::ArrayRef>, len: usize) -> RecordBatch {
    let options = RecordBatchOptions::new().with_row_count(Some(len));
    RecordBatch::try_new_with_options(schema, arrays, &options).expect("schema and arrays come from the same shapes")
}

/// Puts the notes on a column into its Arrow metadata.
pub(super) fn with_note(field: Field, notes: &[Note]) -> Field {
    let texts: Vec<String> = notes
        .iter()
        .filter(|note| note.column.as_deref().is_some_and(|path| is_within(path, field.name())))
        .map(ToString::to_string)
        .collect();
    if texts.is_empty() {
        return field;
    }
    let metadata = [(NOTE_KEY.to_owned(), texts.join("; "))].into();
    field.with_metadata(metadata)
}

/// Whether a dotted path is that of the column or of something nested in it.
fn is_within(path: &str, column: &str) -> bool {
    path.strip_prefix(column).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
