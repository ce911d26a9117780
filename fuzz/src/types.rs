//! The type of a column, from all of its values at once: the table of the decoding rules, read line by line.

use arrow_schema::{DataType, Field};

use crate::json::Json;

/// A row's cells are the second level of it.
const CELLS: usize = 2;
/// Arrays and objects below this level are JSON text.
const MAX_TYPE_LEVEL: usize = 24;
/// Objects with more keys than this are JSON text.
const MAX_KEYS: usize = 256;

/// The columns of a table in first-seen order.
pub fn columns(rows: &[Json]) -> Vec<(String, DataType)> {
    members(&rows.iter().collect::<Vec<_>>(), CELLS)
}

/// What is known of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    Integer(i128),
    /// An integer beyond even that.
    Endless,
    Float(f64),
}

/// Reads a number's text.
pub fn number(text: &str) -> Number {
    if text.contains(['.', 'e', 'E']) {
        Number::Float(text.parse().expect("JSON's numbers are Rust's"))
    } else {
        text.parse().map_or(Number::Endless, Number::Integer)
    }
}

fn members(objects: &[&Json], level: usize) -> Vec<(String, DataType)> {
    let mut columns: Vec<(&str, Vec<&Json>)> = Vec::new();
    for object in objects {
        let Json::Object(members) = object else { unreachable!("only objects have members") };
        for (name, value) in members {
            match columns.iter_mut().find(|(known, _)| known == name) {
                Some((_, values)) => values.push(value),
                None => columns.push((name, vec![value])),
            }
        }
    }
    columns.into_iter().map(|(name, values)| (name.to_owned(), of_values(&values, level))).collect()
}

fn of_values(values: &[&Json], level: usize) -> DataType {
    let values: Vec<&Json> = values.iter().copied().filter(|value| **value != Json::Null).collect();
    let all = |is: fn(&Json) -> bool| values.iter().all(|value| is(value));
    if values.is_empty() {
        DataType::Null
    } else if all(|value| matches!(value, Json::Boolean(_))) {
        DataType::Boolean
    } else if all(|value| matches!(value, Json::Number(_))) {
        of_numbers(&values)
    } else if level > MAX_TYPE_LEVEL {
        DataType::Utf8
    } else if all(|value| matches!(value, Json::Array(_))) {
        let elements: Vec<&Json> = values.iter().flat_map(|array| elements(array)).collect();
        DataType::List(Field::new_list_field(of_values(&elements, level + 1), true).into())
    } else if all(|value| matches!(value, Json::Object(_))) {
        of_objects(&values, level)
    } else {
        DataType::Utf8
    }
}

fn of_numbers(values: &[&Json]) -> DataType {
    let numbers: Vec<Number> = values
        .iter()
        .map(|value| if let Json::Number(text) = value { number(text) } else { Number::Endless })
        .collect();
    let all = |is: fn(i128) -> bool| numbers.iter().all(|n| matches!(n, Number::Integer(value) if is(*value)));
    let is_exact = |n: &Number| match n {
        Number::Integer(value) => value.unsigned_abs() <= 1 << 53,
        Number::Float(value) => value.is_finite(),
        Number::Endless => false,
    };
    if all(|value| i64::try_from(value).is_ok()) {
        DataType::Int64
    } else if all(|value| u64::try_from(value).is_ok()) {
        DataType::UInt64
    } else if numbers.iter().any(|n| matches!(n, Number::Float(_))) && numbers.iter().all(is_exact) {
        DataType::Float64
    } else {
        DataType::Utf8
    }
}

fn of_objects(values: &[&Json], level: usize) -> DataType {
    let members = members(values, level + 1);
    if members.is_empty() || members.len() > MAX_KEYS {
        return DataType::Utf8;
    }
    DataType::Struct(members.into_iter().map(|(name, data_type)| Field::new(name, data_type, true)).collect())
}

fn elements(array: &Json) -> &[Json] {
    if let Json::Array(elements) = array { elements } else { &[] }
}
