//! The comparison: panics where the decoder and the model differ, or two ways through the decoder.

use rowhaul::rows::{DecodeError, Form};

use crate::decode::{Way, in_every_way};
use crate::{bodies, cells, types};

/// Decodes a body that is said to be of this form, and holds the result against the model.
///
/// `Form::Any` decides by itself what a body that starts with `{` is; then it has to give what that form gives.
pub fn check(body: &[u8], form: Form, piece: usize, batch_rows: usize) {
    let ways = in_every_way(body, form.clone(), piece, batch_rows);
    for way in &ways[1..] {
        compare_ways(&ways[0], way);
    }
    if form != Form::Any || is_array(body) {
        let expected = bodies::rows(body, form);
        for (name, result) in &ways {
            match (result, &expected) {
                (Ok(table), Some(rows)) => {
                    assert_eq!(table.columns, types::columns(rows), "columns, {name}");
                    cells::compare(&table.batches, rows);
                }
                (Err(_), None) => {}
                (Ok(_), None) => panic!("accepted, {name}, but must be refused"),
                (Err(error), Some(_)) => panic!("refused, {name}: {error}"),
            }
        }
    } else if let Ok(table) = &ways[0].1 {
        let rows = [Form::Results, Form::Lines].into_iter().filter_map(|form| bodies::rows(body, form));
        assert!(
            rows.into_iter().any(|rows| types::columns(&rows) == table.columns),
            "neither an envelope nor lines: {:?}",
            table.columns
        );
    }
}

fn compare_ways((name, first): &Way, (other, second): &Way) {
    match (first, second) {
        (Ok(first), Ok(second)) => {
            assert_eq!(first.columns, second.columns, "columns, {name} and {other}");
            assert_eq!(first.notes, second.notes, "notes, {name} and {other}");
        }
        (Err(first), Err(second)) => assert_eq!(told(first), told(second), "errors, {name} and {other}"),
        _ => panic!("{name}: {:?}; {other}: {:?}", first.as_ref().err(), second.as_ref().err()),
    }
}

/// What an error says, and how many rows it says were read.
fn told(error: &DecodeError) -> (&str, u64, Option<u64>) {
    (&error.message, error.byte_offset, error.row)
}

fn is_array(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    body.trim_ascii_start().first() == Some(&b'[')
}
