//! Values that do not count, because their keys come again later in the same object.

use std::borrow::Cow;

use hashbrown::HashMap;

use crate::rows::json::cursor::{Cursor, ReadResult, Stop};
use crate::rows::json::escape::Unescaped;
use crate::rows::json::skip;
use crate::rows::json::step::next_member;
use crate::rows::json::unexpected::Expected;

/// Whether duplicates are looked for before the values of a row are read.
///
/// Mostly they are not, and a duplicate key is noticed only when its first value is already read. The row is then read
/// once more and they are looked for, so that a value which does not count teaches nothing; and so it is in the rows
/// that follow, as long as they have any.
#[derive(Debug, Default)]
pub(in crate::rows) struct Watch {
    is_on: bool,
    /// In how many rows more they are looked for, whether or not there are any.
    rows_more: usize,
    /// Whether one was met in the row being read.
    has_met_one: bool,
}

impl Watch {
    pub(in crate::rows::columns) fn is_on(&self) -> bool {
        self.is_on
    }

    pub(in crate::rows::columns) fn met_one(&mut self) {
        self.has_met_one = true;
    }

    /// Takes note of a row that was read.
    #[inline]
    pub(in crate::rows::columns) fn row_ended(&mut self) {
        self.is_on = std::mem::take(&mut self.has_met_one) || self.rows_more > 0;
        self.rows_more = self.rows_more.saturating_sub(1);
    }

    /// Takes note of a row that was taken back.
    pub(in crate::rows::columns) fn row_undone(&mut self) {
        self.has_met_one = false;
    }

    /// Takes note of a row that is whole and has failed, for which `moved` values had moved to another storage. Returns
    /// whether it is to be read again; `is_inherited` says whether the watch was on already, from the rows before.
    ///
    /// Watching changes which of two faults is found first, but the reported fault must not depend on earlier rows. So
    /// a row that fails while the watch is inherited is re-read without it; one with too many columns is re-read with
    /// it, as some of them may come from a discarded value. To tell that, the whole row must be there.
    pub(in crate::rows::columns) fn row_failed(&mut self, stop: &Stop, moved: usize, is_inherited: &mut bool) -> bool {
        let was_on = std::mem::take(&mut self.is_on);
        if was_on || !matches!(stop, Stop::DuplicateKey | Stop::TooManyColumns(_)) {
            return std::mem::take(is_inherited);
        }
        self.is_on = true;
        // A discarded value made `moved` values change storage for nothing. Keep watching for that many rows, so that
        // the conversion cost is amortised to O(1) a row.
        self.rows_more = self.rows_more.max(moved);
        true
    }
}

/// The values of one object whose keys come again later in it.
pub(in crate::rows::columns) struct Duplicates {
    /// Where they begin, after their colons, in reverse order.
    places: Vec<usize>,
}

impl Duplicates {
    /// Those in the object at the cursor.
    pub(in crate::rows::columns) fn of(mut cursor: Cursor<'_>) -> ReadResult<Self> {
        let mut last: HashMap<Cow<'_, [u8]>, usize> = HashMap::new();
        let mut places = Vec::new();
        let mut unescaped = Unescaped::default();
        cursor.at += 1;
        let mut is_first = true;
        while next_member(&mut cursor, &mut is_first)? {
            let start = cursor.at + 1;
            let text = cursor.text(&mut unescaped)?;
            let written = &cursor.bytes[start..cursor.at - 1];
            let key = if written.len() == text.len() { Cow::from(written) } else { Cow::from(text.bytes().to_vec()) };
            cursor.expect(b':', Expected::Colon)?;
            places.extend(last.insert(key, cursor.at));
            skip::value(&mut cursor, 1)?;
        }
        places.sort_unstable_by(|one, other| other.cmp(one));
        Ok(Self { places })
    }

    /// Whether the next value, which begins at `at`, is one of them.
    pub(in crate::rows::columns) fn has_next(&mut self, at: usize) -> bool {
        self.places.pop_if(|next| *next == at).is_some()
    }
}
