//! Columns of a schema that no row has a value for, where one that it does not name is called almost like them.

use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use hashbrown::HashMap;

use super::field_path::FieldPath;
use super::notes::Remark;
use crate::near::letters_of;
use crate::rows::clipped::{MAX_NAME, clipped};
use crate::rows::columns::Shape;
use crate::rows::options::Declared;

/// As many columns as one note names.
const MOST_TOLD: usize = 3;

/// Those of which no value was seen so far.
#[derive(Debug, Default)]
pub(super) struct Misspelt(Vec<Candidate>);

#[derive(Debug)]
struct Candidate {
    path: FieldPath,
    /// Columns of one of which the name was perhaps meant.
    others: Vec<Other>,
}

#[derive(Debug, Clone)]
struct Other {
    name: Arc<str>,
    column: usize,
    has_values: bool,
}

impl Misspelt {
    /// `members` are the columns of the table, of which those of a schema come first.
    pub(super) fn new(declared: &Declared, members: &[(Arc<str>, Shape)]) -> Self {
        let Declared::Schema(schema) = declared else { return Self::default() };
        let count = schema.fields().len();
        let mut alike: HashMap<String, Vec<Other>> = HashMap::new();
        for (column, (name, _)) in members.iter().enumerate().skip(count) {
            let other = Other { name: Arc::clone(name), column, has_values: false };
            alike.entry(letters_of(name)).or_default().push(other);
        }
        alike.remove("");
        let candidates = members.iter().take(count).enumerate().filter_map(|(at, (name, _))| {
            let others = alike.get(&letters_of(name))?.clone();
            Some(Candidate { path: FieldPath::of_column(at, name), others })
        });
        Self(candidates.collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Leaves out the columns that have a value in the next batch.
    pub(super) fn observe(&mut self, batch: &RecordBatch) {
        let has_values = |column: usize| batch.column(column).logical_null_count() < batch.num_rows();
        self.0.retain(|candidate| !has_values(candidate.path.column));
        for other in self.0.iter_mut().flat_map(|candidate| &mut candidate.others) {
            other.has_values |= has_values(other.column);
        }
    }

    pub(super) fn remarks(&self) -> impl Iterator<Item = Remark> {
        self.0.iter().filter_map(|Candidate { path, others }| {
            let names = others.iter().filter(|other| other.has_values).map(|other| clipped(&other.name, MAX_NAME));
            let names: Vec<String> = names.take(MOST_TOLD).map(|name| format!("`{name}`")).collect();
            let was_it = if names.len() > 1 { "was one of them meant?" } else { "was that meant?" };
            let message = format!("no row has a value for it, but the rows have {}: {was_it}", names.join(", "));
            (!names.is_empty()).then(|| Remark::at(path, message))
        })
    }
}
