//! Text, held as Arrow's `Utf8` lays it out: where each text ends among the bytes of all.
//!
//! Receivers that hold views get them when they ask: there is less to write where an offset stands for each text, and
//! those that hold offsets share the bytes.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};

use super::Gapped;
use super::json_text::{JsonMarks, text_of};
use super::offsets::Offsets;
use super::reserve::ReserveBudget;
use crate::rows::json::cursor::{Cursor, ReadResult};
use crate::rows::json::tally::Tally;
use crate::rows::json::text::{LOADED, NotPlain, Taken, Text};
use crate::rows::memory::{Arena, Pages, Values, append_bytes, append_loaded, freeze};

/// Up to so much room that is not used is kept: to give it back would save less than the column takes besides.
const SPARE: usize = 512;

/// Texts one after the other, where each ends, and which are JSON text rather than strings.
pub(in crate::rows) struct Strings {
    ends: Offsets,
    bytes: Values<u8>,
    json: JsonMarks,
}

impl Strings {
    pub(super) fn with_nulls(count: usize) -> Self {
        Self { ends: Offsets::with_nulls(count), bytes: Values::new_in(Pages), json: JsonMarks::default() }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Reads the string of the body whose first quote is at `at`, and gives where it ends. Where the cursor stands
    /// means nothing, as for [`Column::read`](super::Column::read).
    #[expect(clippy::inline_always, reason = "as `push`, with which it ends")]
    #[inline(always)]
    pub(super) fn read(&mut self, at: usize, cursor: &mut Cursor<'_>, tally: &mut Tally) -> ReadResult<usize> {
        match cursor.plain_text(at) {
            Ok((text, end)) => {
                self.push(text);
                Ok(end)
            }
            Err(not_plain) => {
                self.read_other(not_plain, cursor, tally)?;
                Ok(cursor.at)
            }
        }
    }

    #[inline(never)]
    fn read_other(&mut self, not_plain: NotPlain, cursor: &mut Cursor<'_>, tally: &mut Tally) -> ReadResult<()> {
        match cursor.other_text(not_plain, &mut self.bytes)? {
            Taken::InBody(text) => self.push(text),
            Taken::LaidOut { lone_surrogates } => {
                tally.lone_surrogates += lone_surrogates;
                self.push_end();
            }
        }
        Ok(())
    }

    /// Appends a string.
    #[expect(
        clippy::inline_always,
        reason = "the end of reading a string; left to itself the compiler makes it a call in some programs and not in others: 6 %"
    )]
    #[inline(always)]
    pub(super) fn push(&mut self, text: Text<'_>) {
        match text.loaded() {
            Some(loaded) if text.len() <= LOADED && append_loaded(&mut self.bytes, loaded, text.len()) => {}
            _ => self.append(text.bytes()),
        }
        self.push_end();
    }

    /// Has a text end where the bytes do.
    #[inline]
    fn push_end(&mut self) {
        let end = i32::try_from(self.bytes.len());
        self.ends.push(end.expect("a column holds less than 2 GiB of text: see `Limits::batch_bytes`"));
    }

    /// Appends the bytes of a text, with room after it for all that is loaded with the next.
    #[inline(never)]
    fn append(&mut self, text: &[u8]) {
        self.bytes.reserve(text.len() + LOADED);
        append_bytes(&mut self.bytes, text);
    }

    /// Appends the JSON text of a value that is not a string.
    pub(super) fn push_json(&mut self, text: &[u8]) {
        self.json.note(self.ends.physical_len());
        self.push(text_of(text).into());
    }

    #[inline]
    pub(super) fn push_null(&mut self) {
        self.ends.push_null();
    }

    pub(super) fn push_nulls(&mut self, count: usize) {
        self.ends.push_nulls(count);
    }

    pub(super) fn reserve(&mut self, budget: &mut ReserveBudget) {
        self.ends.reserve(budget);
        budget.reserve(&mut self.bytes, LOADED);
    }

    /// Gives back the room after the bytes, and lays out where texts end: no other comes.
    pub(super) fn seal(&mut self, arena: &mut Arena) {
        if self.bytes.capacity() - self.bytes.len() > SPARE {
            self.bytes.shrink_to_fit();
        }
        // `json` marks values by their physical index, which laying them out would change.
        if self.json.is_empty() {
            self.ends.lay_out(arena);
        }
    }

    /// Forgets all values from `len` on.
    pub(super) fn truncate(&mut self, len: usize) {
        self.bytes.truncate(self.ends.truncate(len));
        self.json.truncate(self.ends.physical_len());
    }

    pub(super) fn insert_gaps(&mut self, outer: &Gapped<()>) {
        self.ends.insert_gaps(outer);
    }

    /// How many there are without the nulls of gaps. Only before they are sealed.
    pub(super) fn physical_len(&self) -> usize {
        self.ends.physical_len()
    }

    /// See [`Store::physical_index`](super::Store::physical_index).
    pub(super) fn physical_index(&self, at: usize) -> Option<usize> {
        self.ends.physical_index(at)
    }

    pub(super) fn valid_indices(&self) -> impl Iterator<Item = (usize, usize)> {
        self.ends.valid_indices()
    }

    pub(super) fn is_json(&self, value: usize) -> bool {
        self.json.has(value)
    }

    pub(super) fn get(&self, value: usize) -> &[u8] {
        &self.bytes[self.ends.range(value)]
    }

    pub(super) fn into_array(self, arena: &mut Arena) -> ArrayRef {
        let bytes = freeze(self.bytes);
        let (offsets, nulls) = self.ends.into_offsets(arena);
        // SAFETY: bytes come from `Text` and `Cursor::other_text` alone, and the latter leaves none of what is no
        // string. What they give is UTF-8: it begins after a quote (`Column::read` comes to `read` by that byte, and
        // `Cursor::text` is asked for nothing else) and ends before one, so between two characters, and is ASCII or
        // part of what `Checked` found in the very window that the cursor is on. `push_end` records where each text
        // ends, and `truncate` cuts bytes and ends together, so each offset lies between two texts and within the
        // bytes. There is a bit in `nulls` for each text, as `Gapped` lays out both for the same places.
        Arc::new(unsafe { StringArray::new_unchecked(offsets, bytes, nulls) })
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use proptest::prelude::*;

    use super::*;
    use crate::rows::columns::{Outline, Store};
    use crate::rows::json::cursor::Cursor;
    use crate::rows::json::text::write_string;
    use crate::rows::memory::Arena;

    /// What a column of text is asked to do.
    #[derive(Debug, Clone)]
    enum Step {
        /// A string as it stands in a body, all of it escaped or only what has to be, with so many bytes after it.
        Read(String, bool, usize),
        /// One with a line end that ends so, and turns out to be none.
        Fail(String, &'static [u8]),
        PushRaw(String),
        PushNulls(usize),
        DropLast(usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        let text =
            || prop_oneof!["[a-zé]{0,14}", "[a-z]{10,16}", "[a-z]{61,67}", "[a-zé]{0,200}", "[a-z\\n\"é]{0,200}"];
        let ends = prop::sample::select(vec![&b""[..], b"\xff\"", b"\\x\"", b"\x01\""]);
        prop_oneof![
            6 => (text(), any::<bool>(), prop_oneof![Just(0), 0usize..80])
                .prop_map(|(text, is_escaped, after)| Step::Read(text, is_escaped, after)),
            1 => (text(), ends).prop_map(|(text, end)| Step::Fail(text, end)),
            1 => text().prop_map(Step::PushRaw),
            2 => (0usize..9).prop_map(Step::PushNulls),
            1 => (0usize..9).prop_map(Step::DropLast),
        ]
    }

    fn take(texts: &mut Strings, step: Step) {
        match step {
            Step::PushRaw(text) => texts.push_json(text.as_bytes()),
            Step::PushNulls(count) => texts.push_nulls(count),
            Step::DropLast(count) => texts.truncate(texts.len().saturating_sub(count)),
            Step::Read(text, is_escaped, after) => {
                let mut body = Vec::new();
                if is_escaped {
                    let units: Vec<_> = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
                    body = format!("\"{}\"", units.concat()).into_bytes();
                } else {
                    write_string(text.as_bytes(), &mut body);
                }
                body.resize(body.len() + after, b'x');
                texts.read(0, &mut Cursor::new(&body, true), &mut Tally::default()).unwrap();
            }
            Step::Fail(text, end) => {
                let mut body = Vec::new();
                write_string((text + "\n").as_bytes(), &mut body);
                body.pop();
                body.extend_from_slice(end);
                assert!(texts.read(0, &mut Cursor::new(&body, true), &mut Tally::default()).is_err());
            }
        }
    }

    proptest! {
        #[test]
        fn text_is_what_a_plain_vector_would_hold(
            steps in proptest::collection::vec(step(), 0..40),
            after in 0usize..9,
        ) {
            let mut texts = Strings::with_nulls(0);
            let mut plain = Vec::new();
            for step in steps {
                take(&mut texts, step.clone());
                match step {
                    Step::Read(text, ..) => plain.push(Some((text, false))),
                    Step::Fail(..) => {}
                    Step::PushRaw(text) => plain.push(Some((text, true))),
                    Step::PushNulls(count) => plain.resize(plain.len() + count, None),
                    Step::DropLast(count) => plain.truncate(plain.len().saturating_sub(count)),
                }
                prop_assert_eq!(texts.len(), plain.len());
            }
            let store = Store::Utf8(texts);
            for (at, value) in plain.iter().enumerate() {
                let held = store.physical_index(at);
                prop_assert_eq!(held.is_none(), value.is_none());
                let (Some((text, is_json)), Some(held)) = (value, held) else { continue };
                let (mut shown, mut written) = (Vec::new(), Vec::new());
                store.render(held, &Outline::Plain, &mut shown);
                write_string(text.as_bytes(), &mut written);
                prop_assert_eq!(shown.as_slice(), if *is_json { text.as_bytes() } else { written.as_slice() });
            }
            let Store::Utf8(mut texts) = store else { unreachable!() };
            texts.push_nulls(after);
            let read = |texts: &Strings| -> Vec<_> {
                let one = |at| texts.physical_index(at).map(|value| (texts.get(value).to_vec(), texts.is_json(value)));
                (0..texts.len()).map(one).collect()
            };
            let before = read(&texts);
            texts.seal(&mut Arena::default());
            prop_assert_eq!(read(&texts), before);
            let array = texts.into_array(&mut Arena::default());
            prop_assert!(array.to_data().validate_full().is_ok());
            plain.resize(plain.len() + after, None);
            let texts: Vec<_> = array.as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect();
            let expected: Vec<_> = plain.into_iter().map(|value| value.map(|(text, _)| text)).collect();
            prop_assert_eq!(texts, expected);
        }
    }
}
