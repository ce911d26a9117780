use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema};
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
        assert!(note.to_string().starts_with("zip: declared text, but holds text and numbers"), "{note}");
    }
    let number = Field::new("n", DataType::Int32, true);
    let text = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    for data_type in [DataType::Utf8, DataType::LargeUtf8, text] {
        let members = vec![number.clone(), Field::new("zip", data_type, true)];
        let schema = Schema::new(vec![Field::new("o", DataType::Struct(members.into()), true)]);
        let options = DecodeOptions { declared: Declared::Schema(Arc::new(schema)), ..DecodeOptions::default() };
        let rows = decode_with(br#"{"data": [{"o": {"n": 1, "zip": 2}}]}"#, options).unwrap();
        let [note, ..] = rows.notes() else { panic!("{:?}", types(&rows)) };
        assert!(note.to_string().starts_with("o.zip: declared text, but holds text and numbers"), "{note}");
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
