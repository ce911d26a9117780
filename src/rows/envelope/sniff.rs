//! What a body is that nobody has named: results in an envelope, or rows on lines.

use crate::rows::json::cursor::{Cursor, Scan, Stop};
use crate::rows::json::skip;
use crate::rows::json::step::{key, next_member};

/// How much of an array `data` is read to see what follows it, where what stands before it speaks for results or says
/// nothing.
const SNIFFED: usize = 64 << 10;

/// The same where members before it are none that results have: a row with as many objects in one member is not met.
const SNIFFED_OF_ROW: usize = 16 << 20;

/// How much is read of a member that results do not have, where nothing before it speaks for them: what is longer
/// (`features`, `items`) is what the object is there for. Stepping over it takes as long as decoding it.
const SNIFFED_OF_STRANGER: usize = 1 << 20;

/// What a body is that begins with an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    Results,
    Lines,
    /// One row, which holds an array `data` of objects: who gave it may have meant those.
    RowWithData,
    /// A row, as it has a long member that results do not have. What stands behind that was not looked at.
    LongRow,
}

/// What the object at the cursor is.
///
/// An object is a line if another follows it; else it holds results if it has the members of one: an array `data` with
/// a `status`, `row_count` or `job_id` beside it, or nothing else at all. Otherwise it is a row. So the whole object is
/// looked at, but for two members that settle it where they are long: an array `data` of objects is taken for rows, and
/// what stands behind them is checked when they are read; one that results do not have makes a row of it, of which it
/// is seen once it is read whether it has the members of results as well.
pub(super) fn sniff(cursor: Cursor<'_>) -> Scan<Body> {
    let mut looking = Cursor { at: cursor.at + 1, ..cursor };
    let mut seen = Sniffed::default();
    let results_if = |is_so| if is_so { Body::Results } else { Body::Lines };
    match seen.look(&mut looking) {
        Ok(None) => {}
        Ok(Some(body)) => return Ok(body),
        Err(Stop::More) if !cursor.is_last => return Err(Stop::More),
        // What is wrong with it shows when it is read.
        Err(_) => return Ok(results_if(seen.has_data || seen.foreign == 0)),
    }
    match looking.peek_token() {
        Ok(b'{') => Ok(Body::Lines),
        Err(_) if !cursor.is_last => Err(Stop::More),
        _ if seen.has_data && seen.is_like_results() => Ok(Body::Results),
        _ if seen.has_objects => Ok(Body::RowWithData),
        _ => Ok(results_if(!seen.has_data && seen.known > 0 && seen.foreign == 0)),
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
    /// How many others an envelope has: `status`, `row_count`, a `data` that is no array.
    known: usize,
    /// How many there are besides, a `job_id` among them.
    foreign: usize,
}

impl Sniffed {
    /// Looks at all members, or as far as to one so long that it says what the object is.
    fn look(&mut self, cursor: &mut Cursor<'_>) -> Scan<Option<Body>> {
        let mut is_first = true;
        while next_member(cursor, &mut is_first)? {
            let (key, _) = key(cursor)?;
            let (most, if_longer) = match key.as_str() {
                "data" if cursor.peek_token()? == b'[' => {
                    self.has_data = true;
                    self.has_objects = holds_objects(*cursor);
                    (self.most_of_data(), Body::Results)
                }
                "status" | "row_count" | "data" => {
                    self.known += 1;
                    (usize::MAX, Body::Results)
                }
                other => {
                    self.has_job_id |= other == "job_id";
                    self.foreign += 1;
                    (self.most_of_stranger(), Body::LongRow)
                }
            };
            if !skip_within(cursor, most)? {
                return Ok(Some(if_longer));
            }
        }
        Ok(None)
    }

    fn most_of_data(&self) -> usize {
        match (self.has_objects, self.is_like_results()) {
            (false, _) => usize::MAX,
            (true, true) => SNIFFED,
            (true, false) => SNIFFED_OF_ROW,
        }
    }

    fn most_of_stranger(&self) -> usize {
        if self.known > 0 || self.has_job_id || self.has_data { usize::MAX } else { SNIFFED_OF_STRANGER }
    }

    /// Whether what stands beside an array `data` makes results of it.
    fn is_like_results(&self) -> bool {
        self.known > 0 || self.has_job_id || self.foreign == 0
    }
}

/// Whether the array at the cursor begins with an object.
fn holds_objects(mut cursor: Cursor<'_>) -> bool {
    cursor.at += 1;
    matches!(cursor.peek_token(), Ok(b'{'))
}

/// Steps over the value at the cursor, if it takes no more than so many bytes.
fn skip_within(cursor: &mut Cursor<'_>, most: usize) -> Scan<bool> {
    let Some(beginning) = cursor.bytes.get(..cursor.at.saturating_add(most)) else {
        return skip::value(cursor, 1).map(|()| true);
    };
    let mut short = Cursor { bytes: beginning, is_last: false, ..*cursor };
    match skip::value(&mut short, 1) {
        Ok(()) => cursor.at = short.at,
        Err(Stop::More) => return Ok(false),
        Err(stop) => return Err(stop),
    }
    Ok(true)
}
