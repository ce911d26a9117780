//! The first value that does not survive a type, for whoever asked for that and is to know why it is not given.

use arrow_array::{Array, ArrayRef};
use arrow_cast::display::array_value_to_string;
use arrow_schema::DataType;

use super::cast::cast_exactly;
use crate::rows::clipped::clipped;

/// How much of a value is quoted in a note.
const MAX_QUOTED: usize = 40;

/// The first of these values that does not survive the type by itself, as a note quotes it. There is none where the
/// type takes no values of their kind, or not so many of them.
pub(super) fn first_in(array: &ArrayRef, wanted: &DataType) -> Option<String> {
    let survive = |start: usize, end: usize| cast_exactly(&array.slice(start, end - start), wanted).is_some();
    if array.is_empty() || !survive(0, 0) {
        return None;
    }
    // The values before `start` survive, and one of those up to `end` does not.
    let (mut start, mut end) = (0, array.len());
    while end - start > 1 {
        let middle = start + (end - start) / 2;
        if survive(start, middle) { start = middle } else { end = middle }
    }
    if survive(start, end) {
        return None;
    }
    let value = array_value_to_string(array, start).ok()?;
    Some(if array.data_type().is_string() { quoted(&value) } else { clipped(&value, MAX_QUOTED).into_owned() })
}

/// A text as a note quotes it.
pub(super) fn quoted(text: &str) -> String {
    format!("{:?}", clipped(text, MAX_QUOTED))
}
