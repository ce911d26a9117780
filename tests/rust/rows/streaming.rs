use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, TimeUnit};
use rowhaul::rows::{Declared, DecodeOptions, Form, ParseDates, Rows, Survey, concat, decode_csv, write};

use super::{decode, decode_with, lines, texts, types};

#[test]
fn two_passes_give_the_batches_that_one_gives() {
    let rows: Vec<String> = (0..500)
        .map(|at| match at % 3 {
            0 => format!("{{\"a\": {at}, \"d\": \"2024-01-01T00:00:{:02}Z\"}}", at % 60),
            1 => format!("{{\"a\": {at}.5, \"late\": [\"{at}\"]}}"),
            _ => format!("{{\"a\": null, \"late\": [], \"x{}\": true}}", at / 100),
        })
        .collect();
    let body = format!("[{}]", rows.join(",\n"));
    let options =
        DecodeOptions { form: Form::Any, batch_rows: 64, parse_dates: ParseDates::All, ..DecodeOptions::default() };
    let whole = decode_with(body.as_bytes(), options.clone()).unwrap();
    let mut survey = Survey::new(options);
    body.as_bytes().chunks(1000).for_each(|chunk| survey.feed(chunk).unwrap());
    let surveyed = survey.finish().unwrap();
    assert_eq!(surveyed.row_count, 500);
    assert_eq!(&surveyed.schema, whole.schema());
    let (schema, notes) = (Arc::clone(&surveyed.schema), surveyed.notes.clone());
    let batches: Vec<_> = surveyed.batches(body.as_bytes()).map(Result::unwrap).collect();
    assert!(batches.iter().all(|batch| batch.num_rows() <= 64));
    assert_eq!(lines(&Rows::new(schema, batches, notes)), lines(&whole));
}

#[test]
fn dates_convert_only_where_every_value_is_one() {
    let body = br#"[{"day": "2024-02-29", "at": "2024-01-01T00:00:00+02:00", "mixed": "2024-01-01", "n": 1}, {"mixed": "soon"}]"#;
    let options = |parse_dates| DecodeOptions { form: Form::Any, parse_dates, ..DecodeOptions::default() };
    assert_eq!(types(&decode(body).unwrap())[0], "day: Utf8View");
    let all = decode_with(body, options(ParseDates::All)).unwrap();
    assert_eq!(all.schema().field(0).data_type(), &DataType::Date32);
    assert_eq!(all.schema().field(1).data_type(), &DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())));
    assert_eq!(all.schema().field(2).data_type(), &DataType::Utf8View);
    let named = ["mixed", "n", "nothing"].map(str::to_owned).to_vec();
    let some = decode_with(body, options(ParseDates::Columns(named))).unwrap();
    assert_eq!(types(&some), ["day: Utf8View", "at: Utf8View", "mixed: Utf8View", "n: Int64"]);
    assert_eq!(some.notes().len(), 3, "{:?}", some.notes());
}

#[test]
fn a_schema_is_followed_where_every_value_survives_and_noted_where_not() {
    let schema = Schema::new(vec![
        Field::new("small", DataType::Int32, true),
        Field::new("id", DataType::Utf8, true),
        Field::new("none", DataType::Timestamp(TimeUnit::Second, None), true),
        Field::new("broken", DataType::Int8, true),
        Field::new("fraction", DataType::Int64, true),
    ]);
    let body = br#"[{"small": 7, "id": "007", "broken": 300, "fraction": 1.5, "extra": 1}]"#;
    let options =
        DecodeOptions { form: Form::Any, declared: Declared::Schema(Arc::new(schema)), ..DecodeOptions::default() };
    let rows = decode_with(body, options).unwrap();
    assert_eq!(
        types(&rows),
        ["small: Int32", "id: Utf8", "none: Timestamp(s)", "broken: Int64", "fraction: Float64", "extra: Int64"]
    );
    assert_eq!(lines(&rows), [r#"{"small":7,"id":"007","none":null,"broken":300,"fraction":1.5,"extra":1}"#]);
    let noted: Vec<_> = rows.notes().iter().filter_map(|note| note.column.as_deref()).collect();
    assert!(noted.contains(&"broken") && noted.contains(&"fraction"), "{:?}", rows.notes());
}

#[test]
fn tables_of_different_columns_concatenate_by_the_same_widening() {
    let first = decode(br#"[{"a": 1, "b": {"x": 1}, "same": "s"}]"#).unwrap();
    let second = decode(br#"[{"a": 2.5, "b": {"y": [1]}, "c": true}]"#).unwrap();
    let third = decode(br#"[{"a": "text"}]"#).unwrap();
    let both = concat(&[first.clone(), second.clone()]);
    assert_eq!(
        types(&both),
        ["a: Float64", "b: Struct(\"x\": Int64, \"y\": List(Int64))", "same: Utf8View", "c: Boolean"]
    );
    assert_eq!(lines(&both)[0], r#"{"a":1.0,"b":{"x":1,"y":null},"same":"s","c":null}"#);
    let all = concat(&[first, second, third]);
    assert_eq!(texts(&all, "a"), ["1", "2.5", "text"].map(|text| Some(text.to_owned())));
}

#[test]
fn csv_stays_text_and_what_is_written_reads_back() {
    let rows = decode_csv(b"id,name\r\n007,\"a, \"\"b\"\"\"\r\n,x\r\n").unwrap();
    assert_eq!(texts(&rows, "id"), [Some("007".to_owned()), None]);
    assert!(decode_csv(b"a,b\n1\n").is_err());
    assert!(decode_csv(b"a,a\n1,2\n").is_err());
    assert!(decode_csv(b"a\n\"open\n").is_err());
    let rows = decode(br#"[{"f": "=1+1", "n": -5, "o": {"b": 1, "a": "x,y"}, "t": "line\nbreak"}]"#).unwrap();
    let mut out = Vec::new();
    write::write_csv(&rows, &mut out, write::CsvOptions { escape_formulas: true }).unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "f,n,o,t\r\n'=1+1,-5,\"{\"\"a\"\":\"\"x,y\"\",\"\"b\"\":1}\",\"line\nbreak\"\r\n"
    );
}

#[test]
fn lines_written_read_back_to_the_same_table() {
    let rows =
        decode(br#"[{"a": 1.0, "n": null, "o": {"z": 2, "y": [null, "x"]}, "big": 18446744073709551615}]"#).unwrap();
    let mut out = Vec::new();
    write::write_ndjson(&rows, &mut out).unwrap();
    let again = decode(&out).unwrap();
    assert_eq!((types(&again), lines(&again)), (types(&rows), lines(&rows)));
}

#[test]
fn files_of_columns_are_written_for_every_type() {
    let rows = decode(br#"[{"n": null, "e": [], "o": {"z": null, "y": [{"x": 1}]}, "u": 18446744073709551615, "t": "a long text beyond twelve bytes"}]"#).unwrap();
    let mut parquet = Vec::new();
    write::write_parquet(&rows, &mut parquet, write::Compression::Zstd).unwrap();
    assert!(parquet.starts_with(b"PAR1"));
    let mut ipc = Vec::new();
    write::write_ipc(&rows, &mut ipc).unwrap();
    assert!(ipc.starts_with(b"ARROW1"));
}
