//! Stepping through arrays and objects: from element to element, and from member to member.

use super::cursor::{Cursor, ReadResult};
use super::unexpected::Expected;

/// Goes on to the next element of an array and gives its first byte, where the cursor then stands; `None` after the
/// array's end.
#[inline]
pub(in crate::rows) fn next_element(cursor: &mut Cursor<'_>, is_first: &mut bool) -> ReadResult<Option<u8>> {
    let was_first = std::mem::replace(is_first, false);
    match cursor.peek_token()? {
        b']' => {
            cursor.at += 1;
            return Ok(None);
        }
        byte if was_first => return Ok(Some(byte)),
        b',' => cursor.at += 1,
        _ => return Err(cursor.unexpected(Expected::InArray)),
    }
    cursor.peek_token().map(Some)
}

/// Whether the byte stands right after an element of an array.
#[inline]
pub(in crate::rows) fn ends_element(byte: u8) -> bool {
    matches!(byte, b',' | b']')
}

/// Goes on to the next member of an object and stands on its key; `false` after the object's end.
#[inline]
pub(in crate::rows) fn next_member(cursor: &mut Cursor<'_>, is_first: &mut bool) -> ReadResult<bool> {
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
pub(in crate::rows) fn key(cursor: &mut Cursor<'_>) -> ReadResult<(String, usize)> {
    let at = cursor.at;
    let key = cursor.string()?;
    cursor.expect(b':', Expected::Colon)?;
    Ok((key, at))
}
