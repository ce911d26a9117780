//! What a body is that nobody has named: results, or rows on lines.

use std::io::Cursor;

use rowhaul::rows::{DecodeOptions, Decoder, Form, Note, Survey};

use super::{decode, decode_pieces, decode_with, types};

#[test]
fn lines_are_read_one_object_each() {
    let rows = decode(b"{\"a\": 1}\n\n{\"a\": 2, \"b\": \"x\"}\r\n").unwrap();
    assert_eq!(rows.len(), 2);
    assert!(decode(b"{\"a\": 1} {\"a\": 2}").is_err());
    assert!(decode(b"{\"a\": 1}\n[]").is_err());
    // Lines that look like envelopes are lines as soon as a second one follows, or something else stands in them.
    for body in
        ["{\"id\": 1, \"data\": [{\"x\": 1}]}\n{\"id\": 2, \"data\": []}", "{\"status\": \"a\"}\n{\"status\": \"b\"}"]
    {
        assert_eq!(decode(body.as_bytes()).unwrap().len(), 2, "{body}");
    }
    assert_eq!(types(&decode(br#"{"id": 1, "data": [{"x": 1}]}"#).unwrap())[0], "id: Int64");
    assert_eq!(types(&decode(br#"{"job_id": "j1", "data": [{"x": 1}]}"#).unwrap()), ["x: Int64"]);
    for line in [r#"{"job_id": "a"}"#, r#"{"job_id": "a", "status": "running", "row_count": 0}"#] {
        assert_eq!(decode(line.as_bytes()).unwrap().len(), 1, "{line}");
    }
    let error = decode(br#"{"job_id": "j1", "data": [1]}"#).unwrap_err();
    assert!(error.message.ends_with("one object is one row)"), "{error}");
    let lines_only = DecodeOptions { form: Form::Lines, ..DecodeOptions::default() };
    let rows = decode_with(b"{\"data\": [{\"x\": 1}]}\n{\"data\": []}", lines_only).unwrap();
    assert_eq!(types(&rows), ["data: List(Struct(\"x\": Int64))"]);
}

#[test]
fn one_row_with_an_array_data_of_objects_is_said_to_be_one() {
    for (body, is_said) in [
        (r#"{"total": 2, "data": [{"a": 1}, {"a": 2}]}"#, true),
        (r#"{"data": [{"a": 1}], "page": {"next": null}}"#, true),
        (r#"{"total": 2, "data": [1, 2]}"#, false),
        (r#"{"total": 2, "data": []}"#, false),
        (r#"{"total": 2, "items": [{"a": 1}]}"#, false),
        (r#"{"items": [{"a": 1}]}"#, true),
        (r#"{"result": {"items": [{"a": 1}]}}"#, true),
        (r#"{"result": {"items": [{"a": 1}], "next": null}}"#, false),
        (r#"{"result": {"items": [{"a": 1}, {"a": 2}], "next": null}}"#, true),
        (r#"{"job_id": "j1", "items": [{"a": 1}]}"#, true),
        (r#"{"items": [1]}"#, false),
        (r#"{"items": [{"a": 1}, 2]}"#, false),
        (r#"{"items": []}"#, false),
        (r#"{"total": 2, "items": [{"a": 1}, {"a": 2}]}"#, true),
        (r#"{"total": 2, "items": [{"a": 1}, 2]}"#, false),
        (r#"{"total": 2, "items": [{"a": 1}, {"a": 2}], "more": [{}, {}]}"#, false),
        (r#"{"status": "failed", "row_count": 0, "error": "quota"}"#, true),
        (r#"{"status": "failed", "error": "quota"}"#, false),
        (r#"{"status": "success", "data": {"a": 1}, "message": null}"#, false),
        ("{\"total\": 2, \"data\": [{\"a\": 1}]}\n{\"total\": 3}", false),
        (r#"{"job_id": "j1", "data": [{"a": 1}]}"#, false),
    ] {
        for (form, is_said) in [(Form::Any, is_said), (Form::Lines, false)] {
            let rows = decode_with(body.as_bytes(), DecodeOptions { form, ..DecodeOptions::default() }).unwrap();
            let is_it = |note: &Note| note.to_string().contains("read as one row");
            assert_eq!(rows.notes().iter().any(is_it), is_said, "{body} {:?}", rows.notes());
        }
    }
}

#[test]
fn what_is_said_of_a_body_is_said_of_the_rows_before_a_fault_and_of_a_stream_as_well() {
    let body = r#"{"total": 2, "data": [{"a": 1}, {"a": 2}]}"#;
    let error = decode(format!("{body} x").as_bytes()).unwrap_err();
    let of_whole = decode(body.as_bytes()).unwrap().notes().to_vec();
    assert_eq!((error.rows.len(), error.rows.notes(), of_whole.len()), (1, &of_whole[..], 1));
    for piece in [1, 7, 1000] {
        let mut survey = Survey::new(DecodeOptions { form: Form::Any, ..DecodeOptions::default() });
        body.as_bytes().chunks(piece).for_each(|piece| survey.feed(piece).unwrap());
        let batches = survey.finish().unwrap().batches(Cursor::new(body.as_bytes())).unwrap();
        assert_eq!(batches.notes(), of_whole);
    }
}

#[test]
fn however_long_its_members_are_an_object_is_an_envelope_or_a_line_as_it_is_with_short_ones() {
    let cases = [
        (r#"{"id": 7, "name": "z", "data": [{"a": "LONG"}]}"#, 3),
        (r#"{"id": 7, "name": "LONG", "data": [{"a": 1}]}"#, 3),
        (r#"{"id": 7, "data": [{"a": "LONG"}], "row_count": 1}"#, 1),
        (r#"{"status": "completed", "row_count": 1, "meta": "LONG", "data": [{"a": 1}]}"#, 1),
        (r#"{"meta": "LONG", "status": "completed", "data": [{"a": "LONG"}]}"#, 1),
        (r#"{"meta": "LONG", "data": [{"a": 1}], "status": "completed"}"#, 1),
        (r#"{"job_id": "j1", "data": [{"a": "LONG"}]}"#, 1),
        (r#"{"data": [{"a": "LONG"}], "meta": "LONG", "row_count": 1}"#, 1),
        (r#"{"data": [{"a": 1}], "meta": "LONG"}"#, 2),
        (r#"{"status": "a", "text": "LONG"}"#, 2),
        (r#"{"data": [{"a": "LONG"}]}"#, 1),
        (r#"{"features": "LONG", "bbox": [1]}"#, 2),
        (r#"{"features": "LONG", "data": [1], "page": "x"}"#, 3),
        (r#"{"features": [{"a": "LONG"}], "data": [{"b": 1}], "job_id": "j1"}"#, 1),
    ];
    for (template, columns) in cases {
        for length in [1, 70_000, 1_100_000] {
            let body = template.replace("LONG", &"x".repeat(length));
            assert_eq!(types(&decode(body.as_bytes()).unwrap()).len(), columns, "{template}, {length}");
            let in_pieces = decode_pieces(
                body.as_bytes().chunks(9_000.max(length / 9)),
                DecodeOptions { form: Form::Any, ..DecodeOptions::default() },
            );
            assert_eq!(types(&in_pieces.unwrap()).len(), columns, "{template}, {length}, in pieces");
        }
    }
    let lines = r#"{"id": 1, "data": [{"a": "LONG"}]}"#.replace("LONG", &"x".repeat(70_000));
    assert_eq!(decode(format!("{lines}\n{lines}").as_bytes()).unwrap().len(), 2);
    let numbers = format!("{{\"status\": \"a\", \"data\": [{}0.5]}}", "0.5, ".repeat(20_000));
    assert_eq!(decode(format!("{numbers}\n{numbers}").as_bytes()).unwrap().len(), 2);
}

#[test]
fn results_are_read_as_they_come_whatever_stands_before_their_rows() {
    let row = format!("{{\"a\": \"{}\"}}", "x".repeat(1_000));
    let rows = vec![row; 20_000].join(",");
    for meta in ["a/b", &"x".repeat(1_100_000)] {
        let body = format!("{{\"meta\": \"{meta}\", \"data\": [{rows}], \"status\": \"completed\"}}");
        let mut decoder = Decoder::new(DecodeOptions { form: Form::Any, threads: 1, ..DecodeOptions::default() });
        decoder.feed(&body.as_bytes()[..meta.len() + (18 << 20)]).unwrap();
        decoder.drain().unwrap();
        assert!(decoder.rows_read() > 18_000, "{}", decoder.rows_read());
        decoder.feed(&body.as_bytes()[meta.len() + (18 << 20)..]).unwrap();
        assert_eq!(types(&decoder.finish().unwrap().rows), ["a: Utf8"]);
    }
}

#[test]
fn a_long_array_data_is_not_read_as_rows_where_what_stands_after_it_would_be_lost() {
    let body = r#"{"data": [{"a": "LONG"}], "meta": {"page": 1}}"#.replace("LONG", &"x".repeat(70_000));
    let error = decode(body.as_bytes()).unwrap_err();
    assert!(error.to_string().starts_with("`meta` stands beside `data`"), "{error}");
    let lines_only = DecodeOptions { form: Form::Lines, ..DecodeOptions::default() };
    assert_eq!(types(&decode_with(body.as_bytes(), lines_only).unwrap()).len(), 2);
}
