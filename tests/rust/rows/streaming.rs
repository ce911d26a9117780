use std::io::Cursor;
use std::sync::Arc;

use arrow_array::RecordBatchReader;
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use proptest::prelude::*;
use rowhaul::rows::{Declared, DecodeOptions, Form, ParseDates, Rows, Survey, concat, write};
use serde_json::{Value, json};

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
    let batches = surveyed.batches(Cursor::new(body.as_bytes())).unwrap();
    assert_eq!(&batches.schema(), whole.schema());
    let (schema, notes) = (batches.schema(), batches.notes().to_vec());
    let batches: Vec<_> = batches.map(Result::unwrap).collect();
    assert!(batches.iter().all(|batch| batch.num_rows() <= 64));
    assert_eq!(lines(&Rows::new(schema, batches, notes)), lines(&whole));
}

/// Values among which kinds and convertible texts drift.
fn drifting() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => Just(Value::Null),
        2 => (0i64..3).prop_map(Value::from),
        1 => Just(json!(5.0)),
        1 => Just(json!(1.5)),
        2 => Just(json!("2024-01-01")),
        1 => Just(json!("2024-01-01T00:00:00Z")),
        1 => Just(json!("text")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_stream_has_the_types_of_the_whole(values in proptest::collection::vec(drifting(), 0..12), batch_rows in 1usize..4, wish in 0usize..4, may_be_null in any::<bool>()) {
        let rows: Vec<Value> = values.iter().map(|value| json!({"c": value})).collect();
        let body = serde_json::to_vec(&json!({"status": "completed", "data": rows, "row_count": rows.len()})).unwrap();
        let field = |data_type| Field::new("c", data_type, may_be_null);
        let schema = |data_type| Declared::Schema(Arc::new(Schema::new(vec![field(data_type)])));
        let (declared, parse_dates) = match wish {
            0 => (schema(DataType::Int32), ParseDates::None),
            1 => (schema(DataType::Date32), ParseDates::None),
            2 => (Declared::Nothing, ParseDates::Columns(vec!["c".to_owned()])),
            _ => (Declared::Nothing, ParseDates::All),
        };
        let options = DecodeOptions { declared, parse_dates, batch_rows, ..DecodeOptions::default() };
        let whole = decode_with(&body, options.clone()).unwrap();
        let mut survey = Survey::new(options);
        for piece in body.chunks(5) {
            survey.feed(piece).unwrap();
        }
        let batches = survey.finish().unwrap().batches(Cursor::new(&body)).unwrap();
        prop_assert_eq!(&batches.schema(), whole.schema());
        prop_assert_eq!(batches.notes(), whole.notes());
        let (schema, notes) = (batches.schema(), batches.notes().to_vec());
        let streamed = Rows::new(schema, batches.map(Result::unwrap).collect(), notes);
        prop_assert_eq!(lines(&streamed), lines(&whole));
    }
}

#[test]
fn a_moment_is_never_cut_to_fit_the_type_asked_for() {
    let kept = [
        ("2024-01-01T00:00:00.987654", DataType::Timestamp(TimeUnit::Second, None)),
        ("2024-01-01T23:59:59", DataType::Date32),
        ("2024-01-01T10:00:00+02:00", DataType::Timestamp(TimeUnit::Microsecond, None)),
        ("10:00:00.5", DataType::Time32(TimeUnit::Second)),
        ("2024-01-01T00:00:00.1234567", DataType::Timestamp(TimeUnit::Microsecond, None)),
        ("2024-01-01T00:00:00.1234567891", DataType::Timestamp(TimeUnit::Nanosecond, None)),
        ("1066-10-14T00:00:00", DataType::Timestamp(TimeUnit::Nanosecond, None)),
    ];
    let converted = [
        ("2024-01-01T00:00:05", DataType::Timestamp(TimeUnit::Second, None)),
        ("2024-01-01", DataType::Date32),
        ("2024-01-01", DataType::Date64),
        ("10:00:00.5", DataType::Time32(TimeUnit::Millisecond)),
        ("23:59:59", DataType::Time64(TimeUnit::Nanosecond)),
        ("2024-01-01T10:00:00.5+02:00", DataType::Timestamp(TimeUnit::Nanosecond, Some("Europe/Berlin".into()))),
        ("1969-12-31T23:59:59.999999999", DataType::Timestamp(TimeUnit::Nanosecond, None)),
        ("10:00:00.123456789", DataType::Time64(TimeUnit::Nanosecond)),
    ];
    let read = |text: &str, data_type: &DataType| {
        let declared = Declared::Schema(Arc::new(Schema::new(vec![Field::new("c", data_type.clone(), true)])));
        let options = DecodeOptions { form: Form::Any, declared, ..DecodeOptions::default() };
        decode_with(format!("[{{\"c\": \"{text}\"}}]").as_bytes(), options).unwrap()
    };
    for (text, data_type) in kept {
        let rows = read(text, &data_type);
        assert_eq!((rows.schema().field(0).data_type(), rows.notes().len()), (&DataType::Utf8, 1), "{text}");
    }
    for (text, data_type) in converted {
        let rows = read(text, &data_type);
        assert_eq!((rows.schema().field(0).data_type(), rows.notes().len()), (&data_type, 0), "{:?}", rows.notes());
    }
}

#[test]
fn dates_convert_only_where_every_value_is_one() {
    let body = br#"[{"day": "2024-02-29", "at": "2024-01-01T00:00:00+02:00", "mixed": "2024-01-01", "n": 1}, {"mixed": "soon"}]"#;
    let options = |parse_dates| DecodeOptions { form: Form::Any, parse_dates, ..DecodeOptions::default() };
    assert_eq!(types(&decode(body).unwrap())[0], "day: Utf8");
    let all = decode_with(body, options(ParseDates::All)).unwrap();
    assert_eq!(all.schema().field(0).data_type(), &DataType::Date32);
    assert_eq!(all.schema().field(1).data_type(), &DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())));
    assert_eq!(all.schema().field(2).data_type(), &DataType::Utf8);
    let named = ["mixed", "n", "nothing"].map(str::to_owned).to_vec();
    let some = decode_with(body, options(ParseDates::Columns(named))).unwrap();
    assert_eq!(types(&some), ["day: Utf8", "at: Utf8", "mixed: Utf8", "n: Int64"]);
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
        Field::new("big", DataType::UInt64, true),
        Field::new("money", DataType::Decimal128(10, 2), true),
    ]);
    let body = br#"[{"small": 7, "id": "007", "broken": 300, "fraction": 1.5, "extra": 1, "big": 7, "money": "1.25"}]"#;
    let options =
        DecodeOptions { form: Form::Any, declared: Declared::Schema(Arc::new(schema)), ..DecodeOptions::default() };
    let rows = decode_with(body, options).unwrap();
    assert_eq!(
        types(&rows),
        [
            "small: Int32",
            "id: Utf8",
            "none: Timestamp(s)",
            "broken: Int64",
            "fraction: Float64",
            "big: UInt64",
            "money: Decimal128(10, 2)",
            "extra: Int64"
        ]
    );
    assert_eq!(
        lines(&rows),
        [r#"{"small":7,"id":"007","none":null,"broken":300,"fraction":1.5,"big":7,"money":"1.25","extra":1}"#]
    );
    let noted: Vec<_> = rows.notes().iter().filter_map(|note| note.column.as_deref()).collect();
    assert!(noted.iter().all(|column| ["broken", "fraction"].contains(column)), "{:?}", rows.notes());
    let mut csv = Vec::new();
    write::write_csv(&rows, &mut csv, write::CsvOptions::default()).unwrap();
    assert!(String::from_utf8(csv).unwrap().ends_with("7,007,,300,1.5,7,1.25,1\r\n"));
}

#[test]
fn a_moment_of_any_zone_has_a_text() {
    let body = br#"[{"t": "2024-01-01T10:00:00.5+02:00", "o": [{"t": "2024-01-01T08:00:00Z"}]}, {"t": null}]"#;
    let moment = |zone: &str| DataType::Timestamp(TimeUnit::Microsecond, Some(zone.into()));
    for zone in ["UTC", "Europe/Berlin", "+05:00"] {
        let item = DataType::Struct(vec![Field::new("t", moment(zone), true)].into());
        let list = DataType::List(Arc::new(Field::new_list_field(item, true)));
        let schema = Schema::new(vec![Field::new("t", moment(zone), true), Field::new("o", list, true)]);
        let declared = Declared::Schema(Arc::new(schema));
        let rows = decode_with(body, DecodeOptions { form: Form::Any, declared, ..DecodeOptions::default() }).unwrap();
        assert_eq!(rows.schema().field(0).data_type(), &moment(zone), "{:?}", rows.notes());
        let mut csv = Vec::new();
        write::write_csv(&rows, &mut csv, write::CsvOptions::default()).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        assert_eq!(csv.lines().nth(1).unwrap(), r#"2024-01-01T08:00:00.500Z,"[{""t"":""2024-01-01T08:00:00Z""}]""#);
        assert_eq!(lines(&rows)[0], r#"{"t":"2024-01-01T08:00:00.500Z","o":[{"t":"2024-01-01T08:00:00Z"}]}"#);
        let joined = concat(&[rows, decode(br#"[{"t": "x"}]"#).unwrap()]);
        assert_eq!(
            texts(&joined, "t"),
            [Some("2024-01-01T08:00:00.500Z"), None, Some("x")].map(|t| t.map(str::to_owned))
        );
    }
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
fn how_many_columns_are_too_many_does_not_depend_on_where_batches_end() {
    let structs = |first: usize| {
        let members = (0..200).map(|at| format!("\"m{at}\":1")).collect::<Vec<_>>().join(",");
        let columns = (first..first + 200).map(|at| format!("\"c{at}\":{{{members}}}"));
        format!("{{{}}}", columns.collect::<Vec<_>>().join(","))
    };
    let texts = (0..200).map(|at| format!("\"c{at}\":\"text\"")).collect::<Vec<_>>().join(",");
    let rows = |last: &[String]| format!("[{},{{{texts}}},{}]", structs(0), last.join(","));
    let (fits, too_many) = (rows(&[structs(200)]), rows(&[structs(200), structs(400)]));
    for batch_rows in [1, 2, 65_536] {
        let options = DecodeOptions { form: Form::Any, batch_rows, ..DecodeOptions::default() };
        assert_eq!(decode_with(fits.as_bytes(), options.clone()).unwrap().len(), 3);
        let error = decode_with(too_many.as_bytes(), options.clone()).unwrap_err();
        assert_eq!((error.message.as_str(), error.row), ("more than 65536 columns, nested ones included", Some(3)));
        for threads in [1, 3] {
            let mut survey = Survey::new(DecodeOptions { threads, ..options.clone() });
            survey.feed(fits.as_bytes()).unwrap();
            let batches = survey.finish().unwrap().batches(Cursor::new(fits.as_bytes())).unwrap();
            assert_eq!(batches.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 3);
        }
    }
}
