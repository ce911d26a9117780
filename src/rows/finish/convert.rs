//! Types a caller asked for: a column is converted only if every value of it survives that unchanged, and so is a
//! member of one.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use hashbrown::HashSet;

use super::field_path::FieldPath;
use super::misspelt::Misspelt;
use super::notes::Remark;
use super::padding::{PaddingBudget, smallest_to_drop};
use super::request::{Request, Requests};
use super::requested_type::RequestedType;
use super::target::Outcome;
use super::why_not;
use crate::rows::columns::Shape;
use crate::rows::options::{DecodeOptions, ParseDates};

/// What is to become of each column, and whether it still can.
#[derive(Debug, Default)]
pub(in crate::rows) struct Conversions {
    columns: Vec<Conversion>,
    /// Names in `parse_dates` that no column has.
    missing: Vec<String>,
    misspelt: Misspelt,
    /// For the nulls of types of a fixed size.
    budget: PaddingBudget,
}

#[derive(Debug)]
struct Conversion {
    name: String,
    inferred: DataType,
    request: Request,
}

impl Conversion {
    /// Gives up what is not possible of the column at this position, and says so.
    fn settle(&mut self, at: usize, remarks: &mut Vec<Remark>) {
        let mut path = FieldPath::of_column(at, &self.name);
        match &self.request {
            Request::Type { target, .. } => {
                target.for_each_outcome(&mut path, &mut |path, outcome| match outcome {
                    Outcome::Type(requested) if requested.is_possible => {}
                    Outcome::Type(requested) => {
                        remarks.push(Remark::unmet_type(
                            path,
                            why_not::of_type(requested),
                            why_not::not_held(requested),
                        ));
                    }
                    Outcome::Nulls => remarks.push(Remark::at(path, why_not::ARE_NULLS)),
                });
                if target.is_left_as(&self.inferred) {
                    self.request = Request::Nothing;
                }
            }
            Request::Dates { dates, is_named } if dates.data_type().is_none() => {
                if let Some(why) = why_not::dates(dates, &self.inferred, *is_named) {
                    remarks.push(Remark::at(&path, why));
                }
                self.request = Request::Nothing;
            }
            Request::Nothing | Request::Dates { .. } => {}
        }
    }
}

impl Conversions {
    /// `fields` are those that the members are inferred to have.
    pub(in crate::rows) fn new(options: &DecodeOptions, members: &[(Arc<str>, Shape)], fields: &Fields) -> Self {
        let requests = Requests::new(options);
        let conversion = |((name, shape), field): (&(Arc<str>, Shape), &FieldRef)| Conversion {
            name: name.to_string(),
            inferred: field.data_type().clone(),
            request: requests.of(name, shape, field.data_type()),
        };
        let missing = match &options.parse_dates {
            ParseDates::Columns(names) => {
                let known: HashSet<&str> = members.iter().map(|(name, _)| &**name).collect();
                names.iter().filter(|name| !known.contains(name.as_str())).cloned().collect()
            }
            _ => Vec::new(),
        };
        Self {
            columns: members.iter().zip(fields).map(conversion).collect(),
            missing,
            misspelt: Misspelt::new(&options.declared, members),
            budget: PaddingBudget::default(),
        }
    }

    /// Whether no value need be looked at: no column is to become something else than it is, and none may be misspelt.
    pub(in crate::rows) fn need_no_values(&self) -> bool {
        self.misspelt.is_empty() && self.columns.iter().all(|column| matches!(column.request, Request::Nothing))
    }

    /// Looks at the next inferred batch. Gives what it has made of columns on the way, which may turn out not to be
    /// wanted.
    pub(in crate::rows) fn observe(&mut self, batch: &RecordBatch) -> Vec<Option<ArrayRef>> {
        self.misspelt.observe(batch);
        let (columns, budget) = (self.columns.iter_mut().zip(batch.columns()), &mut self.budget);
        let observe = |(column, array): (&mut Conversion, &ArrayRef)| match &mut column.request {
            Request::Type { target, distinct } => {
                let made = target.observe(array, None, budget);
                if let Some(made) = &made
                    && !distinct.add(made)
                {
                    target.give_up();
                }
                made
            }
            Request::Dates { dates, .. } => {
                dates.observe(array);
                None
            }
            Request::Nothing => None,
        };
        columns.map(observe).collect()
    }

    /// Gives up what is not possible, and says so.
    pub(super) fn settle(&mut self) -> Vec<Remark> {
        let columns = || self.columns.iter().map(|column| (column.name.as_str(), &column.inferred));
        let missing = self.missing.iter().map(|name| format!("parse_dates: {}", why_not::no_column(name, columns)));
        let mut remarks: Vec<Remark> = missing.map(Remark::on_table).collect();
        remarks.extend(self.misspelt.remarks());
        self.give_up_too_large();
        for (at, column) in self.columns.iter_mut().enumerate() {
            column.settle(at, &mut remarks);
        }
        remarks
    }

    /// Gives up the types with the largest nulls, until there is room for all others.
    fn give_up_too_large(&mut self) {
        let mut all = Vec::new();
        self.for_each_requested(&mut |requested| all.extend(requested.is_possible.then_some(requested.padding_bits)));
        let Some(fewest) = smallest_to_drop(all) else { return };
        self.for_each_requested(&mut |requested| {
            requested.is_too_large = requested.is_possible && requested.padding_bits >= fewest;
            requested.is_possible &= !requested.is_too_large;
        });
    }

    fn for_each_requested(&mut self, see: &mut impl FnMut(&mut RequestedType)) {
        for column in &mut self.columns {
            if let Request::Type { target, .. } = &mut column.request {
                target.for_each_requested(see);
            }
        }
    }

    /// Whether a column becomes something else than it is, or what positions of members lead to from there.
    pub(in crate::rows) fn converts(&self, column: usize, within: &[usize]) -> bool {
        match &self.columns[column].request {
            Request::Nothing => false,
            Request::Dates { .. } => within.is_empty(),
            Request::Type { target, .. } => target.converts(within),
        }
    }

    /// What a column finally is, where it is not as inferred.
    pub(in crate::rows) fn field(&self, at: usize) -> Option<FieldRef> {
        let Conversion { name, request, .. } = &self.columns[at];
        match request {
            Request::Nothing => None,
            Request::Type { target, .. } => Some(target.field()),
            Request::Dates { dates, .. } => dates.data_type().map(|dates| Arc::new(Field::new(name, dates, true))),
        }
    }

    pub(in crate::rows) fn apply(&self, at: usize, array: &ArrayRef) -> Option<ArrayRef> {
        match &self.columns[at].request {
            Request::Nothing => Some(Arc::clone(array)),
            Request::Type { target, .. } => target.apply(array),
            Request::Dates { dates, .. } => dates.convert(array),
        }
    }
}
