//! CSV as rows, and rows as CSV.

use arrow_array::RecordBatch;
use rowhaul::rows::{DecodeOptions, decode_csv, write};

use super::{decode, texts, types};

#[test]
fn csv_stays_text_and_what_is_written_reads_back() {
    let rows = decode_csv(b"id,name\r\n007,\"a, \"\"b\"\"\"\r\n,x\r\n", 10_000).unwrap();
    assert_eq!(texts(&rows, "id"), [Some("007".to_owned()), None]);
    assert!(decode_csv(b"a,a\n1,2\n", 10_000).is_err());
    let none = decode_csv(b"id,name\n", 10_000).unwrap();
    assert_eq!((types(&none), none.len()), (vec!["id: Utf8".to_owned(), "name: Utf8".to_owned()], 0));
    let rows = decode(br#"[{"f": "=1+1", "n": -5, "o": {"b": 1, "a": "x,y"}, "t": "line\nbreak"}]"#).unwrap();
    let mut out = Vec::new();
    write::write_csv(&rows, &mut out, write::CsvOptions { escape_formulas: true }).unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "f,n,o,t\r\n'=1+1,-5,\"{\"\"a\"\":\"\"x,y\"\",\"\"b\"\":1}\",\"line\nbreak\"\r\n"
    );
}

#[test]
fn csv_of_more_columns_than_are_allowed_is_refused() {
    assert_eq!(decode_csv(b"a,b\n1,2\n", 2).unwrap().len(), 1);
    let error = decode_csv(b"a,b\n1,2\n", 1).unwrap_err();
    assert!(error.to_string().starts_with("more columns than `max_columns` allows (1)"), "{error}");
}

#[test]
fn csv_comes_in_batches_of_bounded_size() {
    let (most, long) = (DecodeOptions::default().batch_rows, "x".repeat(9 << 20));
    let rows = decode_csv(format!("a\n{}{long}\n{long}\nz\n", "y\n".repeat(most + 1)).as_bytes(), 10_000).unwrap();
    let lengths: Vec<_> = rows.batches().iter().map(RecordBatch::num_rows).collect();
    assert_eq!(lengths, [most, 3, 1]);
    let texts = texts(&rows, "a");
    assert_eq!(
        (texts[most].as_deref(), texts[most + 2].as_ref(), texts[most + 3].as_deref()),
        (Some("y"), Some(&long), Some("z"))
    );
}

#[test]
fn csv_with_a_fault_hands_over_the_records_before_it() {
    let error = decode_csv(b"\xef\xbb\xbfa,b\n1,2\n3\n4,5\n", 10_000).unwrap_err();
    assert_eq!((error.row, error.rows_read, error.byte_offset), (Some(1), 1, 11), "{error}");
    assert_eq!(texts(&error.rows, "b"), [Some("2".to_owned())]);
    let error = decode_csv(b"a,b\n1,\"2\n\"\n3,\"open\n4,5\n", 10_000).unwrap_err();
    assert_eq!((error.message.as_str(), error.row, error.byte_offset), ("a quoted field is never closed", Some(1), 13));
    assert_eq!(texts(&error.rows, "b"), [Some("2\n".to_owned())]);
    for (body, row) in [("a,\"b\n1,2\n", None), ("\"", None), ("a\n\"1\"\"", Some(0)), ("a\r\n\"\"\"\r\n", Some(0))] {
        let error = decode_csv(body.as_bytes(), 10_000).unwrap_err();
        assert_eq!((error.message.as_str(), error.row), ("a quoted field is never closed", row), "{body}");
        assert_eq!(error.rows.schema().fields().is_empty(), row.is_none(), "{body}");
    }
    let error = decode_csv(b"a,b\n1,\xff\n", 10_000).unwrap_err();
    assert!(error.message.starts_with("not CSV: field 2 of a record is not valid UTF-8"), "{error}");
}

#[test]
fn only_at_the_beginning_of_a_field_of_csv_a_quote_opens_one() {
    let sizes = |body: &[u8]| texts(&decode_csv(body, 10_000).unwrap(), "size");
    assert_eq!(sizes(b"size\n5\" pipe\n6\"\n"), [Some("5\" pipe".to_owned()), Some("6\"".to_owned())]);
    assert_eq!(sizes(b"size,n\n5\" by 6\",1\n\"7\"\"\",2"), [Some("5\" by 6\"".to_owned()), Some("7\"".to_owned())]);
    assert_eq!(sizes(b"size\n\"a\"b\"\n"), [Some("ab\"".to_owned())]);
}
