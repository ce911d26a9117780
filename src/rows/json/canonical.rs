//! The canonical JSON text of a value read from the body, for columns that hold text.
//!
//! RFC 8785 with two changes: integers keep all their digits, and members that are null are left out. Members are
//! written as they come and put in order where their object ends: this is the one place where a value of the body is
//! held besides its column. `columns::json_text` writes the same of values that are in columns already.

use std::cmp::Ordering;
use std::ops::Range;

use super::cursor::{Cursor, MAX_DEPTH, ReadResult};
use super::escape::Unescaped;
use super::number_text::{is_seen_canonical, write_number};
use super::step::{next_element, next_member};
use super::tally::Tally;
use super::text::write_string;
use super::unexpected::Expected;

/// The most room of each kind that is kept for what comes next.
pub(in crate::rows) const KEPT_BYTES: usize = 64 << 10;

/// Writes one value after the other, with what it needs for that kept between them.
#[derive(Debug, Default)]
pub(in crate::rows) struct Canonical {
    text: Vec<u8>,
    /// The members of all objects that have not ended, and in which order they are to be written.
    members: Vec<Member>,
    order: Vec<Rank>,
    /// Their keys, escapes resolved, one after the other.
    keys: Vec<u8>,
    /// Where members are put in order.
    ordered: Vec<u8>,
    unescaped: Unescaped,
    /// Whether a key stood twice in one object.
    has_duplicate_keys: bool,
}

/// A member as it was written.
#[derive(Debug)]
struct Member {
    /// Where its key is among the keys.
    key: Range<usize>,
    /// Where it is in the text, with the comma after it.
    text: Range<usize>,
    is_null: bool,
}

/// The place of a member among the others.
#[derive(Debug, Clone, Copy)]
struct Rank {
    /// What its key begins with, as [`beginning`] gives it.
    begins: u64,
    member: usize,
}

impl Canonical {
    /// Reads the next value and hands its text to `take`; `depth` says how many arrays and objects are around it. Gives
    /// whether a key stood twice in one object.
    pub(in crate::rows) fn read(
        &mut self,
        cursor: &mut Cursor<'_>,
        tally: &mut Tally,
        depth: usize,
        take: impl FnOnce(&[u8]),
    ) -> ReadResult<bool> {
        let written = self.write(cursor, tally, depth);
        let taken = written.map(|()| take(&self.text));
        self.forget();
        let has_duplicate_keys = std::mem::take(&mut self.has_duplicate_keys);
        taken.map(|()| has_duplicate_keys)
    }

    /// Forgets the value, and gives back what only large ones need.
    fn forget(&mut self) {
        for bytes in [&mut self.text, &mut self.keys, &mut self.ordered] {
            bytes.clear();
            bytes.shrink_to(KEPT_BYTES);
        }
        self.unescaped.forget(KEPT_BYTES);
        self.members.clear();
        self.members.shrink_to(KEPT_BYTES / size_of::<Member>());
        self.order.clear();
        self.order.shrink_to(KEPT_BYTES / size_of::<Rank>());
    }

    fn write(&mut self, cursor: &mut Cursor<'_>, tally: &mut Tally, depth: usize) -> ReadResult<()> {
        match cursor.peek_token()? {
            b'"' => {
                let start = cursor.at;
                let string = cursor.text(&mut self.unescaped)?;
                tally.lone_surrogates += string.lone_surrogates;
                write_read(string.bytes(), cursor, start, &mut self.text);
                Ok(())
            }
            b'-' | b'0'..=b'9' => {
                let start = cursor.at;
                let number = cursor.number()?;
                if is_seen_canonical(number, &cursor.bytes[start..cursor.at]) {
                    append(&mut self.text, &cursor.bytes[start..], cursor.at - start);
                } else {
                    write_number(number, &mut self.text);
                }
                Ok(())
            }
            b'[' | b'{' if depth >= MAX_DEPTH => Err(cursor.too_deep()),
            b'[' => self.write_array(cursor, tally, depth + 1),
            b'{' => self.write_object(cursor, tally, depth + 1),
            _ => {
                let start = cursor.at;
                cursor.literal()?;
                self.text.extend_from_slice(&cursor.bytes[start..cursor.at]);
                Ok(())
            }
        }
    }

    fn write_array(&mut self, cursor: &mut Cursor<'_>, tally: &mut Tally, depth: usize) -> ReadResult<()> {
        cursor.at += 1;
        self.text.push(b'[');
        let start = self.text.len();
        let (mut is_first, mut begins, mut elements) = (true, None, 0);
        while let Some(byte) = next_element(cursor, &mut is_first)? {
            begins = begins.or(Some(byte));
            elements += 1;
            self.write(cursor, tally, depth)?;
            self.text.push(b',');
        }
        begins.into_iter().for_each(|byte| tally.array(byte, elements));
        // A comma stands after the last element, too, if there is any.
        self.text.truncate(start.max(self.text.len() - 1));
        self.text.push(b']');
        Ok(())
    }

    fn write_object(&mut self, cursor: &mut Cursor<'_>, tally: &mut Tally, depth: usize) -> ReadResult<()> {
        cursor.at += 1;
        self.text.push(b'{');
        let (start, first, first_key) = (self.text.len(), self.members.len(), self.keys.len());
        let mut is_first = true;
        while next_member(cursor, &mut is_first)? {
            self.write_member(cursor, tally, depth)?;
        }
        if !self.is_in_order(first) {
            self.put_in_order(first, start);
        }
        // A comma stands after the last member, too, if any is left.
        self.text.truncate(start.max(self.text.len() - 1));
        self.text.push(b'}');
        self.members.truncate(first);
        self.order.truncate(first);
        self.keys.truncate(first_key);
        Ok(())
    }

    fn write_member(&mut self, cursor: &mut Cursor<'_>, tally: &mut Tally, depth: usize) -> ReadResult<()> {
        let (start, quote) = (self.text.len(), cursor.at);
        let key = cursor.text(&mut self.unescaped)?;
        tally.lone_surrogates += key.lone_surrogates;
        write_read(key.bytes(), cursor, quote, &mut self.text);
        let first = self.keys.len();
        append(&mut self.keys, key.window(), key.len());
        let begins = beginning(key.window(), key.len());
        let key = first..self.keys.len();
        cursor.expect(b':', Expected::Colon)?;
        self.text.push(b':');
        let value = self.text.len();
        self.write(cursor, tally, depth)?;
        let is_null = self.text[value..] == *b"null";
        self.text.push(b',');
        self.order.push(Rank { begins, member: self.members.len() });
        self.members.push(Member { key, text: start..self.text.len(), is_null });
        Ok(())
    }

    /// Whether the members from `first` on may stay as they were written.
    fn is_in_order(&self, first: usize) -> bool {
        let members = &self.members;
        members[first..].iter().all(|member| !member.is_null)
            && self.order[first..].is_sorted_by(|a, b| a.order(b, members, &self.keys).is_lt())
    }

    /// Sorts the members from `first` on, of which the text begins at `start`, and leaves out those that do not count.
    fn put_in_order(&mut self, first: usize, start: usize) {
        let (order, members, keys) = (&mut self.order[first..], &self.members, &self.keys);
        // The sort is stable, so of equal keys the last is the last sent, and that one counts.
        order.sort_by(|a, b| a.order(b, members, keys));
        self.ordered.clear();
        for (at, place) in order.iter().enumerate() {
            let member = &members[place.member];
            if order.get(at + 1).is_some_and(|next| place.order(next, members, keys).is_eq()) {
                self.has_duplicate_keys = true;
            } else if !member.is_null {
                append(&mut self.ordered, &self.text[member.text.start..], member.text.len());
            }
        }
        self.text.truncate(start);
        self.text.extend_from_slice(&self.ordered);
    }
}

impl Rank {
    /// The order of the keys.
    #[inline]
    fn order(self, other: &Self, members: &[Member], keys: &[u8]) -> Ordering {
        let key = |place: Self| &keys[members[place.member].key.clone()];
        self.begins.cmp(&other.begins).then_with(|| utf16_order(key(self), key(*other)))
    }
}

/// Appends the JSON text of a string that was read from `start` to where the cursor stands.
#[inline]
fn write_read(string: &[u8], cursor: &Cursor<'_>, start: usize, out: &mut Vec<u8>) {
    let sent = cursor.at - start;
    // Escapes are longer than what they stand for. Without any, this is its only text.
    if sent == string.len() + 2 {
        append(out, &cursor.bytes[start..], sent);
    } else {
        write_string(string, out);
    }
}

/// Appends the first `len` bytes. To copy bytes whose number is known only at run time is a call, so a fixed number is
/// copied where that is enough and so many are there.
#[inline]
fn append(out: &mut Vec<u8>, bytes: &[u8], len: usize) {
    const COPIED: usize = 32;
    match bytes.first_chunk::<COPIED>() {
        Some(copied) if len <= COPIED => {
            let end = out.len() + len;
            out.extend_from_slice(copied);
            out.truncate(end);
        }
        _ => out.extend_from_slice(&bytes[..len]),
    }
}

/// The first bytes of a key of this length as a number: where those of two keys differ they have the order of the keys.
/// More may stand after the key.
#[inline]
fn beginning(key: &[u8], len: usize) -> u64 {
    const BYTES: usize = size_of::<u64>();
    let begins = match key.first_chunk::<BYTES>() {
        Some(_) if len == 0 => 0,
        Some(bytes) => u64::from_be_bytes(*bytes) & u64::MAX << (8 * BYTES.saturating_sub(len)),
        None => (0..BYTES).fold(0, |begins, at| begins << 8 | u64::from(key[..len].get(at).copied().unwrap_or(0))),
    };
    if begins & u64::from_ne_bytes([0x80; BYTES]) == 0 {
        return begins;
    }
    // What is two units of UTF-16 comes before what is above them.
    u64::from_be_bytes(begins.to_be_bytes().map(|byte| match byte {
        ABOVE_SURROGATES..TWO_UNITS => byte + 0x10,
        other => other,
    }))
}

/// The first byte of U+E000 and of what comes after it, and the first byte of what is two units: those are less than
/// U+E000. The later bytes of a character are all less than both.
const ABOVE_SURROGATES: u8 = 0xee;
const TWO_UNITS: u8 = 0xf0;

/// The order of RFC 8785, by UTF-16 code units, of strings in UTF-8.
pub(in crate::rows) fn utf16_order(a: &[u8], b: &[u8]) -> Ordering {
    match a.iter().zip(b).find(|(a, b)| a != b) {
        None => a.len().cmp(&b.len()),
        Some((&a, &b)) if a.min(b) >= ABOVE_SURROGATES && (a < TWO_UNITS) != (b < TWO_UNITS) => b.cmp(&a),
        Some((a, b)) => a.cmp(b),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn canonical(body: &str) -> String {
        let mut text = String::new();
        let mut cursor = Cursor::new(body.as_bytes(), true);
        let take = |json: &[u8]| text.push_str(std::str::from_utf8(json).unwrap());
        Canonical::default().read(&mut cursor, &mut Tally::default(), 1, take).unwrap();
        text
    }

    #[test]
    fn what_is_written_in_one_way_only_stays_as_it_was_sent_and_the_rest_does_not() {
        let texts = [
            (r#"{"b":-12,"a":"é 🎷/"}"#, r#"{"a":"é 🎷/","b":-12}"#),
            (r#"{"\u00e9":"\/\ud83c","z":"\ud83c\udfb7 \n\u0001"}"#, "{\"z\":\"🎷 \\n\\u0001\",\"é\":\"/\u{fffd}\"}"),
            ("[-0, 0, 1.50, -1e2, 18446744073709551616]", "[0,0,1.5,-100,18446744073709551616]"),
            (
                r#"{"a_long_name_b":1,"a_long_name_a":{"":2,"a":null},"a_long":3}"#,
                r#"{"a_long":3,"a_long_name_a":{"":2},"a_long_name_b":1}"#,
            ),
        ];
        for (body, text) in texts {
            for after in ["", "                                "] {
                assert_eq!(canonical(&format!("{body}{after}")), text);
            }
        }
    }

    proptest! {
        #[test]
        fn a_number_is_written_as_any_of_its_kind(text in "-?(0|[1-9][0-9]{0,20})(\\.0{0,8}[0-9]{1,15})?(e-?[0-9])?") {
            let mut written = Vec::new();
            write_number(Cursor::new(text.as_bytes(), true).number().unwrap(), &mut written);
            prop_assert_eq!(canonical(&text), String::from_utf8(written).unwrap());
        }

        #[test]
        fn the_beginning_of_a_key_is_the_same_whatever_stands_after_it(key in ".{0,9}", after in ".{0,9}") {
            let window = format!("{key}{after}");
            prop_assert_eq!(beginning(window.as_bytes(), key.len()), beginning(key.as_bytes(), key.len()));
        }

        #[test]
        fn strings_are_ordered_by_their_utf16_units(
            a in "[a-cé\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}]{0,6}",
            b in "[a-cé\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}]{0,6}",
            c in any::<String>(),
        ) {
            for (a, b) in [(&a, &b), (&a, &c), (&c, &b)] {
                let order = a.encode_utf16().cmp(b.encode_utf16());
                prop_assert_eq!(utf16_order(a.as_bytes(), b.as_bytes()), order);
                let begin = beginning(a.as_bytes(), a.len()).cmp(&beginning(b.as_bytes(), b.len()));
                prop_assert!(begin.is_eq() || begin == order);
            }
        }
    }
}
