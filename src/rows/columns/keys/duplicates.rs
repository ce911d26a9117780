//! Values that do not count, because their keys come again later in the same object.

use std::borrow::Cow;

use hashbrown::HashMap;

use crate::rows::json::cursor::{Cursor, ReadResult};
use crate::rows::json::escape::Unescaped;
use crate::rows::json::skip;
use crate::rows::json::step::next_member;
use crate::rows::json::unexpected::Expected;

/// The values of one object whose keys come again later in it.
#[derive(Default)]
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

    /// Takes the next of them if it is the value that begins at `at`; gives whether it is.
    pub(in crate::rows::columns) fn take_next(&mut self, at: usize) -> bool {
        self.places.pop_if(|next| *next == at).is_some()
    }
}
