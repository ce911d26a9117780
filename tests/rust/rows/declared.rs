use std::sync::Arc;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use arrow_cast::display::array_value_to_string;
use arrow_schema::{DataType, Field, Schema};
use proptest::prelude::*;
use rowhaul::catalogue;
use rowhaul::rows::{Declared, DecodeOptions};

use super::{decode_with, texts, types};

#[test]
fn integers_of_any_width_contradict_no_declared_integers() {
    let schema = Schema::new(vec![Field::new("n", DataType::UInt64, true)]);
    let options = DecodeOptions { declared: Declared::Schema(Arc::new(schema)), ..DecodeOptions::default() };
    let rows = decode_with(br#"{"data": [{"n": 18446744073709551615}, {"n": 1}]}"#, options).unwrap();
    assert_eq!((types(&rows), rows.notes()), (vec!["n: UInt64".to_owned()], &[][..]));
}

#[test]
fn what_contradicts_text_is_noted_in_whichever_layout_the_text_was_declared() {
    for data_type in [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View] {
        let schema = Schema::new(vec![Field::new("zip", data_type, true)]);
        let options = DecodeOptions { declared: Declared::Schema(Arc::new(schema)), ..DecodeOptions::default() };
        let rows = decode_with(br#"{"data": [{"zip": "01"}, {"zip": 2}]}"#, options).unwrap();
        let [note] = rows.notes() else { panic!("{:?}", rows.notes()) };
        assert!(note.to_string().starts_with("zip: declared text, but holds numbers"), "{note}");
    }
    let number = Field::new("n", DataType::Int32, true);
    let text = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    for data_type in [DataType::Utf8, DataType::LargeUtf8, text] {
        let members = vec![number.clone(), Field::new("zip", data_type, true)];
        let schema = Schema::new(vec![Field::new("o", DataType::Struct(members.into()), true)]);
        let options = DecodeOptions { declared: Declared::Schema(Arc::new(schema)), ..DecodeOptions::default() };
        let rows = decode_with(br#"{"data": [{"o": {"n": 1, "zip": 2}}]}"#, options).unwrap();
        let [note, ..] = rows.notes() else { panic!("{:?}", types(&rows)) };
        assert!(note.to_string().starts_with("o.zip: declared text, but holds numbers"), "{note}");
    }
}

#[test]
fn a_note_names_what_came_and_not_what_was_declared() {
    let cases: [(DataType, &[u8], &str); 4] = [
        (DataType::Utf8, b"[5, 6]", "declared text, but holds numbers: kept as text"),
        (DataType::Boolean, b"[1]", "declared booleans, but holds numbers: kept as text"),
        (DataType::Int64, br#"["007"]"#, "declared integers, but holds text: kept as text"),
        (DataType::Float64, br#"["a", true, 1.5]"#, "declared numbers, but holds text and booleans: kept as text"),
    ];
    for (data_type, cells, told) in cases {
        let schema = Schema::new(vec![Field::new("a", data_type, true)]);
        let options = DecodeOptions { declared: Declared::Schema(Arc::new(schema)), ..DecodeOptions::default() };
        let cells: Vec<serde_json::Value> = serde_json::from_slice(cells).unwrap();
        let rows: Vec<_> = cells.iter().map(|cell| serde_json::json!({ "a": cell })).collect();
        let rows = decode_with(serde_json::json!({ "data": rows }).to_string().as_bytes(), options).unwrap();
        let [note, ..] = rows.notes() else { panic!("{:?}", types(&rows)) };
        assert!(note.message.starts_with(told), "{note}");
    }
}

#[test]
fn a_declared_decimal_is_the_number_that_was_sent_or_the_column_stays_as_it_is() {
    let cases = [
        ("1.1", 38, 20, Some("1.10000000000000000000")),
        ("-0.05", 10, 2, Some("-0.05")),
        ("-0.0", 10, 2, Some("0.00")),
        ("1e22", 38, 2, Some("10000000000000000000000.00")),
        ("9999999999999.99", 18, 2, Some("9999999999999.99")),
        ("123456789012.125", 30, 10, Some("123456789012.1250000000")),
        ("1234567890123450000.0", 30, 1, Some("1234567890123450000.0")),
        ("1e-7", 38, 7, Some("0.0000001")),
        ("1200.0", 10, -2, Some("1200")),
        // More digits than a float tells, or than the type has room for.
        ("99999999999999.99", 18, 2, None),
        ("12345678901234567.89", 30, 2, None),
        ("9007199254740993.0", 38, 0, None),
        ("0.125", 10, 2, None),
        ("1e30", 20, 0, None),
        ("1e308", 38, 0, None),
        ("1250.0", 10, -2, None),
    ];
    for (number, precision, scale, expected) in cases {
        let schema = Schema::new(vec![Field::new("a", DataType::Decimal128(precision, scale), true)]);
        let options = DecodeOptions { declared: Declared::Schema(Arc::new(schema)), ..DecodeOptions::default() };
        let body = format!(r#"{{"data": [{{"a": {number}}}, {{"a": null}}]}}"#);
        let rows = decode_with(body.as_bytes(), options).unwrap();
        let column = rows.batches()[0].column(0);
        assert_eq!(column.data_type() == &DataType::Float64, expected.is_none(), "{number}");
        assert_eq!(rows.notes().is_empty(), expected.is_some(), "{number}: {:?}", rows.notes());
        if let Some(expected) = expected {
            assert_eq!(array_value_to_string(column, 0).unwrap(), expected);
        }
        assert!(column.is_null(1));
    }
}

#[test]
fn decimals_within_others_have_the_digits_that_were_sent_or_stay_as_they_are() {
    let decimal = Arc::new(Field::new_list_field(DataType::Decimal128(38, 20), true));
    let member = DataType::Struct(vec![Field::new("x", DataType::Decimal128(38, 20), true)].into());
    let structs = Arc::new(Field::new_list_field(member.clone(), true));
    let cases = [
        ("[1.1, 2.5]", DataType::List(decimal.clone()), true),
        ("[1.1, 2.5]", DataType::LargeList(decimal.clone()), true),
        (r#"{"x": 1.1}"#, member, true),
        ("1.1", DataType::Decimal256(60, 20), true),
        ("[1.1, 2.5]", DataType::FixedSizeList(decimal.clone(), 2), true),
        ("[1.1, 2.5]", DataType::ListView(decimal), true),
        (r#"[{"x": 1.1}]"#, DataType::FixedSizeList(structs, 1), true),
        ("1.1", DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Decimal128(38, 20))), true),
    ];
    for (cell, target, is_possible) in cases {
        let schema = Schema::new(vec![Field::new("a", target.clone(), true)]);
        let options = DecodeOptions { declared: Declared::Schema(Arc::new(schema)), ..DecodeOptions::default() };
        let rows = decode_with(format!(r#"{{"data": [{{"a": {cell}}}]}}"#).as_bytes(), options).unwrap();
        let column = rows.batches()[0].column(0);
        assert_eq!(column.data_type() == &target, is_possible, "{target}: {}", column.data_type());
        assert_eq!(rows.notes().is_empty(), is_possible, "{target}");
        let text = array_value_to_string(column, 0).unwrap();
        assert_eq!(text.contains("1.10000000000000000000"), is_possible, "{target}: {text}");
    }
}

proptest! {
    #[test]
    fn any_amount_of_fifteen_digits_is_exact_as_a_decimal(cents in -999_999_999_999_999i64..=999_999_999_999_999, scale in 1i8..12) {
        let unit = 10i64.pow(scale as u32);
        let sign = if cents < 0 { "-" } else { "" };
        let (whole, rest) = (cents.abs() / unit, cents.abs() % unit);
        let amount = format!("{sign}{whole}.{rest:0width$}", width = scale as usize);
        let schema = Schema::new(vec![Field::new("a", DataType::Decimal128(38, scale), true)]);
        let options = DecodeOptions { declared: Declared::Schema(Arc::new(schema)), ..DecodeOptions::default() };
        let rows = decode_with(format!(r#"{{"data": [{{"a": {amount}}}]}}"#).as_bytes(), options).unwrap();
        let column = rows.batches()[0].column(0).as_primitive::<Decimal128Type>();
        prop_assert_eq!(column.value(0), i128::from(cents), "{}", amount);
    }
}

#[test]
fn the_events_columns_are_all_there_whatever_the_result_holds() {
    let declared = || DecodeOptions {
        declared: Declared::Agent(catalogue::find("events", "events").unwrap()),
        ..DecodeOptions::default()
    };
    let empty = decode_with(br#"{"status": "completed", "row_count": 0, "data": []}"#, declared()).unwrap();
    assert_eq!(empty.schema().fields().len(), 29);
    assert_eq!(types(&empty)[..1], ["eventName: Utf8"]);
    assert_eq!(types(&empty)[11], "going: Float64");
    let body = br#"{"data": [{"extra": 1, "going": 5, "eventId": 7, "tickets": {"price": 3}}], "row_count": 1}"#;
    let rows = decode_with(body, declared()).unwrap();
    assert_eq!(rows.schema().fields().len(), 30);
    assert_eq!(types(&rows)[11], "going: Float64");
    assert_eq!(types(&rows)[24], "tickets: Struct(\"price\": Int64)");
    assert_eq!(types(&rows)[29], "extra: Int64");
    assert_eq!(texts(&rows, "eventId"), [Some("7".to_owned())]);
    assert!(
        rows.notes().iter().any(|note| note.to_string().starts_with("eventId: declared text")),
        "{:?}",
        rows.notes()
    );
}
