//! Stepping over values: checked to the letter, kept nowhere.

use super::cursor::{Cursor, MAX_DEPTH, ReadResult};
use super::escape::Unescaped;
use super::step::{next_element, next_member};
use super::unexpected::Expected;

/// Steps over a value; `depth` says how many arrays and objects are around it.
pub(in crate::rows) fn value(cursor: &mut Cursor<'_>, depth: usize) -> ReadResult<()> {
    match cursor.peek_token()? {
        b'"' => string(cursor),
        b'-' | b'0'..=b'9' => cursor.number().map(drop),
        b'[' | b'{' if depth >= MAX_DEPTH => Err(cursor.too_deep()),
        b'[' => array(cursor, depth + 1),
        b'{' => object(cursor, depth + 1),
        _ => cursor.literal().map(drop),
    }
}

fn string(cursor: &mut Cursor<'_>) -> ReadResult<()> {
    cursor.text(&mut Unescaped::default()).map(drop)
}

fn array(cursor: &mut Cursor<'_>, depth: usize) -> ReadResult<()> {
    cursor.at += 1;
    let mut is_first = true;
    while next_element(cursor, &mut is_first)?.is_some() {
        value(cursor, depth)?;
    }
    Ok(())
}

fn object(cursor: &mut Cursor<'_>, depth: usize) -> ReadResult<()> {
    cursor.at += 1;
    let mut is_first = true;
    while next_member(cursor, &mut is_first)? {
        string(cursor)?;
        cursor.expect(b':', Expected::Colon)?;
        value(cursor, depth)?;
    }
    Ok(())
}
