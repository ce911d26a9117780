//! Arrays in another type, if every value survives.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, ListArray, StructArray, new_null_array};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field, FieldRef, Fields};

use super::nested::contains_within;
use super::{calendar, dates, decimals, numbers};
use crate::rows::json::decimal::EXACT_BELOW;

/// The array in another type, if every value survives: it converts, and converting it back gives what was there.
pub(super) fn cast_exactly(array: &ArrayRef, target: &DataType) -> Option<ArrayRef> {
    let is_possible = array.data_type() == &DataType::Null || takes_kind(array.data_type(), target);
    if is_possible { convert_exactly(array, target) } else { None }
}

/// As [`cast_exactly`], for a type that [`takes_kind`] has let through.
fn convert_exactly(array: &ArrayRef, target: &DataType) -> Option<ArrayRef> {
    let (element, encoded) = (element_of_list(target), encoded_by(target));
    match (array.data_type(), target) {
        (inferred, target) if inferred == target => Some(Arc::clone(array)),
        (DataType::Null, _) => Some(new_null_array(target, array.len())),
        // Arrow's own parser drops fractions, times of day and offsets that the type has no room for.
        (DataType::Utf8, target) if target.is_temporal() => dates::convert_to(array, target),
        (DataType::Float64, target) if target.is_decimal() => decimals::of_floats(array, target),
        (DataType::Float64, target) if (target.is_integer() || target.is_temporal()) && !are_exact(array) => None,
        // Another layout of the same text.
        (inferred, target) if inferred.is_string() && target.is_string() => cast_strictly(array, target),
        (DataType::Utf8, target) if target.is_numeric() => numbers::of_texts(array, target),
        // Elements, members and what is encoded by the same rules as cells, and then the layout that holds them.
        (DataType::List(item), _) if element.is_some_and(|element| element != item.data_type()) => {
            convert_exactly(&cast_elements(array.as_list(), item, element?)?, target)
        }
        (DataType::Struct(there), DataType::Struct(wanted)) => {
            let has_all = there.iter().all(|member| wanted.find(member.name()).is_some());
            if has_all { cast_members(array.as_struct(), wanted) } else { None }
        }
        (inferred, _) if encoded.is_some_and(|values| values != inferred && !is_text_or_bytes(values)) => {
            convert_exactly(&convert_exactly(array, encoded?)?, target)
        }
        (inferred, target) => {
            let converted = cast_strictly(array, target)?;
            let back = cast_strictly(&converted, inferred)?;
            // Arrow may give an encoded array other fields than those asked for.
            let is_it = converted.data_type() == target && back.as_ref() == array.as_ref() && is_sound(&converted);
            is_it.then_some(converted)
        }
    }
}

/// Whether floats are the whole numbers that were sent, if they are whole: from 2⁵³ on one float stands for many.
fn are_exact(floats: &ArrayRef) -> bool {
    floats.as_primitive::<Float64Type>().iter().flatten().all(|value| value.abs() < EXACT_BELOW as f64)
}

/// Arrays of the elements in another type.
fn cast_elements(lists: &ListArray, item: &FieldRef, element: &DataType) -> Option<ArrayRef> {
    let elements = convert_exactly(lists.values(), element)?;
    let item = Arc::new(Field::clone(item).with_data_type(element.clone()));
    let (offsets, nulls) = (lists.offsets().clone(), lists.nulls().cloned());
    Some(Arc::new(ListArray::try_new(item, offsets, elements, nulls).ok()?))
}

/// Objects with other members, which are null where there are none of the name.
fn cast_members(structs: &StructArray, wanted: &Fields) -> Option<ArrayRef> {
    let member = |field: &FieldRef| match structs.column_by_name(field.name()) {
        Some(column) => convert_exactly(column, field.data_type()),
        None => Some(new_null_array(field.data_type(), structs.len())),
    };
    let members = wanted.iter().map(member).collect::<Option<Vec<_>>>()?;
    let (length, nulls) = (structs.len(), structs.nulls().cloned());
    Some(Arc::new(StructArray::try_new_with_length(wanted.clone(), members, nulls, length).ok()?))
}

/// Whether a type may have values of this kind at all.
pub(super) fn takes_kind(inferred: &DataType, target: &DataType) -> bool {
    // Of arrays that are always empty Arrow cannot tell how many there are, and so panics over objects with them.
    let is_always_empty = |data_type: &DataType| matches!(data_type, DataType::FixedSizeList(_, 0));
    !contains_within(target, is_always_empty) && takes(inferred, target)
}

fn takes(inferred: &DataType, target: &DataType) -> bool {
    if let Some(values) = encoded_by(target) {
        return takes(inferred, values);
    }
    match (inferred, target, element_of_list(target)) {
        (DataType::Struct(members), DataType::Struct(wanted), _) => members.iter().all(|member| {
            let wanted = wanted.find(member.name());
            wanted.is_none_or(|(_, wanted)| takes(member.data_type(), wanted.data_type()))
        }),
        (DataType::List(item), _, Some(element)) => takes(item.data_type(), element),
        // Arrow would cast any value to a list of one, which nobody means.
        (inferred, target, element) => *inferred == DataType::Null || inferred == target || element.is_none(),
    }
}

/// Whether a type has something for every value, be it written otherwise.
pub(super) fn holds_all(array: &ArrayRef, target: &DataType) -> bool {
    if let Some(values) = encoded_by(target) {
        return holds_all(array, values);
    }
    match (array.data_type(), target, element_of_list(target)) {
        (DataType::Struct(_), DataType::Struct(wanted), _) => {
            let structs = array.as_struct();
            let are_held = |(name, column): (&str, &ArrayRef)| {
                wanted.find(name).is_none_or(|(_, wanted)| holds_all(column, wanted.data_type()))
            };
            structs.column_names().into_iter().zip(structs.columns()).all(are_held)
        }
        (DataType::List(_), _, Some(element)) => holds_all(array.as_list::<i32>().values(), element),
        // Only ISO 8601 text is a time; Arrow's own parser accepts more.
        (DataType::Utf8, target, _) if target.is_temporal() => cast_exactly(array, target).is_some(),
        (_, target, _) => cast_strictly(array, target).is_some_and(|converted| is_sound(&converted)),
    }
}

/// The type of what a dictionary or runs hold.
pub(super) fn encoded_by(data_type: &DataType) -> Option<&DataType> {
    match data_type {
        DataType::Dictionary(_, values) => Some(values),
        DataType::RunEndEncoded(_, values) => Some(values.data_type()),
        _ => None,
    }
}

/// The type of the elements of arrays.
pub(in crate::rows) fn element_of_list(data_type: &DataType) -> Option<&DataType> {
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => Some(item.data_type()),
        _ => None,
    }
}

fn is_text_or_bytes(data_type: &DataType) -> bool {
    data_type.is_string() || data_type.is_binary()
}

/// Whether all floats are finite, and all dates, times and spans ones that there are, nested ones included: Arrow's
/// casts take any number for a moment, and the text `inf` for an infinity.
fn is_sound(array: &ArrayRef) -> bool {
    let are_sound_as = |plain: &DataType| cast_strictly(array, plain).is_some_and(|plain| is_sound(&plain));
    match array.data_type() {
        floating if floating.is_floating() => {
            let floats = cast_strictly(array, &DataType::Float64);
            floats.is_some_and(|floats| floats.as_primitive::<Float64Type>().iter().flatten().all(f64::is_finite))
        }
        DataType::List(_) => is_sound(array.as_list::<i32>().values()),
        DataType::Struct(_) => array.as_struct().columns().iter().all(is_sound),
        DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => are_sound_as(&DataType::List(Arc::clone(item))),
        DataType::Dictionary(_, values) => are_sound_as(values),
        DataType::RunEndEncoded(_, values) => are_sound_as(values.data_type()),
        _ => calendar::all_in_range(array),
    }
}

/// Arrow's cast, which fails where a value has none.
pub(in crate::rows) fn cast_strictly(array: &ArrayRef, target: &DataType) -> Option<ArrayRef> {
    cast_with_options(array, target, &CastOptions { safe: false, ..CastOptions::default() }).ok()
}
