//! The types that stand within another.

use arrow_schema::DataType;

/// Those directly within it: of members, of elements, of the values of a dictionary or of runs.
pub fn directly_within(data_type: &DataType) -> Vec<&DataType> {
    match data_type {
        DataType::Struct(fields) => fields.iter().map(|field| field.data_type()).collect(),
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _)
        | DataType::RunEndEncoded(_, field) => vec![field.data_type()],
        DataType::Dictionary(_, values) => vec![values],
        _ => Vec::new(),
    }
}

/// Whether a type is one that is sought, or one within it is.
pub(in crate::rows) fn contains_type(data_type: &DataType, is_sought: fn(&DataType) -> bool) -> bool {
    is_sought(data_type) || contains_within(data_type, is_sought)
}

/// Whether one that is sought is within a type.
pub(super) fn contains_within(data_type: &DataType, is_sought: fn(&DataType) -> bool) -> bool {
    directly_within(data_type).into_iter().any(|within| contains_type(within, is_sought))
}
