//! Arrays in another type, if every value survives.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, ListArray, new_null_array};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field, FieldRef};

use super::nested::{holds, is_within};
use super::{dates, decimals, numbers};

/// The array in another type, if every value survives: it converts, and converting it back gives what was there.
pub(super) fn cast_exactly(array: &ArrayRef, target: &DataType) -> Option<ArrayRef> {
    if array.data_type() == target {
        return Some(Arc::clone(array));
    }
    match (array.data_type(), target) {
        (DataType::Null, _) => Some(new_null_array(target, array.len())),
        // Arrow's own parser drops fractions, times of day and offsets that the type has no room for.
        (DataType::Utf8, target) if target.is_temporal() => dates::convert_to(array, target),
        (DataType::Float64, target) if target.is_decimal() => decimals::of_floats(array, target),
        // Another layout of the same text.
        (natural, target) if natural.is_string() && target.is_string() => cast_strictly(array, target),
        (DataType::Utf8, target) if target.is_numeric() => numbers::of_texts(array, target),
        // The elements by the same rules as cells, and then another layout of the arrays.
        (DataType::List(item), target)
            if let Some(wanted) = element_of_list(target).filter(|of| *of != item.data_type()) =>
        {
            let lists = array.as_list::<i32>();
            let elements = cast_exactly(lists.values(), wanted)?;
            let item = Arc::new(Field::clone(item).with_data_type(wanted.clone()));
            let lists = ListArray::try_new(item, lists.offsets().clone(), elements, lists.nulls().cloned()).ok()?;
            cast_exactly(&(Arc::new(lists) as ArrayRef), target)
        }
        (natural, target) if !takes_kind(natural, target) => None,
        // To `Null` nothing is cast back.
        (natural, target) if is_within(natural, DataType::is_null) && filled(natural, target) != *natural => {
            cast_exactly(&cast_strictly(array, &filled(natural, target))?, target)
        }
        (natural, target) => {
            let converted = cast_strictly(array, target)?;
            let back = cast_strictly(&converted, natural)?;
            // An encoding may have fields of its own making.
            let is_it = converted.data_type() == target && back.as_ref() == array.as_ref() && is_sound(&converted);
            is_it.then_some(converted)
        }
    }
}

/// A type with that of another where it is `Null` in its elements or members: any has nulls.
fn filled(natural: &DataType, target: &DataType) -> DataType {
    let with = |field: &FieldRef, target: &DataType| {
        Arc::new(Field::clone(field).with_data_type(filled(field.data_type(), target)))
    };
    match (natural, target) {
        (DataType::Null, _) => target.clone(),
        (DataType::List(item), _) => match element(target) {
            Some(target) => DataType::List(with(item, target)),
            None => natural.clone(),
        },
        (DataType::Struct(members), DataType::Struct(others)) => {
            let member = |member: &FieldRef| match others.find(member.name()) {
                Some((_, other)) => with(member, other.data_type()),
                None => Arc::clone(member),
            };
            DataType::Struct(members.iter().map(member).collect())
        }
        _ => natural.clone(),
    }
}

/// Whether a type may have values of this kind at all.
pub(super) fn takes_kind(natural: &DataType, target: &DataType) -> bool {
    // Of arrays that are always empty Arrow cannot tell how many there are, and so panics over objects with them.
    let is_always_empty = |data_type: &DataType| matches!(data_type, DataType::FixedSizeList(_, 0));
    if is_within(target, is_always_empty) {
        return false;
    }
    if let (DataType::List(natural), Some(target)) = (natural, element_of_list(target)) {
        return takes_kind(natural.data_type(), target);
    }
    let are_decimals = holds(natural, DataType::is_floating) && is_within(target, DataType::is_decimal);
    // Arrow makes an array of one element of any value, and a value of that again. And which digits of a float within
    // come out as decimals is its own affair.
    !is_wrapped(natural, target) && !are_decimals
}

/// Whether a type has something for every value, be it written otherwise.
pub(super) fn holds_all(array: &ArrayRef, target: &DataType) -> bool {
    match (array.data_type(), target) {
        // What is no such text is no time, whatever Arrow's own parser makes of it.
        (DataType::Utf8, target) if target.is_temporal() => cast_exactly(array, target).is_some(),
        (_, target) => cast_strictly(array, target).is_some_and(|converted| is_sound(&converted)),
    }
}

/// Whether a type has arrays where the other has none, here or in its elements or members.
fn is_wrapped(natural: &DataType, target: &DataType) -> bool {
    match (natural, target) {
        (DataType::Struct(members), DataType::Struct(others)) => {
            let is_wrapped = |member: &FieldRef| {
                let other = others.iter().find(|other| other.name() == member.name());
                other.is_some_and(|other| is_wrapped(member.data_type(), other.data_type()))
            };
            members.iter().any(is_wrapped)
        }
        (natural, target) => match (element(natural), element(target)) {
            (Some(natural), Some(target)) => is_wrapped(natural, target),
            (None, Some(_)) => *natural != DataType::Null,
            (_, None) => false,
        },
    }
}

/// The type of the elements of arrays, also of those that are encoded.
fn element(data_type: &DataType) -> Option<&DataType> {
    match data_type {
        DataType::Dictionary(_, values) => element(values),
        DataType::RunEndEncoded(_, values) => element(values.data_type()),
        lists => element_of_list(lists),
    }
}

/// The type of the elements of arrays.
pub(super) fn element_of_list(data_type: &DataType) -> Option<&DataType> {
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => Some(item.data_type()),
        _ => None,
    }
}

/// Whether there are such values, nested ones too: Arrow takes any number for a moment, and text that says so for an
/// infinity.
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
        _ => dates::are_there(array),
    }
}

/// Arrow's cast, which fails where a value has none.
pub(in crate::rows) fn cast_strictly(array: &ArrayRef, target: &DataType) -> Option<ArrayRef> {
    cast_with_options(array, target, &CastOptions { safe: false, ..CastOptions::default() }).ok()
}
