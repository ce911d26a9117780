//! What a body is that nobody has named: results in an envelope, or rows on lines.

use super::cursor::{Cursor, Scan, Stop};
use super::envelope::key;
use super::skip::{self, next_member};

/// As much of the first object is looked at to tell what it is.
const SNIFFED: usize = 64 << 10;

/// Whether the object at the cursor is an envelope, and not the first of many lines.
///
/// Of an object that is still open after [`SNIFFED`] bytes an array `data` makes an envelope. One that ends before is a line
/// if another object follows; else it is an envelope if it has the members of one: an array `data` with a `status`, `row_count`
/// or `job_id` beside it, or nothing else at all.
pub(super) fn is_envelope(cursor: Cursor<'_>) -> Scan<bool> {
    let end = cursor.bytes.len().min(cursor.at + SNIFFED);
    let is_whole = cursor.is_last && end == cursor.bytes.len();
    let mut looking = Cursor { at: cursor.at + 1, ..Cursor::new(&cursor.bytes[..end], is_whole) };
    let mut seen = Sniffed::default();
    match seen.look(&mut looking) {
        Ok(()) => {}
        Err(Stop::More) if !is_whole && end - cursor.at < SNIFFED => return Err(Stop::More),
        // What is wrong with it shows when it is read.
        Err(_) => return Ok(seen.has_data || seen.foreign == 0),
    }
    match looking.peek_token() {
        Ok(b'{') => Ok(false),
        Err(_) if !is_whole && end - cursor.at < SNIFFED => Err(Stop::More),
        _ if seen.has_data => Ok(seen.known > 0 || seen.has_job_id || seen.foreign == 0),
        _ => Ok(seen.known > 0 && seen.foreign == 0),
    }
}

/// The members of the first object.
#[derive(Default)]
struct Sniffed {
    /// Whether there is an array `data`.
    has_data: bool,
    /// Whether there is a `job_id`, which many a row has, too.
    has_job_id: bool,
    /// How many others an envelope has: `status`, `row_count`, a `data` that is no array.
    known: usize,
    /// How many there are besides, a `job_id` among them.
    foreign: usize,
}

impl Sniffed {
    fn look(&mut self, cursor: &mut Cursor<'_>) -> Scan<()> {
        let mut is_first = true;
        while next_member(cursor, &mut is_first)? {
            let (key, _) = key(cursor)?;
            match key.as_str() {
                "data" if cursor.peek_token()? == b'[' => self.has_data = true,
                "status" | "row_count" | "data" => self.known += 1,
                other => {
                    self.has_job_id |= other == "job_id";
                    self.foreign += 1;
                }
            }
            skip::value(cursor, 1)?;
        }
        Ok(())
    }
}
