//! What becomes of all segments: record batches of the one schema that holds them.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{Field, Fields, Schema, SchemaRef};
use hashbrown::HashMap;

use super::convert::Conversions;
use super::counting_notes::{on_left_out, on_surrogates};
use super::notes::{Remark, Remarks, with_notes};
use crate::rows::columns::{Counts, JsonTexts, MemberShapes, PointerBudget, Segment, arrays};
use crate::rows::memory::Arena;
use crate::rows::options::DecodeOptions;
use crate::rows::table::{Note, Rows, new_batch};
use crate::rows::threads::{Workers, share};

/// What a result turned out to be: enough to make a batch of any of its segments.
#[derive(Debug)]
pub(in crate::rows) struct Plan {
    shapes: Arc<MemberShapes>,
    /// The schema before conversions.
    inferred: SchemaRef,
    pub(in crate::rows) conversions: Conversions,
    declared: Arc<MemberShapes>,
    counts: Counts,
}

impl Plan {
    pub(in crate::rows) fn new(
        options: &DecodeOptions,
        declared: Arc<MemberShapes>,
        shapes: Arc<MemberShapes>,
        counts: Counts,
    ) -> Self {
        let fields: Fields = shapes.iter().map(|(name, shape)| Field::new(&**name, shape.data_type(), true)).collect();
        Self {
            conversions: Conversions::new(options, &shapes, &fields),
            inferred: Arc::new(Schema::new(fields)),
            shapes,
            declared,
            counts,
        }
    }

    /// A batch of the inferred types.
    pub(in crate::rows) fn batch(&self, segment: Segment, arena: &mut Arena) -> RecordBatch {
        let arrays = arrays(segment.columns, &self.shapes, self.inferred.fields(), segment.len, arena);
        new_batch(Arc::clone(&self.inferred), arrays, segment.len)
    }

    /// The final schema and all notes, once every batch was observed.
    pub(in crate::rows) fn settle(&mut self) -> (SchemaRef, Vec<Note>) {
        let (mut remarks, on_requests) = (Remarks::default(), self.conversions.settle());
        // A column that got the type asked for needs no note on the one that was inferred.
        let converts = |column, within: &[usize]| self.conversions.converts(column, within);
        remarks.on_members(&self.declared, &self.shapes, converts);
        if let Some(note) = on_surrogates(self.counts.tally.lone_surrogates) {
            remarks.push(Remark::of_note(note));
        }
        remarks.on_requests(on_requests);
        let (remarks, left_out) = remarks.into_list();
        let mut texts: HashMap<usize, Vec<String>> = HashMap::new();
        for remark in &remarks {
            if let Some(column) = remark.column {
                texts.entry(column).or_default().push(remark.note.to_string());
            }
        }
        let mut budget = PointerBudget::default();
        let fields = self.inferred.fields().iter().enumerate().map(|(at, field)| {
            let field = self.conversions.field(at).unwrap_or_else(|| Arc::clone(field));
            let field = JsonTexts::of_shape(&self.shapes[at].1, &mut budget).noted_on(&field);
            with_notes(&field, texts.get(&at).map(Vec::as_slice).unwrap_or_default())
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let notes = remarks.into_iter().map(|remark| remark.note);
        (schema, notes.chain(on_left_out(left_out, false)).collect())
    }

    /// A batch of the inferred types, in the final schema; `None` where a value does not convert after all. What was
    /// `made` of its columns when it was observed is taken where it is of the right type.
    pub(in crate::rows) fn convert(
        &self,
        batch: &RecordBatch,
        made: impl IntoIterator<Item = Option<ArrayRef>>,
        schema: &SchemaRef,
    ) -> Option<RecordBatch> {
        let columns = batch.columns().iter().zip(made).enumerate();
        let array = |(at, (column, made)): (usize, (&ArrayRef, Option<ArrayRef>))| {
            let made = made.filter(|made| made.data_type() == schema.field(at).data_type());
            made.or_else(|| self.conversions.apply(at, column))
        };
        let arrays = columns.map(array).collect::<Option<Vec<_>>>()?;
        Some(new_batch(Arc::clone(schema), arrays, batch.num_rows()))
    }
}

/// All segments as one table, which these threads help to make.
pub(in crate::rows) fn rows(plan: Plan, segments: Vec<Segment>, workers: Option<Workers>) -> Rows {
    let plan = Arc::new(plan);
    let shared = Arc::clone(&plan);
    let inferred =
        share::map_init(segments, workers, Arena::default, move |segment, arena| shared.batch(segment, arena));
    let mut plan = Arc::into_inner(plan).expect("those it was shared with have ended");
    let made: Vec<_> = inferred.iter().map(|batch| plan.conversions.observe(batch)).collect();
    let (schema, notes) = plan.settle();
    let observed = inferred.into_iter().zip(made);
    let convert = |(batch, made)| plan.convert(&batch, made, &schema);
    let batches = observed.map(convert).collect::<Option<_>>();
    let batches = batches.expect("each value of a batch that was observed converts");
    Rows::new(schema, batches, notes)
}
