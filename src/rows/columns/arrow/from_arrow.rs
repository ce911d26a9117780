//! Arrow arrays back into columns, so that tables widen among each other, and cells are written, by the decoder's own
//! rules.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, LargeStringArray, make_array};
use arrow_cast::cast;
use arrow_cast::display::array_value_to_string;
use arrow_schema::DataType;

use crate::rows::columns::context::NO_ATTEMPT;
use crate::rows::columns::json_text::PointerTo;
use crate::rows::columns::{Column, Facts, Gapped, List, Members, Store};
use crate::rows::json::number::Number;

impl Column {
    /// A column with the values of an array. Types JSON has no value for become their text, and what is JSON text at
    /// this place is read.
    pub(in crate::rows) fn of_array(array: &ArrayRef, place: &PointerTo<'_>) -> Self {
        let mut column = Self::new();
        if array.logical_null_count() == array.len() {
            // Nulls teach nothing, whatever type they have.
            column.push_nulls(array.len());
            return column;
        }
        match array.data_type() {
            DataType::Boolean => {
                array.as_boolean().iter().for_each(|value| {
                    column.push_or_null(value, |column, value| column.push_boolean(value, NO_ATTEMPT));
                });
            }
            DataType::UInt64 => {
                let push = |column: &mut Self, value| {
                    column.push_number(i64::try_from(value).map_or(Number::UInt(value), Number::Int), NO_ATTEMPT);
                };
                array.as_primitive::<UInt64Type>().iter().for_each(|value| column.push_or_null(value, push));
            }
            integer if integer.is_integer() => {
                let integers = in_type(array, &DataType::Int64);
                let push = |column: &mut Self, value| column.push_number(Number::Int(value), NO_ATTEMPT);
                integers.as_primitive::<Int64Type>().iter().for_each(|value| column.push_or_null(value, push));
            }
            float if float.is_floating() => {
                let floats = in_type(array, &DataType::Float64);
                let push = |column: &mut Self, value| column.push_number(Number::Float(value), NO_ATTEMPT);
                let finite =
                    floats.as_primitive::<Float64Type>().iter().map(|value| value.filter(|value| value.is_finite()));
                finite.for_each(|value| column.push_or_null(value, push));
            }
            // Its text would have a time of day.
            DataType::Date64 => return Self::of_array(&in_type(array, &DataType::Date32), place),
            DataType::List(_) => return Self::of_lists(array, place),
            DataType::Struct(_) => return Self::of_structs(array, place),
            DataType::Dictionary(_, values) => return Self::of_array(&in_type(array, values), place),
            DataType::RunEndEncoded(_, values) => return Self::of_array(&in_type(array, values.data_type()), place),
            DataType::LargeList(item)
            | DataType::FixedSizeList(item, _)
            | DataType::ListView(item)
            | DataType::LargeListView(item) => {
                return Self::of_array(&in_type(array, &DataType::List(item.clone())), place);
            }
            _ => {
                let texts = in_type(array, &DataType::LargeUtf8);
                let push = |column: &mut Self, text: &str| column.push_string(text.into(), NO_ATTEMPT);
                match texts.as_string_opt::<i64>() {
                    Some(texts) if array.data_type().is_string() && place.is_json() => {
                        return place.parse_back(texts.iter());
                    }
                    Some(texts) => texts.iter().for_each(|text| column.push_or_null(text, push)),
                    None => column.push_nulls(array.len()),
                }
            }
        }
        column
    }

    fn of_lists(array: &ArrayRef, place: &PointerTo<'_>) -> Self {
        let list = array.as_list::<i32>();
        let start = list.offsets().first().copied().unwrap_or(0);
        let end = list.offsets().last().copied().unwrap_or(0);
        let ends = list.offsets().iter().skip(1).map(|offset| offset - start);
        let elements = list.values().slice(start as usize, (end - start) as usize);
        let list = List::of_parts(with_nulls_of(array, ends), Self::of_array(&elements, &place.element()));
        Self::of_store(Facts::ARRAY, Store::List(Box::new(list)))
    }

    fn of_structs(array: &ArrayRef, place: &PointerTo<'_>) -> Self {
        let structs = array.as_struct();
        let members = structs.fields().iter().zip(structs.columns());
        let members = members.map(|(field, member)| {
            let name = field.name().as_str();
            (name.into(), Self::of_array(member, &place.member(name)))
        });
        let objects = with_nulls_of(array, std::iter::repeat(()));
        Self::of_store(Facts::OBJECT, Store::Struct(Box::new(Members::of_parts(members, objects))))
    }

    fn push_or_null<T>(&mut self, value: Option<T>, push: impl FnOnce(&mut Self, T)) {
        match value {
            Some(value) => push(self, value),
            None => self.push_nulls(1),
        }
    }
}

/// The array in a type that every value of it has; as text where Arrow knows no way, for text can be had of anything.
fn in_type(array: &ArrayRef, data_type: &DataType) -> ArrayRef {
    let array = &without_zone(array);
    cast(array, data_type).unwrap_or_else(|_| {
        let text = |row| array_value_to_string(array, row).expect("Arrow can show any value of a type it was made of");
        let texts = (0..array.len()).map(|row| array.is_valid(row).then(|| text(row)));
        Arc::new(texts.collect::<LargeStringArray>())
    })
}

/// The moments of an array as UTC by its offset: zones by name are in a table that is not built in.
fn without_zone(array: &ArrayRef) -> ArrayRef {
    let DataType::Timestamp(unit, Some(_)) = array.data_type() else { return Arc::clone(array) };
    let utc = DataType::Timestamp(*unit, Some("+00:00".into()));
    make_array(array.to_data().into_builder().data_type(utc).build().expect("the values of a timestamp know no zone"))
}

/// Values that stand in the places of an array, some of which are null.
fn with_nulls_of<T: Copy + Default>(array: &ArrayRef, values: impl Iterator<Item = T>) -> Gapped<T> {
    let mut all = Gapped::new();
    for (row, value) in (0..array.len()).zip(values) {
        if array.is_valid(row) { all.push(value) } else { all.push_null_over(value) }
    }
    all
}
