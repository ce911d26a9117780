use proptest::prelude::*;
use rowhaul::rows::{DecodeOptions, Decoder, Form};
use serde_json::{Map, Value};

use super::{decode, decode_pieces, decode_with, lines, texts, types};

/// What JSON allows, as values of a cell.
const ACCEPTED: &[&str] = &[
    "0",
    "-0",
    "-1",
    "123",
    "1e1",
    "1E+2",
    "1e-2",
    "123.456e78",
    "0e1",
    "-0.0",
    "1.5e+3",
    "true",
    "false",
    "null",
    "\"\"",
    "\" \"",
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
    "\"\\u0061\\u30af\"",
    "\"\\ud801\\udc37\"",
    "\"\u{7f}\"",
    "\"\u{2028}\"",
    "\"\u{10ffff}\"",
    "\"\\u0000\"",
    "\"\\uD83D\\uDE39\"",
    "[]",
    "[ ]",
    "[[]]",
    "[1,null,\"\"]",
    "{}",
    "{\"\":0}",
    "{\"a\":[]}",
    "{\"\\u0000\":1}",
    "[\n1\n,\r\t2 ]",
    "\"\\uDADA\"",
    "\"\\uD800\\uD800\\n\"",
];

/// What JSON does not allow, in whatever place.
const REFUSED: &[&str] = &[
    "",
    "tru",
    "True",
    "nul",
    "nan",
    "NaN",
    "Infinity",
    "-Infinity",
    "01",
    "-01",
    "1.",
    ".5",
    "+1",
    "1e",
    "1e+",
    "-",
    "--1",
    "0x1",
    "1_000",
    "1 2",
    "\"",
    "\"\\x\"",
    "\"\\u12\"",
    "\"\\u12g4\"",
    "\"\\\"",
    "\"\t\"",
    "\"\n\"",
    "'a'",
    "\"\u{1}\"",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[",
    "]",
    "[1",
    "[1}",
    "{",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\" 1}",
    "{a:1}",
    "{1:1}",
    "{\"a\":1,}",
    "{,\"a\":1}",
    "{\"a\":1 \"b\":2}",
    "{\"a\":1,,\"b\":2}",
    "// x\n1",
    "/**/1",
    "1 // x",
    "\u{a0}1",
    "\u{2060}",
    "[1]]",
    "{\"a\":1}}",
    "\\u0020",
    "*",
    "<.>",
    "{\"a\":/*x*/1}",
    "[\"x\"\"y\"]",
    "[1:2]",
    "[\"\",]",
    "-foo",
    "1a",
    "1.2.3",
    "9.e3",
    "2.e+3",
    "0.e1",
    "0.3e",
    "1eE2",
    "-.123",
];

#[test]
fn every_valid_value_is_accepted_as_a_cell_and_every_invalid_one_refused() {
    for value in ACCEPTED {
        let body = format!("{{\"status\": \"completed\", \"data\": [{{\"c\": {value}}}], \"row_count\": 1}}");
        let rows = decode(body.as_bytes()).unwrap_or_else(|error| panic!("{value}: {error}"));
        assert_eq!(rows.len(), 1);
    }
    for value in REFUSED {
        for body in [
            format!("{{\"data\": [{{\"c\": {value}}}]}}"),
            format!("[{{\"ok\": 1}}, {{\"c\": {value}}}]"),
            format!("{{\"d\": {value}, \"data\": []}}"),
            (*value).to_owned(),
        ] {
            assert!(decode(body.as_bytes()).is_err(), "{body}");
        }
    }
}

#[test]
fn invalid_values_are_refused_in_columns_of_text_too() {
    for value in REFUSED {
        let body = format!("[{{\"c\": {{}}}}, {{\"c\": 5}}, {{\"c\": [{value}]}}]");
        // Nothing, in brackets, is an empty array.
        if !value.is_empty() && *value != "1 // x" {
            assert!(decode(body.as_bytes()).is_err(), "{body}");
        }
    }
}

#[test]
fn invalid_utf8_is_refused_at_its_offset() {
    let cases: [(&[u8], u64); 4] = [
        (b"[{\"a\": \"x\xff\"}]", 9),
        (b"[{\"a\xc3\": 1}]", 4),
        (b"[{\"a\": \"\xed\xa0\x80\"}]", 8),
        (b"[{\"a\": \"\\\xc3\"}]", 9),
    ];
    for (body, offset) in cases {
        let error = decode(body).unwrap_err();
        assert_eq!(error.byte_offset, offset, "{error}");
    }
}

#[test]
fn lone_surrogates_become_the_replacement_character_and_are_noted() {
    let rows = decode(br#"[{"a": "\ud800"}, {"a": "x\udc00\ud83d\ude00"}]"#).unwrap();
    assert_eq!(texts(&rows, "a"), [Some("\u{fffd}".to_owned()), Some("x\u{fffd}😀".to_owned())]);
    assert!(rows.notes()[0].message.starts_with("2 lone surrogates"), "{:?}", rows.notes());
}

#[test]
fn nesting_is_bounded_without_recursion_to_any_depth() {
    let nested = |levels: usize| {
        let mut body = b"[{\"c\": ".to_vec();
        body.extend(std::iter::repeat_n(b'[', levels));
        body.extend(std::iter::repeat_n(b']', levels));
        body.extend(b"}]");
        body
    };
    let deep = decode(&nested(127)).unwrap();
    assert!(decode(&nested(128)).unwrap_err().message.contains("128 levels"));
    // Other libraries import fewer levels than JSON may have: what lies deeper is JSON text.
    let data_type = deep.schema().field(0).data_type().to_string();
    assert_eq!(data_type.matches("List(").count(), 23, "{data_type}");
    assert!(data_type.contains("List(Utf8)"), "{data_type}");
    for opening in ["[", "{\"a\":"] {
        let thread = std::thread::Builder::new().stack_size(2 << 20);
        let body = format!("[{{\"c\": {}", opening.repeat(1_000_000));
        let unwrapped = opening.repeat(1_000_000);
        let check = move || {
            assert!(decode(body.as_bytes()).is_err());
            assert!(decode(unwrapped.as_bytes()).is_err());
            decode(&nested(127)).unwrap();
        };
        thread.spawn(check).unwrap().join().unwrap();
    }
}

#[test]
fn the_envelope_may_have_its_members_in_any_order_and_others_too() {
    let body = br#" {"extra": {"deep": [1, {"x": null}]}, "row_count": 2, "data": [ {"a": 1} , {"a": 2} ] , "status": "completed", "n": -1e5 } "#;
    assert_eq!(decode(body).unwrap().len(), 2);
}

#[test]
fn a_bom_in_front_is_skipped_in_any_form_and_in_any_pieces_and_nowhere_else() {
    for (form, body) in [
        (Form::Answer, r#"{"data": [{"a": 1}, {"a": 2}], "row_count": 2}"#),
        (Form::Results, r#"{"data": [{"a": 1}, {"a": 2}]}"#),
        (Form::Any, r#" [{"a": 1}, {"a": 2}]"#),
        (Form::Any, "{\"a\": 1}\n{\"a\": 2}"),
        (Form::Lines, "{\"a\": 1}\n{\"a\": 2}"),
    ] {
        let options = DecodeOptions { form, ..DecodeOptions::default() };
        let with_bom = format!("\u{feff}{body}");
        for piece in 1..5 {
            let rows = decode_pieces(with_bom.as_bytes().chunks(piece), options.clone()).unwrap();
            assert_eq!(lines(&rows), [r#"{"a":1}"#, r#"{"a":2}"#], "{body}");
        }
        assert_eq!(lines(&decode_with(with_bom.as_bytes(), options.clone()).unwrap()).len(), 2);
        for wrong in [format!("\u{feff}{with_bom}"), body.replace(": 2", ": \u{feff}2"), body.replace('2', "2\u{feff}")]
        {
            assert!(decode_with(wrong.as_bytes(), options.clone()).is_err(), "{wrong}");
        }
    }
}

#[test]
fn rows_that_are_not_there_yet_may_be_told_of_as_null() {
    let answer =
        |body: &str| decode_with(body.as_bytes(), DecodeOptions { form: Form::Answer, ..DecodeOptions::default() });
    for pending in [r#"{"status": "running", "data": null}"#, r#"{"data": null, "row_count": 0, "status": "queued"}"#] {
        assert_eq!(answer(pending).unwrap().len(), 0);
    }
    for wrong in
        [r#"{"status": "completed", "data": null}"#, r#"{"data": null}"#, r#"{"status": "running", "data": nul}"#]
    {
        assert!(answer(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn an_envelope_that_is_not_whole_or_not_true_is_refused() {
    let cases = [
        (r#"{"status": "completed", "row_count": 1}"#, "no `data`"),
        (r#"{"data": {"a": 1}}"#, "`data` has to be an array"),
        (r#"{"data": null, "row_count": 0}"#, "`data` has to be an array"),
        (r#"{"data": [{"a": 1}], "row_count": 2}"#, "`row_count` is 2, but the rows are 1"),
        (r#"{"row_count": 1.0, "data": [{"a": 1}]}"#, "`row_count` has to be an integer"),
        (r#"{"data": [], "data": []}"#, "stands twice"),
        (r#"{"data": [1]}"#, "expected a row, which is an object, found `1`"),
        (r#"{"data": [{"a": 1}, null]}"#, "expected a row, which is an object, found `n`"),
        (r#"{"data": [{"a": 1}]"#, "ends early"),
        (r#"{"data": [{"a": tru"#, "ends early at byte 19"),
        (r#"{"data": [{"a": -"#, "ends early at byte 17"),
        (r#"{"data": [{"a": 1."#, "ends early at byte 18"),
        (r#"{"data": [{"a": 1}]} x"#, "text after the end"),
        ("", "empty"),
        ("\u{feff} ", "the body is empty at byte 4"),
        ("7", "expected an object or an array, found `7`"),
        ("<!DOCTYPE html>", "found `<` (is it HTML or XML?)"),
        (r#"[{"a": 1}, ]"#, "found `]` (is there a comma too many?)"),
        (r#"[{"a": 1, }]"#, "found `}` (is there a comma too many?)"),
        (r#"[{"a": NaN}]"#, "found `N` (JSON knows `null`, `true`, `false` and finite numbers)"),
        (r#"[{"a": -Infinity}]"#, "expected digits, found `I` (JSON knows"),
        ("Internal Server Error", "found `I` (is it plain text?)"),
        (r"[{a: 1}]", "expected a key, found `a` (keys stand in double quotes)"),
    ];
    for (body, expected) in cases {
        let error = decode(body.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(expected), "{body}: {error}");
    }
    // Of a job they have the `status` that the service gives, and elsewhere any.
    let of_another = br#"{"status": 200, "data": [{"a": 1}]}"#;
    assert_eq!(decode(of_another).unwrap().len(), 1);
    let error = decode_with(of_another, DecodeOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "`status` has to be a string at byte 11");
    let error = decode(b"  ").unwrap_err();
    assert_eq!(error.to_string(), "the body is empty at byte 2");
}

#[test]
fn rows_before_an_error_are_handed_over() {
    let error = decode(br#"{"data": [{"a": 1}, {"a": 2}, {"a": "x", "b": [{"c": 1}], "d": tru}]}"#).unwrap_err();
    assert_eq!((error.row, error.rows.len()), (Some(2), 2));
    // The row that failed leaves no trace in them.
    assert_eq!((types(&error.rows), error.rows.notes().len()), (vec!["a: Int64".to_owned()], 0));
    assert_eq!(lines(&error.rows)[1], r#"{"a":2}"#);
}

#[test]
fn messages_quote_no_more_of_a_body_than_one_can_read() {
    let key = "k".repeat(1_000_000);
    let error =
        decode(format!("{{\"{key}\": 1, \"{key}\": 2, \"data\": [], \"row_count\": 0}}").as_bytes()).unwrap_err();
    assert!(error.to_string().len() < 512, "{}", error.to_string().len());
}

#[test]
fn what_stands_in_the_envelope_makes_no_notes_on_the_rows() {
    let rows =
        decode(br#"{"extra": {"a": 1, "a": 2, "s": "\ud800"}, "status": "completed", "data": [{"a": 1}]}"#).unwrap();
    assert_eq!(rows.notes(), []);
}

#[test]
fn results_asked_for_too_early_are_no_error_of_the_decoder() {
    let mut decoder = Decoder::new(DecodeOptions::default());
    decoder.feed(br#"{"status": "running", "job_id": "j1"}"#).unwrap();
    let envelope = decoder.finish().unwrap().envelope;
    assert_eq!((envelope.status.as_deref(), envelope.has_data), (Some("running"), false));
    assert_eq!(envelope.job_id.as_deref(), Some("j1"));
}

/// Members that stand in one order, of which no object needs to have all; one name has to be escaped, and all can be.
const MEMBERS: [&str; 15] = [
    "a",
    "ab",
    "abc",
    "a name of more than sixteen bytes",
    "a name of more than sixteen letters",
    "e",
    "é",
    "größe und 東京🎷",
    "g\"",
    "h",
    "",
    "j",
    "k",
    "l",
    "m",
];

/// How the names of a row are written.
#[derive(Debug, Clone, Copy)]
enum Names {
    AsTheyAre,
    InAscii,
    InCapitals,
    AllEscaped,
}

impl Names {
    fn written(self, name: &str) -> String {
        let escaped = |unit: u16| match self {
            Self::InCapitals => format!("\\u{unit:04X}"),
            _ => format!("\\u{unit:04x}"),
        };
        let plain = Value::from(name).to_string();
        let of_character = |character: char| match self {
            Self::AsTheyAre => character.to_string(),
            Self::InAscii | Self::InCapitals if character.is_ascii() => character.to_string(),
            _ => character.encode_utf16(&mut [0; 2]).iter().copied().map(escaped).collect(),
        };
        match self {
            Self::AllEscaped => format!("\"{}\"", name.chars().map(of_character).collect::<String>()),
            _ => plain.chars().map(of_character).collect(),
        }
    }
}

#[test]
fn lone_surrogates_in_a_name_are_counted_in_every_row() {
    let row = r#"{"a\ud800": 1, "b": 2}"#;
    let rows = decode(format!("[{}]", [row; 40].join(", ")).as_bytes()).unwrap();
    assert_eq!(types(&rows), ["a\u{fffd}: Int64", "b: Int64"]);
    assert!(rows.notes().iter().any(|note| note.to_string().contains("40 ")), "{:?}", rows.notes());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn members_may_come_and_go_and_change_their_order_and_how_they_are_written(
        rows in proptest::collection::vec((prop_oneof![
            4 => proptest::sample::subsequence((0..MEMBERS.len()).collect::<Vec<_>>(), 0..=MEMBERS.len()),
            1 => Just((0..MEMBERS.len()).collect::<Vec<_>>()).prop_shuffle(),
            1 => proptest::collection::vec(0..MEMBERS.len(), 0..MEMBERS.len()),
        ], 0usize..8), 1..30),
        names in proptest::sample::subsequence(vec![Names::AsTheyAre, Names::InAscii, Names::InCapitals, Names::AllEscaped], 1..=4),
        between in prop_oneof![Just(","), Just(", "), Just(",\n  "), Just(" ,\r\n\t"), Just(",\n\n          ")],
        colon in prop_oneof![Just(":"), Just(": "), Just(" : ")],
    ) {
        let row = |(members, way): &(Vec<usize>, usize)| {
            let names = names[way % names.len()];
            let member = |at: &usize| format!("{}{colon}{at}", names.written(MEMBERS[*at]));
            let members = members.iter().map(member).collect::<Vec<_>>().join(between);
            format!("{{\"nested\"{colon}{{{members}}}{}{members}}}", if members.is_empty() { "" } else { between })
        };
        let body = format!("[{}]", rows.iter().map(row).collect::<Vec<_>>().join(","));
        let read = decode(body.as_bytes()).unwrap();
        for (line, (members, _)) in lines(&read).iter().zip(&rows) {
            let line: Map<String, Value> = serde_json::from_str(line).unwrap();
            let held: Map<String, Value> = members.iter().map(|&at| (MEMBERS[at].to_owned(), Value::from(at))).collect();
            let nested = line["nested"].as_object().cloned().unwrap_or_default();
            for (name, expected) in MEMBERS.iter().map(|name| (*name, held.get(*name))) {
                let given = |cell: Option<&Value>| cell.filter(|cell| !cell.is_null()).cloned();
                prop_assert_eq!(given(line.get(name)), expected.cloned(), "{} in {}", name, body);
                prop_assert_eq!(given(nested.get(name)), expected.cloned(), "{} in {}", name, body);
            }
        }
        prop_assert_eq!(read.len(), rows.len());
    }
}
