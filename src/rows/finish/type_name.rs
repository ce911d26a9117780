//! Arrow types by the names that people know them by. How text and bytes are laid out is no part of their name.

use arrow_schema::{DataType, Field, TimeUnit};

pub fn type_name(kind: &DataType) -> String {
    match kind {
        DataType::Null => "null".to_owned(),
        DataType::Boolean => "bool".to_owned(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "string".to_owned(),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => "binary".to_owned(),
        DataType::Date32 => "date32".to_owned(),
        DataType::Date64 => "date64".to_owned(),
        DataType::Timestamp(unit, None) => format!("timestamp[{}]", unit_name(*unit)),
        DataType::Timestamp(unit, Some(zone)) => format!("timestamp[{}, {zone}]", unit_name(*unit)),
        DataType::Time32(unit) => format!("time32[{}]", unit_name(*unit)),
        DataType::Time64(unit) => format!("time64[{}]", unit_name(*unit)),
        DataType::Duration(unit) => format!("duration[{}]", unit_name(*unit)),
        DataType::Dictionary(keys, values) => format!("dictionary<{}, {}>", type_name(keys), type_name(values)),
        DataType::List(item) | DataType::LargeList(item) => format!("list<{}>", of_field(item)),
        DataType::ListView(item) | DataType::LargeListView(item) => format!("list_view<{}>", of_field(item)),
        DataType::FixedSizeList(item, size) => format!("fixed_size_list<{}, {size}>", of_field(item)),
        DataType::RunEndEncoded(_, values) => format!("run_end_encoded<{}>", of_field(values)),
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(pair) if pair.len() == 2 => {
                format!("map<{}, {}>", type_name(pair[0].data_type()), of_field(&pair[1]))
            }
            other => format!("map<{}>", type_name(other)),
        },
        DataType::Struct(fields) => {
            let members = fields.iter().map(|field| format!("{}: {}", field.name(), of_field(field)));
            format!("struct<{}>", members.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string().to_lowercase(),
    }
}

fn of_field(field: &Field) -> String {
    let name = type_name(field.data_type());
    if field.is_nullable() { name } else { format!("{name} not null") }
}

fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    }
}
