//! Types a caller asked for: a column is converted only if every value of it survives that unchanged, and so is a
//! member of one.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use hashbrown::{HashMap, HashSet};

use super::dates::{self, Dates};
use super::distinct::Distinct;
use super::field_path::FieldPath;
use super::misfit::{Misfit, quoted};
use super::misspelt::Misspelt;
use super::nested::holds;
use super::notes::{Remark, without_notes};
use super::padding::{PaddingBudget, TOO_LARGE, smallest_to_drop};
use super::target::{Outcome, RequestedType, TargetField};
use super::type_name::type_name;
use crate::near::nearest;
use crate::rows::clipped::{MAX_NAME, clipped};
use crate::rows::columns::{Facts, Shape};
use crate::rows::options::{Declared, DecodeOptions, ParseDates};

const ARE_NULLS: &str = "asked for without nulls, but there are some";

/// Why text does not become dates or times.
const NO_DATES: &str = "not all values are ISO 8601 dates or times of one kind with at most nine decimals";
const NO_UNIT: &str = "some times are finer than microseconds, and others are beyond what nanoseconds can count (1677 to 2262): kept as text";

/// A name is compared with those of no more columns than this.
const MOST_COMPARED: usize = 1000;

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

#[derive(Debug)]
enum Request {
    Nothing,
    Type { target: TargetField, distinct: Distinct },
    Dates { dates: Dates, is_named: bool },
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
                        remarks.push(Remark::unmet_type(path, why_not(requested), not_held(requested)));
                    }
                    Outcome::Nulls => remarks.push(Remark::at(path, ARE_NULLS)),
                });
                if target.is_left_as(&self.inferred) {
                    self.request = Request::Nothing;
                }
            }
            Request::Dates { dates, is_named } if dates.data_type().is_none() => {
                if let Some(why) = self.why_no_dates(dates, *is_named) {
                    remarks.push(Remark::at(&path, why));
                }
                self.request = Request::Nothing;
            }
            Request::Nothing | Request::Dates { .. } => {}
        }
    }

    /// Why these values did not become dates. Text that `parse_dates` does not name is seldom meant, so nothing is said
    /// of it unless it begins as dates do.
    fn why_no_dates(&self, dates: &Dates, is_named: bool) -> Option<String> {
        let is_meant = is_named || dates.have_no_unit() || dates.were_some();
        match &self.inferred {
            _ if !is_meant => None,
            DataType::Null => None,
            _ if dates.have_no_unit() => Some(NO_UNIT.to_owned()),
            text if text.is_string() => {
                Some(format!("{NO_DATES}{}: kept as text", such_as(dates.misfit().map(quoted).as_deref())))
            }
            other => Some(format!("parse_dates: dates and times are read from text, and this is {}", type_name(other))),
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
                    && !distinct.have_keys(made)
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
        let missing = self.missing.iter().map(|name| format!("parse_dates: {}", no_column(name, &self.columns)));
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

fn no_column(name: &str, columns: &[Conversion]) -> String {
    let outer = name.split_once('.').map(|(outer, _)| outer);
    let outer = outer.filter(|outer| columns.iter().any(|column| column.name == *outer && column.inferred.is_nested()));
    let hint =
        outer.map(|outer| format!("; what is nested in `{}` takes its types from `schema=`", clipped(outer, MAX_NAME)));
    // Comparing with all names would take long where there are many of both.
    let others = columns.iter().take(MOST_COMPARED).map(|column| column.name.as_str());
    let hint = hint.or_else(|| Some(format!("; did you mean `{}`?", clipped(nearest(name, others)?, MAX_NAME))));
    format!("there is no column `{}`{}", clipped(name, MAX_NAME), hint.unwrap_or_default())
}

/// Why something does not have the type that was asked for.
fn why_not(requested: &RequestedType) -> String {
    let is_made = !holds(&requested.wanted, |of| matches!(of, DataType::Map(..) | DataType::Union(..)));
    let why = match (is_made, requested.is_too_large) {
        (false, _) => "no such values are made".to_owned(),
        (true, true) => TOO_LARGE.to_owned(),
        (true, false) => what_survives(&requested.wanted, &requested.inferred, requested.misfit.as_ref()),
    };
    let (wanted, kept) = (type_name(&requested.wanted), type_name(&requested.inferred));
    format!("asked for as {wanted}, kept as {kept}: {why}")
}

/// What would have survived, or which value did not.
fn what_survives(wanted: &DataType, inferred: &DataType, misfit: Option<&Misfit>) -> String {
    let all = match (wanted, misfit.and_then(Misfit::text)) {
        (DataType::Timestamp(unit, zone), Some(text)) if inferred.is_string() => {
            return format!("\"{text}\" {}", dates::why_no_timestamp(text, *unit, zone.is_some()));
        }
        (DataType::Timestamp(..), None) if inferred.is_string() => {
            "not every text is an ISO 8601 date or time that it takes"
        }
        (DataType::Date32 | DataType::Date64, _) if inferred.is_string() => "not every text is an ISO 8601 date",
        _ => "not every value is known to survive that unchanged",
    };
    format!("{all}{}", such_as(misfit.map(Misfit::value)))
}

/// Which value a type does not hold, or not as it was sent, if one is known.
fn not_held(requested: &RequestedType) -> Option<String> {
    let wanted = type_name(&requested.wanted);
    Some(match requested.misfit.as_ref()? {
        Misfit::NotHeld(value) => format!("{wanted} does not hold {value}"),
        Misfit::Changed(value) if requested.wanted.is_numeric() && requested.inferred.is_string() => {
            format!("{value} is not a JSON number, or {wanted} cannot hold it exactly")
        }
        Misfit::Changed(value) => format!("{value} would change if converted to {wanted}"),
    })
}

/// The value for which something is not so, if one is known.
fn such_as(misfit: Option<&str>) -> String {
    misfit.map(|value| format!(", such as {value}")).unwrap_or_default()
}

/// What a caller said of columns, by their names.
struct Requests<'o> {
    types: HashMap<&'o str, FieldRef>,
    dates: HashSet<&'o str>,
    are_all_dates: bool,
}

impl<'o> Requests<'o> {
    fn new(options: &'o DecodeOptions) -> Self {
        let fields = match &options.declared {
            Declared::Schema(schema) => schema.fields().as_ref(),
            _ => &[],
        };
        let dates = match &options.parse_dates {
            ParseDates::Columns(names) => names.as_slice(),
            _ => &[],
        };
        Self {
            // Of two of one name the first counts.
            types: fields.iter().rev().map(|field| (field.name().as_str(), without_notes(field))).collect(),
            dates: dates.iter().map(String::as_str).collect(),
            are_all_dates: options.parse_dates == ParseDates::All,
        }
    }

    fn of(&self, name: &str, shape: &Shape, inferred: &DataType) -> Request {
        if let Some(field) = self.types.get(name) {
            let target = TargetField::column(field, inferred);
            if target.changes_nothing() {
                return Request::Nothing;
            }
            return Request::Type { target, distinct: Distinct::default() };
        }
        let is_text = shape.facts == Facts::TEXT || shape.facts == Facts::NOTHING;
        let is_named = self.dates.contains(name);
        if is_named || self.are_all_dates && is_text {
            Request::Dates { dates: if is_text { Dates::default() } else { Dates::impossible() }, is_named }
        } else {
            Request::Nothing
        }
    }
}
