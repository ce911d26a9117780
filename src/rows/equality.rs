//! Whether two tables hold the same, in whatever batches and layouts.

use arrow_array::RecordBatch;
use arrow_schema::{DataType, FieldRef};

use super::table::Rows;
use super::text_layout::TextLayout;

impl Rows {
    /// Whether both have the same columns, by name and type and in this order, with the same values in the same rows,
    /// in whatever batches these come and whichever layout their text has, in objects and arrays too. Neither notes nor
    /// metadata of columns count; those of members, and whether they may be null, are of their type. Values are the
    /// same in every bit: -0.0 is not 0.0.
    pub fn equals(&self, other: &Self) -> bool {
        let columns = || self.schema().fields().iter().zip(other.schema().fields());
        let are_alike = columns().all(|(a, b)| a.name() == b.name() && are_alike(a.data_type(), b.data_type()));
        if self.len() != other.len() || self.schema().fields().len() != other.schema().fields().len() || !are_alike {
            return false;
        }
        if columns().all(|(a, b)| a.data_type() == b.data_type()) {
            return self.has_values_of(other);
        }
        let [ours, theirs] = [self, other].map(|rows| rows.with_text(TextLayout::Large));
        ours.has_values_of(&theirs)
    }

    /// Whether both have the same values, given that they have as many rows and columns of the same types.
    fn has_values_of(&self, other: &Self) -> bool {
        let (mut ours, mut theirs) = (self.batches().iter().cloned(), other.batches().iter().cloned());
        let (mut our, mut their) = (ours.next(), theirs.next());
        while let (Some(a), Some(b)) = (&our, &their) {
            let len = a.num_rows().min(b.num_rows());
            if a.slice(0, len).columns() != b.slice(0, len).columns() {
                return false;
            }
            let rest = |batch: &RecordBatch| (len < batch.num_rows()).then(|| batch.slice(len, batch.num_rows() - len));
            (our, their) = (rest(a).or_else(|| ours.next()), rest(b).or_else(|| theirs.next()));
        }
        true
    }
}

/// Whether two types are the same but for the layout of text.
fn are_alike(one: &DataType, other: &DataType) -> bool {
    let members = |one: &FieldRef, other: &FieldRef| {
        let besides = |field: &FieldRef| (field.name().clone(), field.is_nullable(), field.metadata().clone());
        besides(one) == besides(other) && are_alike(one.data_type(), other.data_type())
    };
    match (one, other) {
        (DataType::List(one), DataType::List(other)) | (DataType::LargeList(one), DataType::LargeList(other)) => {
            members(one, other)
        }
        (DataType::Struct(one), DataType::Struct(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| members(one, other))
        }
        _ => one == other || one.is_string() && other.is_string(),
    }
}
