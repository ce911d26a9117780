//! Columns of a schema that no row has a value for, where one that it does not name is called almost like them.

use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use hashbrown::HashMap;

use super::notes::Remark;
use super::place::Place;
use crate::near::letters_of;
use crate::rows::columns::Shape;
use crate::rows::options::Declared;

/// Those of which no value was seen so far.
#[derive(Debug, Default)]
pub(super) struct Misspelt(Vec<Candidate>);

#[derive(Debug)]
struct Candidate {
    /// The place of the column, and the name that was perhaps meant.
    place: Place,
    other: Arc<str>,
}

impl Misspelt {
    /// `members` are the columns of the table, of which those of a schema come first.
    pub(super) fn new(declared: &Declared, members: &[(Arc<str>, Shape)]) -> Self {
        let Declared::Schema(schema) = declared else { return Self::default() };
        let Some((named, others)) = members.split_at_checked(schema.fields().len()) else { return Self::default() };
        let named = named.iter().enumerate().map(|(at, (name, _))| (letters_of(name), Place::of_column(at, name)));
        let mut named: HashMap<String, Place> = named.filter(|(letters, _)| !letters.is_empty()).collect();
        let candidate = |(other, _): &(Arc<str>, Shape)| {
            Some(Candidate { place: named.remove(&letters_of(other))?, other: Arc::clone(other) })
        };
        Self(others.iter().filter_map(candidate).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Leaves out the columns that have a value in the next batch.
    pub(super) fn observe(&mut self, batch: &RecordBatch) {
        self.0.retain(|Candidate { place, .. }| batch.column(place.column).logical_null_count() == batch.num_rows());
    }

    pub(super) fn remarks(&self) -> impl Iterator<Item = Remark> {
        self.0.iter().map(|Candidate { place, other }| {
            let message = format!("no row has a value for it, but the rows have `{other}`: was that meant?");
            Remark::at(place, message)
        })
    }
}
