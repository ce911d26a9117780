//! What a caller asks for of each column: a type, or that its text be dates.

use arrow_schema::{DataType, FieldRef};
use hashbrown::{HashMap, HashSet};

use super::dates::Dates;
use super::distinct::Distinct;
use super::notes::without_notes;
use super::target::TargetField;
use crate::rows::columns::{Facts, Shape};
use crate::rows::options::{Declared, DecodeOptions, ParseDates};

/// What is asked for of one column.
#[derive(Debug)]
pub(super) enum Request {
    Nothing,
    Type { target: TargetField, distinct: Distinct },
    Dates { dates: Dates, is_named: bool },
}

/// What is asked for of columns, by their names.
pub(super) struct Requests<'o> {
    types: HashMap<&'o str, FieldRef>,
    dates: HashSet<&'o str>,
    are_all_dates: bool,
}

impl<'o> Requests<'o> {
    pub(super) fn new(options: &'o DecodeOptions) -> Self {
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

    pub(super) fn of(&self, name: &str, shape: &Shape, inferred: &DataType) -> Request {
        if let Some(field) = self.types.get(name) {
            let target = TargetField::column(field, inferred, shape);
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
