//! Stepping from member to member, and over values: checked to the letter, kept nowhere.

use super::cursor::{Cursor, MAX_DEPTH, Scan};
use super::escape::Unescaped;
use super::unexpected::Expected;

/// Goes on to the next member of an object and stands on its key; `false` behind the object's end.
#[inline]
pub(in crate::rows) fn next_member(cursor: &mut Cursor<'_>, is_first: &mut bool) -> Scan<bool> {
    let was_first = std::mem::replace(is_first, false);
    match cursor.peek_token()? {
        b'"' if was_first => return Ok(true),
        b'}' => {
            cursor.at += 1;
            return Ok(false);
        }
        b',' if !was_first => cursor.at += 1,
        _ if was_first => return Err(cursor.unexpected(Expected::Key)),
        _ => return Err(cursor.unexpected(Expected::InObject)),
    }
    if cursor.peek_token()? == b'"' { Ok(true) } else { Err(cursor.unexpected(Expected::Key)) }
}

/// Takes the key at the cursor and its colon. Gives the key, and where it stands.
pub(in crate::rows) fn key(cursor: &mut Cursor<'_>) -> Scan<(String, usize)> {
    let at = cursor.at;
    let key = cursor.string()?;
    cursor.expect(b':', Expected::Colon)?;
    Ok((key, at))
}

/// Steps over a value; `depth` is the nesting of what it stands in.
pub(in crate::rows) fn value(cursor: &mut Cursor<'_>, depth: usize) -> Scan<()> {
    match cursor.peek_token()? {
        b'"' => string(cursor),
        b'-' | b'0'..=b'9' => cursor.number().map(drop),
        b'n' => cursor.word(b"null"),
        b't' => cursor.word(b"true"),
        b'f' => cursor.word(b"false"),
        b'[' | b'{' if depth >= MAX_DEPTH => Err(cursor.too_deep()),
        b'[' => array(cursor, depth + 1),
        b'{' => object(cursor, depth + 1),
        _ => Err(cursor.unexpected(Expected::Value)),
    }
}

fn string(cursor: &mut Cursor<'_>) -> Scan<()> {
    cursor.text(&mut Unescaped::default()).map(drop)
}

fn array(cursor: &mut Cursor<'_>, depth: usize) -> Scan<()> {
    cursor.at += 1;
    if cursor.peek_token()? == b']' {
        cursor.at += 1;
        return Ok(());
    }
    loop {
        value(cursor, depth)?;
        match cursor.peek_token()? {
            b',' => cursor.at += 1,
            b']' => break cursor.at += 1,
            _ => return Err(cursor.unexpected(Expected::InArray)),
        }
    }
    Ok(())
}

fn object(cursor: &mut Cursor<'_>, depth: usize) -> Scan<()> {
    cursor.at += 1;
    let mut is_first = true;
    while next_member(cursor, &mut is_first)? {
        string(cursor)?;
        cursor.expect(b':', Expected::Colon)?;
        value(cursor, depth)?;
    }
    Ok(())
}
