//! The canonical JSON text of a value read from the body, for columns that hold text.
//!
//! RFC 8785 with two changes: integers keep all their digits, and members that are null are left out. Objects are sorted, so
//! their members are collected first; this is the one place where a value of the body is held besides its column.

use super::columns::{Counts, utf16_order};
use super::cursor::{Cursor, MAX_DEPTH, Scan};
use super::escape::Unescaped;
use super::skip::next_member;
use super::text::write_string;
use super::unexpected::Expected;

/// Reads the next value and appends its canonical text; `depth` is the nesting of what it stands in.
pub(super) fn write_next(cursor: &mut Cursor<'_>, counts: &mut Counts, depth: usize, out: &mut Vec<u8>) -> Scan<()> {
    match cursor.peek_token()? {
        b'"' => {
            let text = string(cursor, counts)?;
            write_string(&text, out);
        }
        b'-' | b'0'..=b'9' => cursor.number()?.write(out),
        b'n' => {
            cursor.word(b"null")?;
            out.extend_from_slice(b"null");
        }
        b't' => {
            cursor.word(b"true")?;
            out.extend_from_slice(b"true");
        }
        b'f' => {
            cursor.word(b"false")?;
            out.extend_from_slice(b"false");
        }
        b'[' | b'{' if depth >= MAX_DEPTH => {
            return Err(cursor.too_deep());
        }
        b'[' => write_array(cursor, counts, depth + 1, out)?,
        b'{' => write_object(cursor, counts, depth + 1, out)?,
        _ => return Err(cursor.unexpected(Expected::Value)),
    }
    Ok(())
}

fn write_array(cursor: &mut Cursor<'_>, counts: &mut Counts, depth: usize, out: &mut Vec<u8>) -> Scan<()> {
    cursor.at += 1;
    out.push(b'[');
    if cursor.peek_token()? == b']' {
        cursor.at += 1;
    } else {
        loop {
            write_next(cursor, counts, depth, out)?;
            match cursor.peek_token()? {
                b',' => out.push(b','),
                b']' => break cursor.at += 1,
                _ => return Err(cursor.unexpected(Expected::InArray)),
            }
            cursor.at += 1;
        }
    }
    out.push(b']');
    Ok(())
}

fn write_object(cursor: &mut Cursor<'_>, counts: &mut Counts, depth: usize, out: &mut Vec<u8>) -> Scan<()> {
    cursor.at += 1;
    let mut members: Vec<(String, Vec<u8>)> = Vec::new();
    let mut is_first = true;
    while next_member(cursor, &mut is_first)? {
        let key = string(cursor, counts)?;
        let key = String::from_utf8(key).map_err(|_| cursor.bad("invalid UTF-8"))?;
        cursor.expect(b':', Expected::Colon)?;
        let mut text = Vec::new();
        write_next(cursor, counts, depth, &mut text)?;
        members.push((key, text));
    }
    // The sort is stable, so of equal keys the last is the last sent, and that one counts.
    members.sort_by(|(a, _), (b, _)| utf16_order(a, b));
    out.push(b'{');
    let mut is_first = true;
    for (at, (key, text)) in members.iter().enumerate() {
        if members.get(at + 1).is_some_and(|(next, _)| next == key) {
            counts.overwritten += 1;
            continue;
        }
        if text == b"null" {
            continue;
        }
        if !std::mem::take(&mut is_first) {
            out.push(b',');
        }
        write_string(key.as_bytes(), out);
        out.push(b':');
        out.extend_from_slice(text);
    }
    out.push(b'}');
    Ok(())
}

/// Takes a string and resolves its escapes.
fn string(cursor: &mut Cursor<'_>, counts: &mut Counts) -> Scan<Vec<u8>> {
    let mut unescaped = Unescaped::default();
    let text = cursor.text(&mut unescaped)?;
    counts.lone_surrogates += text.lone_surrogates;
    Ok(text.bytes().to_vec())
}
