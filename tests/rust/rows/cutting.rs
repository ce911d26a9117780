//! However a body is cut, the result is the same; wherever it ends, it is never taken as whole.

use std::io::Cursor;

use arrow_select::concat::concat_batches;
use proptest::prelude::*;
use rowhaul::rows::{DecodeOptions, Decoder, Form, Limits, Survey};
use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Value, json};

use super::{decode, decode_pieces, lines, outcome, types};

const BODY: &str = r#"{"status": "completed", "data": [{"a": 1, "t": "x\u00e9\"\ud83d\ude00 und ein langer Text", "o": {"p": [1, {"q": null}], "m": "1"}},
 {"a": 2.5, "late": true, "o": {"m": 1, "r": []}, "a": -7e-3}, {"o": "none", "a": 9007199254740993}], "row_count": 3}"#;

fn in_chunks(threads: usize, chunk_bytes: usize) -> DecodeOptions {
    DecodeOptions { threads, limits: Limits { chunk_bytes, ..Limits::default() }, ..in_batches(65_536) }
}

fn in_batches(batch_rows: usize) -> DecodeOptions {
    DecodeOptions { form: Form::Any, batch_rows, ..DecodeOptions::default() }
}

#[test]
fn a_body_cut_in_two_at_any_byte_gives_the_same_rows() {
    let body = BODY.as_bytes();
    let whole = decode(body).unwrap();
    for at in 0..=body.len() {
        let rows = decode_pieces([&body[..at], &body[at..]], in_batches(65_536)).unwrap();
        assert_eq!(
            (types(&rows), lines(&rows), rows.notes()),
            (types(&whole), lines(&whole), whole.notes()),
            "cut at {at}"
        );
    }
    let rows = decode_pieces(body.chunks(1), in_batches(65_536)).unwrap();
    assert_eq!((types(&rows), lines(&rows), rows.notes()), (types(&whole), lines(&whole), whole.notes()));
}

#[test]
fn what_is_wrong_in_what_was_fed_is_told_when_it_is_drained_however_it_came() {
    let long = "x".repeat(100_000);
    let body = format!(r#"[{{"a": "{long}"}}, {{"a": 1}}, nonsense"#);
    let fault = decode(body.as_bytes()).unwrap_err();
    assert_eq!((fault.row, fault.rows_read), (Some(2), 2));
    for threads in [1, 3] {
        for first in [1, 9, 70_000, body.len() - 20, body.len()] {
            let options = in_chunks(threads, 4_000);
            let mut decoder = Decoder::new(options);
            let (one, other) = body.as_bytes().split_at(first);
            let told = decoder.feed(one).and_then(|()| decoder.feed(other)).and_then(|()| decoder.drain()).unwrap_err();
            assert_eq!(
                (told.byte_offset, told.row, told.rows_read),
                (fault.byte_offset, fault.row, 2),
                "{threads}, {first}"
            );
        }
    }
}

#[test]
fn chunks_of_no_bytes_at_all_are_chunks_of_one() {
    let options = in_chunks(2, 0);
    let rows = decode_pieces([BODY.as_bytes()], options).unwrap();
    assert_eq!(lines(&rows), lines(&decode(BODY.as_bytes()).unwrap()));
}

#[test]
fn a_body_that_ends_at_any_byte_is_never_taken_as_whole() {
    let body = BODY.as_bytes();
    let ends = ["\"1\"}}", "-7e-3}", "993}"].map(|end| BODY.find(end).unwrap() + end.len());
    for at in 0..body.len() {
        let error = decode(&body[..at]).unwrap_err();
        let whole_rows = ends.iter().filter(|end| **end <= at).count();
        assert_eq!((error.rows.len(), error.rows_read), (whole_rows, whole_rows as u64), "{error}");
        assert!(decode_pieces(body[..at].chunks(7), in_batches(2)).is_err());
    }
}

/// Any JSON value; numbers of every class of the decoder.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-5i64..5).prop_map(Value::from),
        any::<f64>().prop_filter("finite", |value| value.is_finite()).prop_map(Value::from),
        "[a-c\"\\\\\u{e9}\u{1f600}\n]{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-d]", inner, 0..4).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

fn table() -> impl Strategy<Value = Vec<Value>> {
    let row = proptest::collection::btree_map("[a-e]", value(), 0..5).prop_map(|row| row.into_iter().collect());
    proptest::collection::vec(row, 0..12)
}

/// The text of a value with white space around every token.
fn spaced(value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(" \n, ");
    match value {
        Value::Array(items) => format!("[\t{} ]", joined(items.iter().map(spaced).collect())),
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| format!("{} :\r {}", json!(key), spaced(value)));
            format!("{{ {}\n}}", joined(members.collect()))
        }
        other => other.to_string(),
    }
}

/// The text of rows with each member on a line of its own.
fn indented(rows: &[Value], indent: usize) -> String {
    let indent = " ".repeat(indent);
    let mut body = Vec::new();
    let formatter = PrettyFormatter::with_indent(indent.as_bytes());
    rows.serialize(&mut Serializer::with_formatter(&mut body, formatter)).unwrap();
    String::from_utf8(body).unwrap()
}

/// The text of a value whose objects may hold a key more than once.
fn repetitive() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        (-3i64..3).prop_map(|number| number.to_string()),
        Just("2.5".to_owned()),
        Just("9007199254740993".to_owned()),
        Just("\"x\"".to_owned()),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(|items| format!("[{}]", items.join(","))),
            members(inner),
        ]
    })
}

fn members(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    proptest::collection::vec(("[a-c]", value), 0..5).prop_map(|members| {
        let members: Vec<String> = members.into_iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn a_key_that_stands_twice_is_as_if_only_its_last_value_did(rows in proptest::collection::vec(members(repetitive()), 0..8), piece in 1usize..20, batch_rows in 1usize..4) {
        let body = format!("[{}]", rows.join(","));
        // serde_json keeps a key's first place and its last value, too.
        let once: Vec<Value> = rows.iter().map(|row| serde_json::from_str(row).unwrap()).collect();
        let expected = decode(&serde_json::to_vec(&once).unwrap()).unwrap();
        for decoded in [decode(body.as_bytes()).unwrap(), decode_pieces(body.as_bytes().chunks(piece), in_batches(batch_rows)).unwrap()] {
            prop_assert_eq!(types(&decoded), types(&expected), "{}", body);
            prop_assert_eq!(lines(&decoded), lines(&expected), "{}", body);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn pieces_and_segments_change_nothing(rows in table(), piece in 1usize..50, batch_rows in 1usize..5) {
        let body = serde_json::to_vec(&json!({"data": rows, "row_count": rows.len()})).unwrap();
        let whole = decode(&body).unwrap();
        let cut = decode_pieces(body.chunks(piece), in_batches(batch_rows)).unwrap();
        prop_assert_eq!(types(&cut), types(&whole));
        prop_assert_eq!(lines(&cut), lines(&whole));
        prop_assert_eq!(cut.notes(), whole.notes());
    }

    #[test]
    fn rows_of_any_length_are_the_same_in_pieces_of_any_size(
        lengths in proptest::collection::vec(prop_oneof![4 => 0usize..300, 2 => 0usize..20_000, 1 => 10_000usize..70_000], 1..40),
        pieces in proptest::collection::vec(prop_oneof![1usize..300, 10_000usize..80_000], 1..6),
        batch_rows in prop_oneof![Just(3), Just(65_536)],
        end in prop::sample::select(vec!["]", ", nonsense", ""]),
    ) {
        let rows: Vec<_> = lengths.iter().map(|&length| json!({"a": length, "t": "x".repeat(length)}).to_string()).collect();
        let body = format!("[{}{end}", rows.join(",\n"));
        let mut left = body.as_bytes();
        let cut: Vec<_> = pieces.iter().cycle().map_while(|&size| left.split_off(..size.min(left.len()))).take_while(|piece| !piece.is_empty()).collect();
        let options = || DecodeOptions { threads: 1, ..in_batches(batch_rows) };
        prop_assert_eq!(outcome(&decode_pieces(cut.iter().copied(), options())), outcome(&decode_pieces([body.as_bytes()], options())));
        let mut survey = Survey::new(options());
        let fed = cut.iter().try_for_each(|piece| survey.feed(piece)).and_then(|()| survey.finish());
        prop_assert_eq!(fed.is_ok(), end == "]");
        if let Ok(surveyed) = fed {
            let batches = surveyed.batches(Cursor::new(body.as_bytes())).unwrap();
            let batches: Vec<_> = batches.map(Result::unwrap).collect();
            let whole = decode(body.as_bytes()).unwrap();
            prop_assert_eq!(concat_batches(whole.schema(), &batches).unwrap(), concat_batches(whole.schema(), whole.batches()).unwrap());
        }
    }

    #[test]
    fn white_space_changes_nothing(rows in table(), piece in 1usize..50, indent in 0usize..20) {
        let compact = decode(&serde_json::to_vec(&rows).unwrap()).unwrap();
        for body in [spaced(&Value::from(rows.clone())), indented(&rows, indent)] {
            let spaced = decode_pieces(body.as_bytes().chunks(piece), in_batches(65_536)).unwrap();
            prop_assert_eq!(types(&spaced), types(&compact));
            prop_assert_eq!(lines(&spaced), lines(&compact));
            prop_assert_eq!(spaced.notes(), compact.notes());
        }
    }

    #[test]
    fn a_fault_after_an_indent_is_the_same_wherever_the_body_is_cut(indent in 0usize..30, piece in 1usize..50, fault in prop::sample::select(vec!["}", "nul", ",", "\u{1}", "\"b\"", ""])) {
        let rows = [json!({"a": 1, "b": {"a name of more than sixteen bytes": [1, 2]}}), json!({"a": 2})];
        let body = indented(&rows, indent).replacen("2\n", &format!("2,\n{}{fault}", " ".repeat(indent)), 2);
        let whole = decode(body.as_bytes()).unwrap_err();
        let cut = decode_pieces(body.as_bytes().chunks(piece), in_batches(65_536)).unwrap_err();
        prop_assert_eq!((cut.message, cut.byte_offset, cut.rows_read), (whole.message, whole.byte_offset, whole.rows_read), "{}", body);
    }

    #[test]
    fn rows_far_apart_hold_what_rows_side_by_side_do(rows in table(), gaps in proptest::collection::vec(0usize..300, 12), piece in 1usize..2000) {
        let mut apart = Vec::new();
        let mut places = Vec::new();
        for (row, gap) in rows.iter().zip(gaps) {
            apart.extend(std::iter::repeat_n(json!({}), gap));
            places.push(apart.len());
            apart.push(row.clone());
        }
        let together = decode(&serde_json::to_vec(&rows).unwrap()).unwrap();
        let apart = decode_pieces(serde_json::to_vec(&apart).unwrap().chunks(piece), in_batches(65_536)).unwrap();
        prop_assert_eq!(types(&apart), types(&together));
        let apart = lines(&apart);
        prop_assert_eq!(places.iter().map(|&at| apart[at].clone()).collect::<Vec<_>>(), lines(&together));
    }

    #[test]
    fn the_order_of_rows_changes_nothing_but_their_order(rows in table()) {
        let forward = decode(&serde_json::to_vec(&rows).unwrap()).unwrap();
        let reversed: Vec<&Value> = rows.iter().rev().collect();
        let backward = decode(&serde_json::to_vec(&reversed).unwrap()).unwrap();
        // Columns and members come in first-seen order, which is what reversing changes.
        let values = |rows: &super::Rows| -> Vec<Value> {
            lines(rows).iter().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let mut again = values(&backward);
        again.reverse();
        prop_assert_eq!(values(&forward), again);
        let notes = |rows: &super::Rows| {
            let mut notes: Vec<String> = rows.notes().iter().map(ToString::to_string).collect();
            notes.sort();
            notes
        };
        prop_assert_eq!(notes(&forward), notes(&backward));
    }

    #[test]
    fn any_bytes_are_read_or_refused_in_pieces_as_they_are_as_a_whole(bytes in proptest::collection::vec(prop_oneof![Just(b'{'), Just(b'}'), Just(b'['), Just(b']'), Just(b'"'), Just(b':'), Just(b','), Just(b'1'), Just(b'\\'), any::<u8>()], 0..60)) {
        let cut = decode_pieces(bytes.chunks(3), in_batches(1));
        prop_assert_eq!(outcome(&cut), outcome(&decode(&bytes)));
    }
}
