//! Why something is not as a caller asked for it, as a note says it.

use arrow_schema::DataType;

use super::dates::{self, Dates};
use super::misfit::{Misfit, quoted};
use super::nested::contains_type;
use super::padding::TOO_LARGE;
use super::requested_type::RequestedType;
use super::type_name::type_name;
use crate::near::nearest;
use crate::rows::clipped::{MAX_NAME, clipped};

pub(super) const ARE_NULLS: &str = "asked for without nulls, but there are some";

/// Why numbers with a fraction or an exponent do not become exact ones.
const ROUNDED: &str = "some numbers were rounded to float64, so that what was sent is not known";

/// Why text does not become dates or times.
const NO_DATES: &str = "not all values are ISO 8601 dates or times of one kind with at most nine decimals";
const NO_UNIT: &str = "some times are finer than microseconds, and others are beyond what nanoseconds can count (1677 to 2262): kept as text";

/// A name is compared with those of no more columns than this.
const MOST_COMPARED: usize = 1000;

/// Why something does not have the type that was asked for.
pub(super) fn of_type(requested: &RequestedType) -> String {
    let is_made = !contains_type(&requested.wanted, |of| matches!(of, DataType::Map(..) | DataType::Union(..)));
    let why = match (is_made, requested.is_too_large) {
        (false, _) => "no such values are made".to_owned(),
        (true, true) => TOO_LARGE.to_owned(),
        (true, false) if requested.is_rounded && requested.misfit.is_none() => ROUNDED.to_owned(),
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

/// Which value a type does not hold, or not as it was sent, if one is known; or that such a one is not known any more.
pub(super) fn not_held(requested: &RequestedType) -> Option<String> {
    let wanted = type_name(&requested.wanted);
    let Some(misfit) = &requested.misfit else { return requested.is_rounded.then(|| ROUNDED.to_owned()) };
    Some(match misfit {
        Misfit::NotHeld(value) => format!("{wanted} does not hold {value}"),
        Misfit::Changed(value) if requested.wanted.is_numeric() && requested.inferred.is_string() => {
            format!("{value} is not a JSON number, or {wanted} cannot hold it exactly")
        }
        Misfit::Changed(value) => format!("{value} would change if converted to {wanted}"),
    })
}

/// Why values did not become dates. Text that `parse_dates` does not name is seldom meant, so nothing is said of it
/// unless it begins as dates do.
pub(super) fn dates(dates: &Dates, inferred: &DataType, is_named: bool) -> Option<String> {
    let is_meant = is_named || dates.have_no_unit() || dates.were_some();
    match inferred {
        _ if !is_meant => None,
        DataType::Null => None,
        _ if dates.have_no_unit() => Some(NO_UNIT.to_owned()),
        text if text.is_string() => {
            Some(format!("{NO_DATES}{}: kept as text", such_as(dates.misfit().map(quoted).as_deref())))
        }
        other => Some(format!("parse_dates: dates and times are read from text, and this is {}", type_name(other))),
    }
}

/// That there is no column of a name, and what may have been meant. `columns` gives the names and types of those that
/// there are.
pub(super) fn no_column<'c, C>(name: &str, columns: impl Fn() -> C) -> String
where
    C: Iterator<Item = (&'c str, &'c DataType)> + Clone,
{
    let outer = name.split_once('.').map(|(outer, _)| outer);
    let outer = outer.filter(|outer| columns().any(|(column, inferred)| column == *outer && inferred.is_nested()));
    let hint =
        outer.map(|outer| format!("; what is nested in `{}` takes its types from `schema=`", clipped(outer, MAX_NAME)));
    // Comparing with all names would take long where there are many of both.
    let others = columns().take(MOST_COMPARED).map(|(column, _)| column);
    let hint = hint.or_else(|| Some(format!("; did you mean `{}`?", clipped(nearest(name, others)?, MAX_NAME))));
    format!("there is no column `{}`{}", clipped(name, MAX_NAME), hint.unwrap_or_default())
}

/// The value for which something is not so, if one is known.
fn such_as(misfit: Option<&str>) -> String {
    misfit.map(|value| format!(", such as {value}")).unwrap_or_default()
}
