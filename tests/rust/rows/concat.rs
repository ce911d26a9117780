//! Tables put together: as if their rows had stood in one body.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, TimeUnit};
use proptest::prelude::*;
use rowhaul::rows::{Declared, DecodeOptions, Form, NOTE_KEY, ParseDates, Rows, concat};

use super::{decode, decode_with, lines, texts, types};

/// Values of which none is a string, or holds one.
fn value() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "null",
        "true",
        "1",
        "-1",
        "5.0",
        "2.5",
        "9007199254740993",
        "18446744073709551615",
        "123456789012345678901",
        "1e400",
        "[]",
        "[1]",
        "[2.5,9007199254740993]",
        "[{}]",
        "[{\"k\":true}]",
        "[[],[1e400]]",
        "{}",
        "{\"x\":1}",
        "{\"x\":2.5,\"y\":{}}",
        "{\"x\":9007199254740993}",
        "{\"y\":{\"a/b~\":[{}]}}",
        "{\"y\":{\"a/b~\":[{\"z\":1}]}}",
    ])
}

proptest! {
    #[test]
    fn parts_without_strings_become_what_the_whole_body_does(
        values in prop::collection::vec((value(), any::<bool>()), 1..9),
        is_grouped in any::<bool>(),
    ) {
        let rows: Vec<String> = values.iter().map(|(value, _)| format!("{{\"a\":{value}}}")).collect();
        let whole = decode(format!("[{}]", rows.join(",")).as_bytes()).unwrap();
        let mut parts: Vec<Vec<&str>> = vec![Vec::new()];
        for (row, (_, begins)) in rows.iter().zip(&values) {
            if *begins {
                parts.push(Vec::new());
            }
            parts.last_mut().unwrap().push(row);
        }
        let parts: Vec<Rows> =
            parts.iter().map(|rows| decode(format!("[{}]", rows.join(",")).as_bytes()).unwrap()).collect();
        let joined = if is_grouped {
            parts.into_iter().reduce(|all, part| concat(&[all, part])).unwrap()
        } else {
            concat(&parts)
        };
        prop_assert_eq!(types(&joined), types(&whole), "{:?}", values);
        prop_assert_eq!(lines(&joined), lines(&whole), "{:?}", values);
    }
}

#[test]
fn objects_that_have_no_member_in_one_table_are_the_struct_that_they_are_in_another() {
    let (empty, full) =
        (decode(br#"[{"m": {}, "l": [{}]}]"#).unwrap(), decode(br#"[{"m": {"k": 7}, "l": [{"k": 7}]}]"#).unwrap());
    let whole = decode(br#"[{"m": {}, "l": [{}]}, {"m": {"k": 7}, "l": [{"k": 7}]}]"#).unwrap();
    let joined = concat(&[empty.clone(), full]);
    assert_eq!((types(&joined), lines(&joined)), (types(&whole), lines(&whole)));
    assert_eq!((joined.notes(), joined.schema()), (whole.notes(), whole.schema()));
    // Beside strings it is text, and what is said of it then is said of all tables.
    let strings = decode(br#"[{"m": "{}"}]"#).unwrap();
    assert_eq!(types(&concat(&[empty.clone(), strings])), ["m: Utf8", "l: List(Utf8)"]);
    assert_eq!(concat(&[empty.clone(), empty.clone()]).schema(), empty.schema());
}

#[test]
fn a_run_that_found_nothing_concatenates_with_one_that_did() {
    let events = Declared::Agent(rowhaul::catalogue::find("events", "events").unwrap());
    let options = DecodeOptions { declared: events, ..DecodeOptions::default() };
    let empty = decode_with(br#"{"status": "completed", "row_count": 0, "data": []}"#, options.clone()).unwrap();
    let sparse = decode_with(br#"{"data": [{"hosts": [], "tickets": null}]}"#, options.clone()).unwrap();
    let full = br#"{"data": [{"hosts": [{"name": "x"}], "tickets": {"price": 1}, "going": 3}]}"#;
    let full = decode_with(full, options).unwrap();
    for tables in [[&empty, &sparse, &full], [&full, &empty, &sparse]] {
        let all = concat(&tables.map(Clone::clone));
        assert_eq!((all.schema().fields(), all.len()), (full.schema().fields(), 2));
        assert_eq!(all.notes(), []);
    }
}

#[test]
fn tables_of_different_columns_concatenate_by_the_same_widening() {
    let first = decode(br#"[{"a": 1, "b": {"x": 1}, "same": "s"}]"#).unwrap();
    let second = decode(br#"[{"a": 2.5, "b": {"y": [1]}, "c": true}]"#).unwrap();
    let third = decode(br#"[{"a": "text"}]"#).unwrap();
    let both = concat(&[first.clone(), second.clone()]);
    assert_eq!(types(&both), ["a: Float64", "b: Struct(\"x\": Int64, \"y\": List(Int64))", "same: Utf8", "c: Boolean"]);
    assert_eq!(lines(&both)[0], r#"{"a":1.0,"b":{"x":1,"y":null},"same":"s","c":null}"#);
    let all = concat(&[first, second, third]);
    assert_eq!(texts(&all, "a"), ["1", "2.5", "text"].map(|text| Some(text.to_owned())));
}

#[test]
fn nulls_teach_a_joined_column_nothing_whatever_type_they_have() {
    let lists = decode(br#"[{"a": [1], "s": {"x": 1}}, {"a": null, "s": null}]"#).unwrap();
    let numbers = decode(br#"[{"a": 5, "s": 2.5}]"#).unwrap();
    let joined = concat(&[lists.slice(1, 1), numbers]);
    assert_eq!(types(&joined), ["a: Int64", "s: Float64"]);
    assert!(joined.notes().is_empty(), "{:?}", joined.notes());
}

#[test]
fn objects_that_were_a_struct_stay_one_however_many_members_were_declared() {
    let wide = |kind: &DataType| {
        let members = (0..300).map(|at| Field::new(format!("m{at}"), DataType::Int64, true));
        let members: Vec<Field> = members.chain([Field::new("other", kind.clone(), true)]).collect();
        let schema = Schema::new(vec![Field::new("o", DataType::Struct(members.into()), true)]);
        let options = DecodeOptions { declared: Declared::Schema(Arc::new(schema)), ..DecodeOptions::default() };
        decode_with(br#"{"data": [{"o": {"m7": 7, "other": 1}}]}"#, options).unwrap()
    };
    let joined = concat(&[wide(&DataType::Int64), wide(&DataType::Float64)]);
    let DataType::Struct(members) = joined.schema().field(0).data_type() else { panic!("{:?}", types(&joined)) };
    assert_eq!((members.len(), members[300].data_type()), (301, &DataType::Float64));
    let few = |from: usize| {
        let members: Vec<String> = (from..from + 200).map(|at| format!("\"m{at}\": 1.5")).collect();
        decode(format!("[{{\"o\": {{{}}}}}]", members.join(",")).as_bytes()).unwrap()
    };
    let parts = [few(0), few(100), wide(&DataType::Int64)];
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let joined = concat(&order.map(|at| parts[at].clone()));
        assert!(joined.notes().is_empty() && joined.schema().field(0).data_type().is_nested(), "{order:?}");
    }
}

#[test]
fn a_part_without_values_has_no_say_in_the_type_of_a_joined_column() {
    let body = br#"[{"at": "2024-01-01T00:00:00Z", "day": "2024-01-01", "n": 1}]"#;
    let options = DecodeOptions { form: Form::Any, parse_dates: ParseDates::All, ..DecodeOptions::default() };
    let dated = decode_with(body, options).unwrap();
    let nothing = decode(br#"[{"day": null, "n": null, "at": null}, {}]"#).unwrap();
    for parts in [[dated.clone(), nothing.clone()], [nothing.clone(), dated.clone()]] {
        let joined = concat(&parts);
        for field in dated.schema().fields() {
            assert_eq!(joined.schema().field_with_name(field.name()).unwrap().data_type(), field.data_type());
        }
        assert_eq!((joined.len(), joined.notes()), (3, &[][..]));
    }
    let item = |kind: DataType| {
        let members = Field::new("item", DataType::Struct(vec![Field::new("x", kind, true)].into()), true);
        let schema = Schema::new(vec![Field::new("a", DataType::List(Arc::new(members)), true)]);
        let options = DecodeOptions { declared: Declared::Schema(Arc::new(schema)), ..DecodeOptions::default() };
        decode_with(br#"{"data": [{"a": []}]}"#, options).unwrap()
    };
    let joined = concat(&[item(DataType::Int64), item(DataType::Float64), decode(br#"[{"a": []}]"#).unwrap()]);
    assert_eq!(types(&joined), ["a: List(Struct(\"x\": Float64))"]);
}

#[test]
fn columns_that_widen_share_one_array_where_none_of_them_has_a_value() {
    let nothing = decode(br#"[{"z": 1}, {"z": 2}]"#).unwrap();
    let joined =
        concat(&[decode(br#"[{"a": 1, "b": 1}]"#).unwrap(), decode(br#"[{"a": "x", "b": "y"}]"#).unwrap(), nothing]);
    let last = joined.batches().last().unwrap();
    assert!(Arc::ptr_eq(last.column(0), last.column(1)));
}

#[test]
fn notes_of_joined_columns_come_in_the_order_of_the_columns() {
    let numbers = decode(br#"[{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1}]"#).unwrap();
    let texts = decode(br#"[{"e": "x", "a": "x", "b": "x", "c": "x", "d": "x"}]"#).unwrap();
    let notes = concat(&[numbers, texts]).notes().to_vec();
    let columns: Vec<&str> = notes.iter().filter_map(|note| note.column.as_deref()).collect();
    assert_eq!(columns, ["a", "b", "c", "d", "e"]);
}

#[test]
fn dates_that_become_text_in_a_joined_column_are_noted() {
    let options = DecodeOptions { form: Form::Any, parse_dates: ParseDates::All, ..DecodeOptions::default() };
    let part = |body: &str| decode_with(body.as_bytes(), options.clone()).unwrap();
    let joined = concat(&[part(r#"[{"t": "2024-01-01"}]"#), part(r#"[{"t": "2024-01-01T00:00:00Z"}]"#)]);
    assert_eq!(texts(&joined, "t"), ["2024-01-01", "2024-01-01T00:00:00Z"].map(|text| Some(text.to_owned())));
    let notes: Vec<String> = joined.notes().iter().map(ToString::to_string).collect();
    assert_eq!(notes, ["t: dates or times mixed with another type: kept as text, times with an offset in UTC"]);
}

#[test]
fn columns_of_types_that_do_not_widen_become_text_and_a_note_says_so() {
    let part = |data_type: DataType, body: &str| {
        let schema = Schema::new(vec![Field::new("a", data_type, true)]);
        let declared = Declared::Schema(Arc::new(schema));
        decode_with(body.as_bytes(), DecodeOptions { form: Form::Any, declared, ..DecodeOptions::default() }).unwrap()
    };
    let price = |precision, scale| part(DataType::Decimal128(precision, scale), r#"[{"a": 1.5}]"#);
    let told = |rows: &Rows| rows.notes().iter().map(ToString::to_string).collect::<Vec<_>>();
    let more_precise = concat(&[price(10, 2), price(12, 2)]);
    assert_eq!((types(&more_precise), told(&more_precise)), (vec!["a: Decimal128(12, 2)".to_owned()], vec![]));
    let scales = concat(&[price(10, 2), price(10, 3)]);
    assert_eq!((types(&scales), told(&scales)), (vec!["a: Decimal128(11, 3)".to_owned()], vec![]));
    let with_text = concat(&[price(10, 2), decode(br#"[{"a": "free"}]"#).unwrap()]);
    assert_eq!(told(&with_text), ["a: decimal128(10, 2) and string: kept as text"]);
    let free = || decode(br#"[{"a": "free"}]"#).unwrap();
    let again: Vec<Rows> = (0..40).map(|at| if at % 2 == 0 { price(10, 2) } else { free() }).collect();
    assert_eq!(told(&concat(&again)), told(&with_text));
    let nothing = |data_type| part(data_type, r#"[{"a": null}]"#);
    let empty = concat(&[nothing(DataType::Utf8), nothing(DataType::LargeUtf8)]);
    assert_eq!(told(&empty), Vec::<String>::new());
}

#[test]
fn what_is_nested_keeps_a_type_that_holds_it_and_else_becomes_text_with_a_note() {
    let part = |kind: DataType, names: &[&str]| {
        let members: Vec<Field> = names.iter().map(|name| Field::new(*name, kind.clone(), true)).collect();
        let item = Field::new_list_field(DataType::Struct(members.into()), true);
        let schema = Schema::new(vec![Field::new("a", DataType::List(Arc::new(item)), true)]);
        let declared = Declared::Schema(Arc::new(schema));
        let members: Vec<String> = names.iter().map(|name| format!("\"{name}\": 1.5")).collect();
        let body = format!("[{{\"a\": [{{{}}}]}}]", members.join(","));
        decode_with(body.as_bytes(), DecodeOptions { form: Form::Any, declared, ..DecodeOptions::default() }).unwrap()
    };
    let price = |precision, scale| part(DataType::Decimal128(precision, scale), &["p"]);
    let told = |rows: &Rows| rows.notes().iter().map(ToString::to_string).collect::<Vec<_>>();
    let more_precise = concat(&[price(10, 2), price(12, 2)]);
    assert_eq!(types(&more_precise), ["a: List(Struct(\"p\": Decimal128(12, 2)))"]);
    assert_eq!((lines(&more_precise)[0].as_str(), told(&more_precise)), (r#"{"a":[{"p":"1.50"}]}"#, vec![]));
    let scales = concat(&[price(10, 2), price(10, 3)]);
    assert_eq!(types(&scales), ["a: List(Struct(\"p\": Decimal128(11, 3)))"]);
    let with_text = concat(&[price(10, 2), decode(br#"[{"a": [{"p": "free"}]}]"#).unwrap()]);
    assert_eq!(types(&with_text), ["a: List(Struct(\"p\": Utf8))"]);
    assert_eq!(told(&with_text), ["a[].p: decimal128(10, 2) and string: kept as text"]);
    let other_members = concat(&[price(10, 2), part(DataType::Decimal128(10, 2), &["p", "q"])]);
    let within =
        |name| format!("a[].{name}: decimal128(10, 2) within values that no single type can hold: kept as text");
    assert_eq!(told(&other_members), [within("p"), within("q")]);
    let nothing = decode(br#"[{"a": [{"p": null}]}]"#).unwrap();
    assert_eq!(types(&concat(&[nothing, price(10, 2)])), ["a: List(Struct(\"p\": Decimal128(10, 2)))"]);
}

#[test]
fn what_was_said_of_a_type_goes_where_another_is_explained() {
    let map: Vec<String> = (0..257).map(|at| format!("\"k{at}\":1")).collect();
    let map = decode(format!("[{{\"m\":{{{}}}}}]", map.join(",")).as_bytes()).unwrap();
    let deep = decode(format!("[{{\"m\":{}{}}}]", "{\"a\":".repeat(30), "1".to_owned() + &"}".repeat(30)).as_bytes());
    let twice = decode(br#"[{"m": {"a": 1, "a": 2}}]"#).unwrap();
    for (first, told) in [(map, 1), (deep.unwrap(), 1), (twice, 2)] {
        assert_eq!(first.notes().len(), 1);
        let joined = concat(&[first.clone(), decode(br#"[{"m": [1]}]"#).unwrap()]);
        let notes: Vec<String> = joined.notes().iter().map(ToString::to_string).collect();
        assert_eq!(notes.len(), told, "{notes:?}");
        assert!(notes[told - 1].starts_with("m: arrays and objects: kept as text"), "{notes:?}");
        assert_eq!(joined.schema().field(0).metadata()[NOTE_KEY], notes.join("\n"));
    }
}

#[test]
fn notes_of_joined_columns_are_summed_up_as_those_of_one_body_are() {
    let body = |value: &str| {
        let members: Vec<String> = (0..100).map(|at| format!("\"m{at}\":{value}")).collect();
        let objects: Vec<String> = (0..100).map(|at| format!("\"k{at}\":{{{}}}", members.join(","))).collect();
        format!("{{\"c\":{{{}}}}}", objects.join(","))
    };
    let (numbers, strings) = (body("1"), body("\"x\""));
    let whole = decode(format!("[{numbers},{strings}]").as_bytes()).unwrap();
    let [numbers, strings] = [numbers, strings].map(|row| decode(format!("[{row}]").as_bytes()).unwrap());
    assert_eq!(whole.notes().len(), 501);
    assert_eq!(concat(&[numbers, strings]).notes(), whole.notes());
}

#[test]
fn notes_on_what_is_no_more_go() {
    for mixed in [r#"[{"a": {"k": [1, "x"]}}]"#, r#"[{"a": [1, "x"]}]"#, r#"[{"a": {"k": 123456789012345678901}}]"#] {
        let mixed = decode(mixed.as_bytes()).unwrap();
        assert_eq!(mixed.notes().len(), 1);
        let notes = concat(&[mixed, decode(br#"[{"a": "s"}]"#).unwrap()]).notes().to_vec();
        assert_eq!(notes.iter().map(|note| note.column.as_deref()).collect::<Vec<_>>(), [Some("a")], "{notes:?}");
    }
}

#[test]
fn notes_that_hold_still_stay() {
    let mixed = decode(br#"[{"c": {"a.b": [1, "x"], "a": 1}}]"#).unwrap();
    assert_eq!(mixed.notes().len(), 1);
    let joined = concat(&[mixed.clone(), decode(br#"[{"c": {"a": "t"}}]"#).unwrap()]);
    assert!(joined.notes().starts_with(mixed.notes()), "{:?}", joined.notes());
    assert_eq!(joined.notes().len(), 2);
}

#[test]
fn values_in_runs_are_joined_as_what_they_are() {
    let runs = DataType::RunEndEncoded(
        Arc::new(Field::new("run_ends", DataType::Int32, false)),
        Arc::new(Field::new("values", DataType::Int64, true)),
    );
    let declared = Declared::Schema(Arc::new(Schema::new(vec![Field::new("a", runs, true)])));
    let options = DecodeOptions { form: Form::Any, declared, ..DecodeOptions::default() };
    let in_runs = decode_with(br#"[{"a": 1}, {"a": 1}, {"a": 2}]"#, options).unwrap();
    assert!(types(&in_runs)[0].contains("RunEndEncoded"), "{:?}", types(&in_runs));
    assert_eq!(lines(&in_runs), [r#"{"a":1}"#, r#"{"a":1}"#, r#"{"a":2}"#]);
    let joined = concat(&[in_runs, decode(br#"[{"a": 3}]"#).unwrap()]);
    assert_eq!((types(&joined), joined.notes().len()), (vec!["a: Int64".to_owned()], 0));
}

#[test]
fn moments_are_counted_in_nanoseconds_where_one_of_them_is_finer_than_a_microsecond() {
    let options = DecodeOptions { form: Form::Any, parse_dates: ParseDates::All, ..DecodeOptions::default() };
    let part = |body: &str| decode_with(body.as_bytes(), options.clone()).unwrap();
    let moments = |unit| DataType::Timestamp(unit, Some("UTC".into()));
    let coarse = part(r#"[{"t": "2024-01-01T00:00:00.123456Z"}]"#);
    let fine = part(r#"[{"t": "2024-01-01T00:00:00Z"}, {"t": null}, {"t": "1969-12-31T23:59:59.1234567Z"}]"#);
    let far = part(r#"[{"t": "9999-12-31T00:00:00Z"}]"#);
    assert_eq!(coarse.schema().field(0).data_type(), &moments(TimeUnit::Microsecond));
    assert_eq!(fine.schema().field(0).data_type(), &moments(TimeUnit::Nanosecond));
    assert_eq!(lines(&fine)[2], r#"{"t":"1969-12-31T23:59:59.123456700Z"}"#);
    let joined = concat(&[coarse, part(r#"[{"u": 1}]"#), fine.clone()]);
    assert_eq!((joined.schema().field(0).data_type(), joined.notes()), (&moments(TimeUnit::Nanosecond), &[][..]));
    assert_eq!(lines(&joined)[0], r#"{"t":"2024-01-01T00:00:00.123456Z","u":null}"#);

    // There are no nanoseconds so far from 1970.
    let mixed = part(r#"[{"t": "9999-12-31T00:00:00Z"}, {"t": "2024-01-01T00:00:00.1234567Z"}]"#);
    assert_eq!(mixed.schema().field(0).data_type(), &DataType::Utf8);
    let joined = concat(&[far, fine]);
    assert_eq!((types(&joined), joined.notes().len()), (vec!["t: Utf8".to_owned()], 1));
}

#[test]
fn what_was_noted_on_a_column_stands_in_its_metadata_after_joining_too() {
    let widened = decode(br#"[{"a": {"b": 1}, "n": 1}, {"a": {"b": "x"}, "n": 2}]"#).unwrap();
    let other = decode(br#"[{"a": {"b": "y"}, "n": "z"}]"#).unwrap();
    let on = |rows: &Rows, at: usize| rows.schema().field(at).metadata().get(NOTE_KEY).cloned();
    let joined = concat(&[widened.clone(), other.clone(), widened.clone()]);
    assert!(on(&widened, 0).is_some());
    assert_eq!(on(&joined, 0), on(&widened, 0));
    assert_eq!(on(&joined, 1).unwrap(), joined.notes().last().unwrap().to_string());
    assert_eq!(on(&concat(&[joined.clone(), widened]), 1), on(&joined, 1));
    let twice = decode(br#"[{"o": {"a": 1, "a": 2, "b": 1, "b": 2}}]"#).unwrap();
    assert_eq!(on(&twice, 0).unwrap().lines().count(), 2);
    assert_eq!(on(&concat(&[twice.clone(), twice.clone()]), 0), on(&twice, 0));
}
