//! What stands around the rows.

use rowhaul::rows::{DecodeOptions, Decoder, Form};

use super::{decode, decode_pieces, decode_with, lines, types};

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
        (r#"{"data": [], "data": []}"#, "`data` appears twice in the results object"),
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
        (r#"[{"a": NaN}]"#, "found `N` (JSON has no NaN, Infinity or None: it has to be written as `null`)"),
        (r#"[{"a": -Infinity}]"#, "expected digits, found `I` (JSON has no NaN, Infinity or None"),
        ("Internal Server Error", "found `I` (is it plain text?)"),
        (r"[{a: 1}]", "expected a key, found `a` (keys are written in double quotes)"),
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
fn a_string_that_is_none_leaves_no_trace_in_the_rows_before_it() {
    for (column, before) in [("a: Int64", "1"), ("a: Utf8", "\"x\\n\"")] {
        for string in [r#""x\q""#, r#""x\n"#, "\"x\\n\u{1}\"", r#""x\ud8"#] {
            let error = decode(format!(r#"[{{"a":{before}}},{{"a":{string}"#).as_bytes()).unwrap_err();
            assert_eq!((types(&error.rows), error.rows.notes().len()), (vec![column.to_owned()], 0), "{string}");
            assert_eq!(lines(&error.rows), [format!(r#"{{"a":{before}}}"#)], "{string}");
        }
    }
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
