//! What a body is that nobody has named: results in an envelope, or rows on lines.

use crate::rows::json::cursor::{Cursor, ReadResult, Stop};
use crate::rows::json::step::{key, next_member};
use crate::rows::json::unexpected::Expected;
use crate::rows::json::{brackets, skip};

/// How much of an array `data` is read to see what follows it, where what stands before it speaks for results or says
/// nothing.
const SNIFFED: usize = 64 << 10;

/// How much of it is read where the members before it are not those of results: no real row holds as many objects in
/// one member.
const SNIFFED_OF_ROW: usize = 16 << 20;

/// What a body is that begins with an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    Results,
    Lines,
    /// One row, which holds an array `data` of objects: the caller may have meant those.
    RowWithData,
    /// One row, which holds objects in one other array: the caller may have meant those.
    RowWithObjects,
    /// One row with all that results have, but no `data`.
    RowLikeResults,
}

/// What the object at the cursor is.
///
/// An object is a line if another follows it; else it holds results if it has the members of one: an array `data` with
/// a `status`, `row_count` or `job_id` beside it, or nothing else at all. Otherwise it is a row. So the whole object is
/// looked at, but for an array `data` of objects, which is taken for rows where it is long: what stands after them is
/// checked when they are read. Values are stepped over unchecked, as what is wrong in them shows when they are read.
pub(super) fn sniff(cursor: Cursor<'_>) -> ReadResult<Body> {
    let mut looking = Cursor { at: cursor.at + 1, ..cursor };
    let mut seen = Sniffed::default();
    let results_if = |is_so| if is_so { Body::Results } else { Body::Lines };
    match seen.look(&mut looking) {
        Ok(true) => {}
        Ok(false) => return Ok(Body::Results),
        Err(Stop::NeedMore) if !cursor.is_last => return Err(Stop::NeedMore),
        // What is wrong with it shows when it is read.
        Err(_) => return Ok(results_if(seen.has_data || seen.foreign == 0)),
    }
    match looking.peek_token() {
        Ok(b'{') => Ok(Body::Lines),
        Err(_) if !cursor.is_last => Err(Stop::NeedMore),
        _ if seen.has_data && seen.is_like_results() => Ok(Body::Results),
        _ if seen.has_objects => Ok(Body::RowWithData),
        _ if seen.has_data || seen.foreign == 0 => Ok(results_if(!seen.has_data && seen.known() > 0)),
        _ if seen.statuses > 0 && seen.row_counts > 0 => Ok(Body::RowLikeResults),
        _ if seen.is_like_page() => Ok(Body::RowWithObjects),
        _ => Ok(Body::Lines),
    }
}

/// The members of the first object.
#[derive(Default)]
struct Sniffed {
    /// Whether there is an array `data`.
    has_data: bool,
    /// Whether there are objects in it.
    has_objects: bool,
    /// Whether there is a `job_id`, which many a row has, too.
    has_job_id: bool,
    /// How many others an envelope has: each `status`, each `row_count`, and each `data` that is no array.
    statuses: usize,
    row_counts: usize,
    other_data: usize,
    /// How many there are besides, a `job_id` among them.
    foreign: usize,
    /// How many members are in those of them that are objects themselves.
    within: usize,
    /// How many of these and of those within are arrays of two objects or more.
    arrays_of_objects: usize,
    /// How many are arrays of one object.
    arrays_of_one: usize,
}

impl Sniffed {
    /// Looks at all members; `false` where the rows of results were found, and are so long that no more was looked at.
    fn look(&mut self, cursor: &mut Cursor<'_>) -> ReadResult<bool> {
        let mut is_first = true;
        while next_member(cursor, &mut is_first)? {
            let (key, _) = key(cursor)?;
            match key.as_str() {
                "data" if cursor.peek_token()? == b'[' => {
                    self.has_data = true;
                    self.has_objects = holds_objects(*cursor);
                    if self.has_objects && is_longer(*cursor, self.most_of_rows()) {
                        return Ok(false);
                    }
                }
                "status" => self.statuses += 1,
                "row_count" => self.row_counts += 1,
                "data" => self.other_data += 1,
                other => {
                    self.has_job_id |= other == "job_id";
                    self.foreign += 1;
                    if cursor.peek_token()? == b'{' {
                        self.look_into(cursor)?;
                        continue;
                    }
                    self.see_array(*cursor);
                }
            }
            step_over(cursor)?;
        }
        Ok(true)
    }

    /// Looks at the members of the object at the cursor, which is one of these.
    fn look_into(&mut self, cursor: &mut Cursor<'_>) -> ReadResult<()> {
        cursor.at += 1;
        let mut is_first = true;
        while next_member(cursor, &mut is_first)? {
            step_over(cursor)?;
            cursor.expect(b':', Expected::Colon)?;
            cursor.peek_token()?;
            self.within += 1;
            self.see_array(*cursor);
            step_over(cursor)?;
        }
        Ok(())
    }

    /// Counts the value at the cursor if it is an array of objects.
    fn see_array(&mut self, cursor: Cursor<'_>) {
        self.arrays_of_objects += usize::from(holds_two_objects(cursor));
        self.arrays_of_one += usize::from(holds_one_object(cursor));
    }

    /// Whether it may be a page: there is one array of objects, or nothing else but one of a single object.
    fn is_like_page(&self) -> bool {
        let others = self.foreign - usize::from(self.has_job_id);
        self.arrays_of_objects == 1 || self.arrays_of_one == 1 && others == 1 && self.within <= 1
    }

    fn most_of_rows(&self) -> usize {
        if self.is_like_results() { SNIFFED } else { SNIFFED_OF_ROW }
    }

    /// Whether what stands beside an array `data` makes results of it.
    fn is_like_results(&self) -> bool {
        self.known() > 0 || self.has_job_id || self.foreign == 0
    }

    fn known(&self) -> usize {
        self.statuses + self.row_counts + self.other_data
    }
}

/// Whether the array at the cursor begins with an object.
fn holds_objects(mut cursor: Cursor<'_>) -> bool {
    cursor.at += 1;
    matches!(cursor.peek_token(), Ok(b'{'))
}

/// Whether an array is at the cursor that begins with two objects.
fn holds_two_objects(cursor: Cursor<'_>) -> bool {
    let is_second = |mut cursor: Cursor<'_>| {
        cursor.expect(b',', Expected::InArray)?;
        cursor.peek_token()
    };
    after_first_object(cursor).is_some_and(|cursor| matches!(is_second(cursor), Ok(b'{')))
}

/// Whether the value at the cursor is an array of one object.
fn holds_one_object(cursor: Cursor<'_>) -> bool {
    after_first_object(cursor).is_some_and(|mut cursor| matches!(cursor.peek_token(), Ok(b']')))
}

/// The place after the first element of the array at the cursor, if there is an array and that element is an object.
fn after_first_object(mut cursor: Cursor<'_>) -> Option<Cursor<'_>> {
    if cursor.bytes[cursor.at] != b'[' || !holds_objects(cursor) {
        return None;
    }
    cursor.at += 1;
    step_over(&mut cursor).ok()?;
    Some(cursor)
}

/// Whether the array at the cursor goes on for more than `most` bytes.
fn is_longer(cursor: Cursor<'_>, most: usize) -> bool {
    let beginning = cursor.bytes.get(..cursor.at.saturating_add(most));
    beginning.is_some_and(|beginning| brackets::end_of_nested(beginning, cursor.at).is_none())
}

/// Steps over the value at the cursor, whatever is in it.
fn step_over(cursor: &mut Cursor<'_>) -> ReadResult<()> {
    let after = match cursor.peek_token()? {
        b'"' => brackets::end_of_string(cursor.bytes, cursor.at),
        b'[' | b'{' => brackets::end_of_nested(cursor.bytes, cursor.at),
        _ => return skip::value(cursor, 1),
    };
    cursor.at = after.ok_or(Stop::NeedMore)?;
    Ok(())
}
