//! What JSON allows as a value, and what it does not.

use super::{decode, texts};

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
    "trux",
    "falsx",
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
fn invalid_values_are_refused_in_columns_that_have_seen_any_kind_of_value() {
    for before in ["true", "1", "-1", "-1.5", "1}, {\"c\": 1.5", "\"x\"", "[1]", "[-1.5]", "{\"a\": 1}"] {
        for value in REFUSED {
            // Enough after it for whatever reads many bytes at once.
            let body = format!("[{{\"c\": {before}}}, {{\"c\": {value}}}]{:80}", "");
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
fn a_fault_has_the_same_place_in_a_row_whose_keys_are_expected() {
    let deep = "[".repeat(129);
    let faults: [&str; 12] = [
        r#"{"a":1,"b":"x","c":nul}"#,
        r#"{"a":1,"b":"x","c":-x}"#,
        r#"{"a":1,"b":"x","c":01}"#,
        r#"{"a":1,"b":"\x","c":1}"#,
        "{\"a\":1,\"b\":\"x\ty\",\"c\":1}",
        r#"{"a":1,"b":"x" "c":1}"#,
        r#"{"a":1,"b":"x","c" 1}"#,
        r#"{"a":1,"b":"x","c":1;}"#,
        r#"{"a":1,"b":"x","c":{"d":1.5,"e":tru}}"#,
        r#"{"a":1,"b":"x","c":[1,2,"y" 3]}"#,
        "{\"a\":1,\n  \"b\":\"x\",\n  \"c\": ?}",
        &format!(r#"{{"a":1,"b":"x","c":{deep}"#),
    ];
    for fault in faults {
        let place = |before: &str| {
            // Enough after it for whatever reads many bytes at once.
            let error = decode(format!("[{before}{fault}{:80}]", "").as_bytes()).unwrap_err();
            (error.byte_offset - before.len() as u64, error.message)
        };
        let good = r#"{"a":1,"b":"x","c":1},"#;
        assert_eq!(place(&good.repeat(20)), place(""), "{fault}");
        let nested = r#"{"a":1,"b":"x","c":{"d":1.5,"e":true}},{"a":1,"b":"x","c":{"d":1.5,"e":true}},"#;
        assert_eq!(place(nested), place(""), "{fault}");
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
