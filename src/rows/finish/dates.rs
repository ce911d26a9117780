//! ISO 8601 text as dates and timestamps, where a caller asks for it.
//!
//! By `parse_dates` a column converts only if every value is of one kind: all dates, all local times, or all times with
//! an offset (these become UTC). Times are counted in microseconds, and in nanoseconds where a value is finer; nothing
//! is rounded away. A schema may ask for a type: its unit has to hold every value, and of local times a date is one,
//! too.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, new_null_array};
use arrow_schema::{DataType, TimeUnit};

use super::iso8601::{Iso8601, Moment, SECONDS_OF_DAY, time_of_day};

/// What the values of a text column have turned out to be so far.
#[derive(Debug, Default)]
pub(super) struct Dates {
    kind: Option<Kind>,
    /// The first text that is none of them, or of another kind than those before.
    misfit: Option<String>,
    /// Whether a value is finer than a microsecond.
    is_fine: bool,
    /// Whether a value is too far from 1970 to be counted in nanoseconds.
    is_far: bool,
    is_impossible: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Date,
    Local,
    Utc,
}

impl Dates {
    pub(super) fn impossible() -> Self {
        Self { is_impossible: true, ..Self::default() }
    }

    pub(super) fn observe(&mut self, array: &ArrayRef) {
        if self.is_impossible {
            return;
        }
        let Some(texts) = array.as_string_opt::<i32>() else {
            self.is_impossible |= array.data_type() != &DataType::Null;
            return;
        };
        for text in texts.iter().flatten() {
            if !self.observe_text(text) {
                self.misfit = Some(text.to_owned());
                self.is_impossible = true;
                return;
            }
        }
    }

    /// Looks at one more text. Gives whether it is of the kind of those before.
    fn observe_text(&mut self, text: &str) -> bool {
        let (kind, moment) = match Iso8601::parse(text) {
            Some(Iso8601::Date(_)) => (Kind::Date, None),
            Some(Iso8601::Local(moment)) => (Kind::Local, Some(moment)),
            Some(Iso8601::Utc(moment)) => (Kind::Utc, Some(moment)),
            None => return false,
        };
        if *self.kind.get_or_insert(kind) != kind {
            return false;
        }
        if let Some(moment) = moment {
            self.is_fine |= moment.is_fine();
            self.is_far |= moment.in_unit(TimeUnit::Nanosecond).is_none();
        }
        true
    }

    /// The type the column converts to; `None` where it does not.
    pub(super) fn data_type(&self) -> Option<DataType> {
        if self.have_no_unit() {
            return None;
        }
        let unit = if self.is_fine { TimeUnit::Nanosecond } else { TimeUnit::Microsecond };
        match self.kind.filter(|_| !self.is_impossible)? {
            Kind::Date => Some(DataType::Date32),
            Kind::Local => Some(DataType::Timestamp(unit, None)),
            Kind::Utc => Some(DataType::Timestamp(unit, Some("UTC".into()))),
        }
    }

    /// Whether they are times of one kind, of which some are too fine for microseconds and some too far for
    /// nanoseconds.
    pub(super) fn have_no_unit(&self) -> bool {
        self.is_fine && self.is_far && !self.is_impossible
    }

    /// Whether there were dates or times before a value that is none of their kind. Of a column that begins otherwise
    /// it is not known: nothing is read after the first value that is none.
    pub(super) fn were_some(&self) -> bool {
        self.is_impossible && self.kind.is_some()
    }

    /// The first text that is none of them, or of another kind than those before.
    pub(super) fn misfit(&self) -> Option<&str> {
        self.misfit.as_deref()
    }

    pub(super) fn convert(&self, array: &ArrayRef) -> Option<ArrayRef> {
        let target = self.data_type()?;
        if array.data_type() == &DataType::Null {
            return Some(new_null_array(&target, array.len()));
        }
        convert_to(array, &target)
    }
}

/// The text of an array as `target`, if that takes every value and its unit has room for all of it.
pub(super) fn convert_to(array: &ArrayRef, target: &DataType) -> Option<ArrayRef> {
    let values = array.as_string_opt::<i32>()?.iter().map(|text| match text {
        None => Some(None),
        Some(text) => in_type(text, target).map(Some),
    });
    let values = values.collect::<Option<Vec<Option<i64>>>>()?;
    match target {
        DataType::Date32 | DataType::Time32(_) => {
            let narrow = values.into_iter().map(|value| value.map(|value| value as i32));
            arrow_cast::cast(&narrow.collect::<Int32Array>(), target).ok()
        }
        _ => arrow_cast::cast(&Int64Array::from(values), target).ok(),
    }
}

/// The number that stands for a text in `target`.
fn in_type(text: &str, target: &DataType) -> Option<i64> {
    if let DataType::Time32(unit) | DataType::Time64(unit) = target {
        let (time, offset) = time_of_day(text)?;
        return if offset.is_none() { time.in_unit(*unit) } else { None };
    }
    match (target, Iso8601::parse(text)?) {
        (DataType::Date32, Iso8601::Date(day)) => Some(day),
        (DataType::Date64, Iso8601::Date(day)) => Some(day * SECONDS_OF_DAY * 1000),
        (DataType::Timestamp(unit, None), Iso8601::Date(day)) => Moment::midnight(day).in_unit(*unit),
        (DataType::Timestamp(unit, None), Iso8601::Local(moment))
        | (DataType::Timestamp(unit, Some(_)), Iso8601::Utc(moment)) => moment.in_unit(*unit),
        _ => None,
    }
}

/// Why a text is not in a timestamp of that unit, with a zone or without.
pub(super) fn why_no_timestamp(text: &str, unit: TimeUnit, has_zone: bool) -> &'static str {
    match Iso8601::parse(text) {
        None => "is not an ISO 8601 date or time",
        Some(Iso8601::Utc(_)) if !has_zone => "has an offset, and a timestamp without a zone takes none",
        Some(Iso8601::Date(_) | Iso8601::Local(_)) if has_zone => {
            "has no offset, and a timestamp with a zone needs one"
        }
        Some(_) if unit == TimeUnit::Nanosecond => "is too far from 1970 to be counted in its unit",
        Some(_) => "is finer than its unit",
    }
}
