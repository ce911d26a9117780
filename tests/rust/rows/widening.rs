use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::json;

use rowhaul::rows::{DecodeOptions, Form, NOTE_KEY, TextLayout, concat};

use super::{Rows, decode, decode_pieces, decode_with, lines, texts, types};

#[track_caller]
fn column(values: &str, expected_type: &str) -> Rows {
    let rows: Vec<String> = serde_json::from_str::<Vec<Box<serde_json::value::RawValue>>>(values)
        .unwrap()
        .iter()
        .map(|value| format!("{{\"c\": {value}}}"))
        .collect();
    for reverse in [false, true] {
        let mut rows = rows.clone();
        if reverse {
            rows.reverse();
        }
        // Numbers are read at once where enough stands after them.
        for after in ["", &" ".repeat(40)] {
            let decoded = decode(format!("[{}{after}]", rows.join(&format!("{after},"))).as_bytes()).unwrap();
            assert_eq!(types(&decoded), [format!("c: {expected_type}")], "{values}");
        }
    }
    decode(format!("[{}]", rows.join(",")).as_bytes()).unwrap()
}

#[test]
fn each_row_of_the_type_table_holds_in_both_orders() {
    column("[null]", "Null");
    column("[true, null, false]", "Boolean");
    column("[1, -5, 9223372036854775807]", "Int64");
    column("[1, 9223372036854775808]", "UInt64");
    column("[-1, 9223372036854775808]", "Utf8");
    column("[1, 18446744073709551616]", "Utf8");
    column("[1.5, 2]", "Float64");
    column("[1.5, 9007199254740992]", "Float64");
    column("[1.5, 9007199254740993]", "Utf8");
    column("[1.5, -9007199254740993]", "Utf8");
    column("[1, 9007199254740993, 1.5]", "Utf8");
    column("[1, -123456789012345678, 9223372036854775808]", "Utf8");
    column("[1.5, 2.5, 9007199254740993]", "Utf8");
    column("[1.5, 2.5, 3]", "Float64");
    column("[1e400, 1]", "Utf8");
    column("[\"a\", null]", "Utf8");
    column("[[1], [2.5], []]", "List(Float64)");
    column("[{\"a\": 1, \"b\": null}, {\"a\": null, \"b\": true}]", "Struct(\"a\": Int64, \"b\": Boolean)");
    column("[\"a\", 1]", "Utf8");
    column("[{\"a\": 1}, 5]", "Utf8");
    column("[{}, {}]", "Utf8");
    column("[[\"a\"], [null, 5]]", "List(Utf8)");
    column("[{\"a\": \"x\"}, {\"a\": [\"y\"]}]", "Struct(\"a\": Utf8)");
}

#[test]
fn of_two_shortest_texts_of_a_float_that_are_as_near_the_even_one_is_taken() {
    let rows = column(r#"["x", 2185750448422371.25, 2185750448422371.75, -1370815072442490.25]"#, "Utf8");
    let expected = ["x", "2185750448422371.2", "2185750448422371.8", "-1370815072442490.2"];
    assert_eq!(texts(&rows, "c").into_iter().map(Option::unwrap).collect::<Vec<_>>(), expected);
}

#[test]
fn texts_of_widened_values_do_not_depend_on_the_order() {
    let values = r#"[{"b": 5.0, "a": "x", "n": null}, [1, null, {"z": 1e21}], "as is", 7, true, -0.0, 18446744073709551616, 1e400]"#;
    let rows = column(values, "Utf8");
    let expected =
        [r#"{"a":"x","b":5}"#, r#"[1,null,{"z":1e+21}]"#, "as is", "7", "true", "0", "18446744073709551616", "1e400"];
    assert_eq!(texts(&rows, "c").into_iter().map(Option::unwrap).collect::<Vec<_>>(), expected);
    let reversed = column(r#"["text", {"b": {"y": "1", "x": 1}, "a": [true]}]"#, "Utf8");
    assert_eq!(texts(&reversed, "c")[1].as_deref(), Some(r#"{"a":[true],"b":{"x":1,"y":"1"}}"#));
}

#[test]
fn arrays_and_objects_of_full_segments_become_text_when_a_later_row_makes_them_text() {
    let before = r#"{"l": ["a", null, "é"], "o": {"t": "x", "n": [[1], []]}, "mixed": ["5", 5]}"#;
    let rows = [before, r#"{"l": [], "mixed": null}"#, before, r#"{"l": "text", "o": 7, "mixed": true}"#].join(",");
    let expected = [
        ("l", [Some(r#"["a",null,"é"]"#), Some("[]"), Some(r#"["a",null,"é"]"#), Some("text")]),
        ("o", [Some(r#"{"n":[[1],[]],"t":"x"}"#), None, Some(r#"{"n":[[1],[]],"t":"x"}"#), Some("7")]),
        ("mixed", [Some(r#"["5",5]"#), None, Some(r#"["5",5]"#), Some("true")]),
    ];
    for batch_rows in 1..5 {
        let options = DecodeOptions { form: Form::Any, batch_rows, ..DecodeOptions::default() };
        let decoded = decode_with(format!("[{rows}]").as_bytes(), options).unwrap();
        for (column, expected) in &expected {
            assert_eq!(texts(&decoded, column), expected.map(|text| text.map(str::to_owned)), "{batch_rows}");
        }
    }
}

#[test]
fn strings_in_mixed_members_stay_strings_when_their_object_becomes_text() {
    let rows = decode(br#"[{"c": {"m": 1}}, {"c": {"m": "1"}}, {"c": "text"}]"#).unwrap();
    let expected = [r#"{"m":1}"#, r#"{"m":"1"}"#, "text"];
    assert_eq!(texts(&rows, "c").into_iter().map(Option::unwrap).collect::<Vec<_>>(), expected);
}

#[test]
fn a_map_in_disguise_becomes_json_text_and_loses_nothing() {
    let row = |from: usize| {
        let members: Vec<String> = (from..from + 200).map(|key| format!("\"k{key}\": {key}")).collect();
        format!("{{\"c\": {{{}}}}}", members.join(","))
    };
    let rows = decode(format!("[{},{}]", row(0), row(100)).as_bytes()).unwrap();
    assert_eq!(types(&rows), ["c: Utf8"]);
    let first: serde_json::Value = serde_json::from_str(texts(&rows, "c")[0].as_deref().unwrap()).unwrap();
    assert_eq!(first.as_object().unwrap().len(), 200);
    assert!(rows.notes()[0].message.contains("256"), "{:?}", rows.notes());
    let exactly = decode(format!("[{},{}]", row(0), row(56)).as_bytes()).unwrap();
    assert!(types(&exactly)[0].starts_with("c: Struct"));
}

#[test]
fn the_last_of_equal_keys_counts_and_the_others_leave_no_trace() {
    let rows = decode(br#"[{"a": "x", "a": 1}, {"a": 2, "b": {"c": [], "c": true}}, {"a": 9, "a": null}]"#).unwrap();
    assert_eq!(types(&rows), ["a: Int64", "b: Struct(\"c\": Boolean)"]);
    assert_eq!(lines(&rows), [r#"{"a":1,"b":null}"#, r#"{"a":2,"b":{"c":true}}"#, r#"{"a":null,"b":null}"#]);
    assert!(rows.notes().iter().any(|note| note.column.as_deref() == Some("a")), "{:?}", rows.notes());
}

#[test]
fn a_value_that_does_not_count_changes_nothing_for_other_rows() {
    let cases = [
        (r#"[{"a": 5.0}, {"a": "x", "a": 6.0}]"#, "a: Float64", r#"{"a":5.0}"#),
        (r#"[{"a": 1e20}, {"a": "x", "a": 1.5}]"#, "a: Float64", r#"{"a":1e20}"#),
        (r#"[{"a": -0.0}, {"a": "x", "a": 1.5}]"#, "a: Float64", r#"{"a":-0.0}"#),
        (
            r#"[{"a": {"z": 1, "b": null}}, {"a": "x", "a": {"c": 1}}]"#,
            "a: Struct(\"z\": Int64, \"b\": Null, \"c\": Int64)",
            r#"{"a":{"z":1,"b":null,"c":null}}"#,
        ),
        (r#"[{"a": {"x": 1}, "a": {"y": 2}}]"#, "a: Struct(\"y\": Int64)", r#"{"a":{"y":2}}"#),
        (
            r#"[{"a": [{"x": {"y": 1}, "x": {"z": 1}}]}]"#,
            "a: List(Struct(\"x\": Struct(\"z\": Int64)))",
            r#"{"a":[{"x":{"z":1}}]}"#,
        ),
        (r#"[{"b": 1}, {"a": [1, "x"], "b": 2, "a": [true]}]"#, "b: Int64, a: List(Boolean)", r#"{"b":1,"a":null}"#),
    ];
    for (body, expected, first) in cases {
        let rows = decode(body.as_bytes()).unwrap();
        assert_eq!((types(&rows).join(", ").as_str(), lines(&rows)[0].as_str()), (expected, first), "{body}");
        assert_eq!(rows.notes().len(), 1, "{:?}", rows.notes());
    }
}

#[test]
fn columns_come_in_first_seen_order_and_late_ones_are_null_before() {
    let rows = decode(br#"[{"b": 1}, {"a": 2, "b": 3}, {"c": null}]"#).unwrap();
    assert_eq!(types(&rows), ["b: Int64", "a: Int64", "c: Null"]);
    assert_eq!(lines(&rows)[2], r#"{"b":null,"a":null,"c":null}"#);
}

#[test]
fn more_than_the_allowed_columns_are_refused_with_the_rows_before() {
    let wide: Vec<String> = (0..10_001).map(|key| format!("\"k{key}\": 1")).collect();
    let error = decode(format!("[{{\"k0\": 1}}, {{{}}}]", wide.join(",")).as_bytes()).unwrap_err();
    assert!(error.message.contains("`max_columns` allows (10000)"), "{error}");
    assert_eq!((error.row, error.rows.len()), (Some(1), 1));
}

proptest! {
    #[test]
    fn the_text_of_an_object_is_sorted_and_of_equal_keys_the_last_counts_unless_it_is_null(
        objects in prop::collection::vec((members(leaf()), members(leaf()), 0usize..8), 1..5),
        batch_rows in 1usize..4,
    ) {
        let (mut sent, mut kept, mut has_duplicates) = (Vec::new(), Vec::new(), false);
        for (members, inner, at) in objects {
            let at = at.min(members.len());
            let with = |inner: String| {
                let mut all = members.clone();
                all.insert(at, ("inner".to_owned(), inner));
                all
            };
            // Those within an object that does not count itself stood there, too.
            has_duplicates |= has_duplicate_keys(&with(String::new())) || has_duplicate_keys(&inner);
            sent.push(format!(r#"{{"c": {}}}"#, as_sent(&with(as_sent(&inner)))));
            kept.push(Some(as_kept(&with(as_kept(&inner)))));
        }
        // Read as text from the first on, and as a struct until text comes.
        let text = r#"{"c": "text"}"#.to_owned();
        for rows in [[std::slice::from_ref(&text), &sent].concat(), [&sent[..], std::slice::from_ref(&text)].concat()] {
            let body = format!("[{}]", rows.join(","));
            let in_batches = DecodeOptions { form: Form::Any, batch_rows, ..DecodeOptions::default() };
            for rows in [decode(body.as_bytes()), decode_pieces([body.as_bytes()], in_batches)] {
                let rows = rows.unwrap();
                let mut texts = texts(&rows, "c");
                texts.retain(|value| value.as_deref() != Some("text"));
                prop_assert_eq!(&texts, &kept, "{}", body);
                prop_assert_eq!(stood_twice(&rows), if has_duplicates { vec!["c"] } else { vec![] });
            }
        }
    }
}

#[test]
fn numbers_of_arrays_teach_what_they_teach_as_cells() {
    let arrays = ["[1,2]", "[-3,4]", "[18446744073709551615]"];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let rows: Vec<String> = order.iter().map(|&at| format!("{{\"v\":{}}}", arrays[at])).collect();
        let rows = decode(format!("[{}]", rows.join(",")).as_bytes()).unwrap();
        assert_eq!(types(&rows), ["v: List(Utf8)"], "{order:?}");
    }
}

#[test]
fn keys_of_json_text_are_the_same_however_they_are_written() {
    let rows = decode(br#"[{"c": "text"}, {"c": {"b": "\ud800", "a": 1, "\u0061": 2, "\ud800": 3}}]"#).unwrap();
    assert_eq!(texts(&rows, "c")[1].as_deref(), Some("{\"a\":2,\"b\":\"\u{fffd}\",\"\u{fffd}\":3}"));
    let notes: Vec<String> = rows.notes().iter().map(ToString::to_string).collect();
    assert!(notes.iter().any(|note| note.contains("2 lone surrogates")), "{notes:?}");
    assert_eq!(stood_twice(&rows), ["c"]);
}

#[test]
fn a_key_that_stands_twice_is_noted_whatever_its_column_becomes_and_in_whatever_order() {
    let many = (0..300).map(|at| format!(r#""k{at}":1"#)).collect::<Vec<_>>().join(",");
    let many = format!("{{{many}}}");
    for (twice, other, expected) in [
        (r#"{"k":1,"k":2}"#, r#"{"k":3}"#, "a.k"),
        (r#"{"k":1,"k":2}"#, r#""text""#, "a"),
        (r#"{"k":1,"k":2}"#, many.as_str(), "a"),
        (r#"[{"k":1,"k":2}]"#, "[]", "a[].k"),
        (r#"[{"k":1,"k":2}]"#, "[1]", "a[]"),
        (r#"[{"k":1,"k":2}]"#, "true", "a"),
        (r#"{"o":{"k":1,"k":2}}"#, r#"{"o":"text"}"#, "a.o"),
        (r#"{"o":{"k":1,"k":2}}"#, "2.5", "a"),
    ] {
        for rows in [[twice, other], [other, twice]] {
            let body = format!(r#"[{{"a":{}}},{{"a":{}}}]"#, rows[0], rows[1]);
            assert_eq!(stood_twice(&decode(body.as_bytes()).unwrap()), [expected], "{body}");
            let one_a_batch = DecodeOptions { form: Form::Any, batch_rows: 1, ..DecodeOptions::default() };
            assert_eq!(stood_twice(&decode_pieces([body.as_bytes()], one_a_batch).unwrap()), [expected], "{body}");
        }
    }
}

/// The columns on which it is noted that a key occurs twice.
fn stood_twice(rows: &Rows) -> Vec<&str> {
    let notes = rows.notes().iter().filter(|note| note.message.contains("occurs twice"));
    notes.filter_map(|note| note.column.as_deref()).collect()
}

fn has_duplicate_keys(members: &[(String, String)]) -> bool {
    members.len() > members.iter().map(|(name, _)| name).collect::<BTreeSet<_>>().len()
}

fn leaf() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["null", "1", "-0.5", r#""null""#, "[null]", "{}"]).prop_map(str::to_owned)
}

fn members(value: impl Strategy<Value = String>) -> impl Strategy<Value = Vec<(String, String)>> {
    let names = ["", "a", "ab", "b", "a\"", "a\n", "é", "\u{ffff}", "\u{10000}", "inner"].map(str::to_owned);
    prop::collection::vec((prop::sample::select(names.to_vec()), value), 0..8)
}

fn as_sent(members: &[(String, String)]) -> String {
    let members: Vec<String> = members.iter().map(|(name, value)| format!("{} : {value}", json!(name))).collect();
    format!("{{{}}}", members.join(" ,"))
}

fn as_kept(members: &[(String, String)]) -> String {
    let last: BTreeMap<Vec<u16>, _> =
        members.iter().map(|member| (member.0.encode_utf16().collect(), member)).collect();
    let kept = last.values().filter(|(_, value)| value != "null");
    let members: Vec<String> = kept.map(|(name, value)| format!("{}:{value}", json!(name))).collect();
    format!("{{{}}}", members.join(","))
}

#[test]
fn a_note_is_one_line_whatever_the_keys_are() {
    let rows = decode(r#"[{"x":{"p\nq":1,"r\u2028q":2}},{"x":{"p\nq":"a","r\u2028q":"b"}}]"#.as_bytes()).unwrap();
    let joined = concat(&[rows.clone(), rows.clone()]);
    for rows in [rows, joined] {
        let noted: Vec<_> = rows.notes().iter().filter_map(|note| note.column.as_deref()).collect();
        assert_eq!(noted, ["x.p\\nq", "x.r\\u{2028}q"]);
        let metadata = &rows.schema().field(0).metadata()[NOTE_KEY];
        assert_eq!(metadata.lines().count(), 2, "{metadata}");
    }
    let rows = decode(br#"{"data":[{"a":1}],"x\u001b[2J\ny":1,"status":"x"}"#).unwrap();
    let told = rows.notes()[0].to_string();
    assert!(told.starts_with("`x\\u{1b}[2J\\ny` beside `data`"), "{told}");
}

#[test]
fn a_nul_in_a_name_ends_no_column_and_joins_no_two() {
    let rows = decode(r#"[{"a\u0000":1,"a�":2,"o":{"\u0000":3}}]"#.as_bytes()).unwrap();
    let exported = rows.with_text(TextLayout::View);
    let names: Vec<&String> = exported.schema().fields().iter().map(|field| field.name()).collect();
    assert_eq!(names, ["a\u{fffd}2", "a\u{fffd}", "o"]);
    let told: Vec<String> = rows.notes().iter().map(ToString::to_string).collect();
    let message = "its name contains a NUL, for which other libraries get U+FFFD";
    assert_eq!(told, ["a\\u{0}", "o.\\u{0}"].map(|column| format!("{column}: {message}")));
}
