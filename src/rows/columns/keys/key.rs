//! A key as it stands between the byte before it and its value, ready to be compared with what stands in the body.
//!
//! Rows mostly repeat the keys of the row before, so this comparison is what most keys cost. They repeat them as they
//! are written, too: a service that sends only ASCII escapes `größe` in every row.
//!
//! | what stands around the name | | tried by |
//! |---|---|---|
//! | `{"name":` | `end_first` | `Members::read_members` |
//! | `,"name":` | `end` | `Member::key_end` |
//! | `, "name":` | `end_spaced` | `Member::key_end`, then |
//! | `,`, a line end, spaces, `"name":` | `end_indented` | `Member::key_end`, then |
//! | the same indented otherwise, or not | `end_on_other_line` | `Members::next_key` |
//! | `"name"` alone | `end_alone` | `Members::take_key`, of three columns at most |

use crate::rows::json::cursor::skip_indent;
use crate::rows::json::scan::find_special;

/// As many bytes as are compared at once, which is all of most keys.
const HEAD: usize = size_of::<u128>();

/// The longest name that is laid out: that is done for each segment anew, and such a name is looked up as quickly as
/// read.
const MAX_LEN: usize = 256;

/// What stands around a name: a comma, two quotes and a colon.
const AROUND: usize = 4;

#[derive(Debug)]
pub(in crate::rows) struct Key {
    /// `,"name":` with the name as it is written, or nothing for a key that is never found.
    text: Box<[u8]>,
    /// The first bytes of it, and which of what is compared with them count.
    head: u128,
    mask: u128,
}

impl Key {
    /// That of a name which was not seen in the body yet: most are written as they are. One that has to be escaped,
    /// which can be done in more than one way, is never found.
    pub(in crate::rows::columns) fn of(name: &str) -> Self {
        let name = name.as_bytes();
        if find_special(name) < name.len() { Self::never() } else { Self::written(name) }
    }

    /// That of a name which stands so between its quotes, escapes and all. One that is long is never found.
    pub(in crate::rows::columns) fn written(name: &[u8]) -> Self {
        if name.len() > MAX_LEN {
            return Self::never();
        }
        let text = [b",\"", name, b"\":"].concat().into_boxed_slice();
        let (mut head, mut mask) = ([0; HEAD], [0; HEAD]);
        for (at, &byte) in text.iter().enumerate().take(HEAD) {
            (head[at], mask[at]) = (byte, u8::MAX);
        }
        Self { text, head: u128::from_le_bytes(head), mask: u128::from_le_bytes(mask) }
    }

    fn never() -> Self {
        // No byte counts, which leaves zero, and that is not equal.
        Self { text: Box::default(), head: u128::MAX, mask: 0 }
    }

    /// Whether it is that of a name of `len` bytes which stands so between its quotes.
    #[inline]
    pub(in crate::rows::columns) fn is_written(&self, written: &[u8], len: usize) -> bool {
        // Escapes make it longer: without any there is one way to write it.
        self.text.len() == written.len() + AROUND && (written.len() == len || self.text[2..].starts_with(written))
    }

    /// Where the key ends, its colon with it, if it stands without white space after the comma at `at`.
    #[inline]
    pub(in crate::rows::columns) fn end(&self, bytes: &[u8], at: usize) -> Option<usize> {
        self.end_after::<b','>(bytes, at)
    }

    /// Where it ends if it stands without white space after the `{` at `at`.
    #[expect(clippy::inline_always, reason = "as `end_after`")]
    #[inline(always)]
    pub(in crate::rows::columns) fn end_first(&self, bytes: &[u8], at: usize) -> Option<usize> {
        self.end_after::<b'{'>(bytes, at)
    }

    /// Where it ends if it stands after the comma at `at` and the one space that many services write.
    #[expect(clippy::inline_always, reason = "as `end_after`")]
    #[inline(always)]
    pub(in crate::rows::columns) fn end_spaced(&self, bytes: &[u8], at: usize) -> Option<usize> {
        if bytes[at..].first_chunk() == Some(b", ") { self.end_after::<b' '>(bytes, at + 1) } else { None }
    }

    /// Where it ends if it stands after the comma at `at`, on a line of its own, after some spaces.
    #[expect(clippy::inline_always, reason = "as `end_after`")]
    #[inline(always)]
    pub(in crate::rows::columns) fn end_indented(&self, bytes: &[u8], at: usize) -> Option<usize> {
        if bytes[at..].first_chunk() == Some(b",\n ") { self.end_in_line::<b' '>(bytes, at + 2) } else { None }
    }

    /// Where it ends if it stands after the comma at `at`, on a line of its own after tabs or without indentation, or
    /// where lines end as they do on Windows.
    pub(in crate::rows::columns) fn end_on_other_line(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let (line, is_windows) = match bytes[at..] {
            [b',', b'\n', ..] => (at + 2, false),
            [b',', b'\r', b'\n', ..] => (at + 3, true),
            _ => return None,
        };
        match bytes.get(line) {
            // The line break stands where a comma would.
            Some(b'"') => self.end_after::<b'\n'>(bytes, line - 1),
            Some(b' ') if is_windows => self.end_in_line::<b' '>(bytes, line),
            Some(b'\t') => self.end_in_line::<b'\t'>(bytes, line),
            _ => None,
        }
    }

    /// Where the key alone ends, from its first quote, if that is at `at`, to its last, whatever stands before it or
    /// before its colon.
    #[inline]
    pub(in crate::rows::columns) fn end_alone(&self, bytes: &[u8], at: usize) -> Option<usize> {
        /// How much of it is in the head, where a comma stands before it and a colon after.
        const IN_HEAD: usize = HEAD - 2;
        let key = self.text.get(1..self.text.len().wrapping_sub(1))?;
        let rest = &bytes[at..];
        let is_here = match rest.first_chunk() {
            Some(head) => {
                (u128::from_le_bytes(*head) ^ self.head >> 8) & self.mask >> 16 == 0
                    && (key.len() <= IN_HEAD || rest[IN_HEAD..].starts_with(&key[IN_HEAD..]))
            }
            None => rest.starts_with(key),
        };
        is_here.then_some(at + key.len())
    }

    /// Where the key ends, its colon with it, if it stands after the byte at `at`, which is `BEFORE`.
    #[expect(clippy::inline_always, reason = "what most keys cost")]
    #[inline(always)]
    fn end_after<const BEFORE: u8>(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let rest = &bytes[at..];
        let is_here = match rest.first_chunk() {
            Some(head) => {
                u128::from_le_bytes(*head) & self.mask == self.head ^ u128::from(b',' ^ BEFORE)
                    && (self.text.len() <= HEAD || self.goes_on_in(rest))
            }
            None => self.text.len() > 1 && rest.first() == Some(&BEFORE) && rest[1..].starts_with(&self.text[1..]),
        };
        is_here.then_some(at + self.text.len())
    }

    /// Where it ends if it stands in the line that begins at `line` with one or more of `INDENT`.
    #[inline]
    fn end_in_line<const INDENT: u8>(&self, bytes: &[u8], line: usize) -> Option<usize> {
        // The last of them stands where a comma would.
        self.end_after::<INDENT>(bytes, skip_indent(bytes, line + 1, INDENT) - 1)
    }

    /// Whether what is after the head of a long key stands there, too.
    #[inline]
    fn goes_on_in(&self, rest: &[u8]) -> bool {
        let end = self.text.len();
        // The last bytes, with what they share with the head, are compared at once: to compare any number of them is a
        // call.
        match (rest.get(end - HEAD..end), self.text.last_chunk::<HEAD>()) {
            (Some(theirs), Some(ours)) if end <= 2 * HEAD => theirs == ours,
            _ => rest[HEAD..].starts_with(&self.text[HEAD..]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A name, and another that is like it but for one end, or the same.
    fn names() -> impl Strategy<Value = (String, String)> {
        ("[a-z]{0,40}", 0..5).prop_map(|(name, change)| {
            let (after, before) = (name.get(1..).unwrap_or_default(), &name[..name.len().saturating_sub(1)]);
            let other = match change {
                0 => format!("{name}a"),
                1 => before.to_owned(),
                2 => format!("{before}Z"),
                3 => format!("Z{after}"),
                _ => name.clone(),
            };
            (name, other)
        })
    }

    /// Names as they are written between their quotes.
    fn escaped() -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(vec!["a", "é", "\\u00e9", "\\u00E9", "\\\"", "\\\\", "\\n"]), 0..12)
            .prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn an_escaped_key_is_found_where_it_is_written_the_same(name in escaped(), other in escaped(), is_same in any::<bool>()) {
            let written = if is_same { &name } else { &other };
            let (key, body) = (Key::written(name.as_bytes()), format!(",\"{written}\":1234567890123456"));
            let end = body.len() - "1234567890123456".len();
            prop_assert_eq!(key.end(body.as_bytes(), 0), (name == *written).then_some(end));
            let texts = [&name, written].map(|name| serde_json::from_str::<String>(&format!("\"{name}\"")).unwrap());
            if texts[0] == texts[1] {
                prop_assert_eq!(key.is_written(written.as_bytes(), texts[0].len()), name == *written);
            }
        }

        #[test]
        fn a_key_is_found_where_it_stands_whole_and_nowhere_else((name, other) in names(), earlier in "[ab]{0,24}", after in "[ab]{0,24}") {
            type End = fn(&Key, &[u8], usize) -> Option<usize>;
            let key = Key::of(&name);
            let ways: [(&str, &str, End); 4] =
                [(",", ":", Key::end), (", ", ":", Key::end_spaced), ("{", ":", Key::end_first), ("", "", Key::end_alone)];
            for (before, colon, _) in ways {
                let start = earlier.len();
                let key_end = start + format!("{before}\"{other}\"{colon}").len();
                let body = format!("{earlier}{before}\"{other}\"{colon}{after}");
                for window_end in start..=body.len() {
                    for (expected_before, expected_colon, end_of) in ways {
                        let is_its_own = (expected_before, expected_colon) == (before, colon);
                        let is_here = is_its_own && name == other && window_end >= key_end;
                        let window = &body[..window_end];
                        prop_assert_eq!(end_of(&key, window.as_bytes(), start), is_here.then_some(key_end), "{:?} in {:?}", name, window);
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn a_key_on_a_line_of_its_own_is_found_however_far_it_is_indented(
            (name, other) in names(),
            before in prop_oneof![8 => Just(",\n"), 4 => Just(",\r\n"), 1 => Just(",\n\t "), 1 => Just("{\n"), 1 => Just(", "), 1 => Just(",\r")],
            indent in prop::sample::select(vec![" ", "\t"]),
            times in 0usize..20,
            earlier in "[ab]{0,24}",
        ) {
            let key = Key::of(&name);
            let start = earlier.len();
            let head = format!("{earlier}{before}{}\"{other}\":", indent.repeat(times));
            let body = format!("{head}12345678");
            let is_here = [",\n", ",\r\n"].contains(&before) && name == other;
            for window_end in start..=body.len() {
                let window = &body.as_bytes()[..window_end];
                let found = key.end_indented(window, start).or_else(|| key.end_on_other_line(window, start));
                // Where the window ends soon spaces are not stepped over eight at a time, and the key is looked up.
                let expected = (is_here && window_end >= head.len()).then_some(head.len());
                let is_looked_up = found.is_none() && window_end < body.len();
                prop_assert!(found == expected || is_looked_up, "{:?} in {:?}", name, &body[..window_end]);
            }
        }

        #[test]
        fn a_name_that_has_to_be_escaped_has_no_key_before_it_was_seen(
            name in "[ab]{0,9}[\"\\\\\n][ab]{0,9}",
            body in proptest::collection::vec(any::<u8>(), 0..40),
        ) {
            let key = Key::of(&name);
            for body in [body, format!(",\"{name}\":").into_bytes(), vec![0; 20], vec![u8::MAX; 20], Vec::new()] {
                let (line, alone) = (Key::end_indented, Key::end_alone);
                for end_of in [Key::end, Key::end_first, Key::end_spaced, line, Key::end_on_other_line, alone] {
                    prop_assert_eq!(end_of(&key, &body, 0), None);
                }
            }
        }
    }
}
