//! What of a window is known to be UTF-8.
//!
//! To check a string of a few bytes takes longer than to read it, and a check of some hundred hardly more. So where
//! strings that are not ASCII stand close together, what stands after one is checked along with it: other strings, and
//! all between them.

use super::at_once;
use crate::rows::prefetch::prefetch_read;

/// Strings that are not ASCII are checked together where at most this many bytes lie between them.
const NEAR: usize = 128;

/// The most bytes that are checked along with a string.
const AHEAD: usize = 4 << 10;

/// A stretch of the window that was found to be UTF-8, from one place between two characters to another.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::rows) struct Checked {
    from: usize,
    to: usize,
}

impl Checked {
    /// Whether it reaches beyond `at`: then what stands there is likely to be in it.
    #[inline]
    pub(in crate::rows) fn reaches(&self, at: usize) -> bool {
        at < self.to
    }

    /// Whether the string from `from` to its quote at `to` is in it.
    #[inline]
    pub(in crate::rows) fn has(&self, from: usize, to: usize) -> bool {
        self.from <= from && to <= self.to
    }

    /// Whether the string is UTF-8 that stands in `bytes`, the window, from `from` to its quote at `to`.
    #[inline]
    pub(in crate::rows) fn is_utf8(&mut self, bytes: &[u8], from: usize, to: usize) -> bool {
        self.has(from, to) || self.check(bytes, from, to)
    }

    /// How far a longer stretch is to reach: as far ahead as this is long already, so it costs little where it ends
    /// soon.
    fn goal(&self) -> usize {
        self.to + AHEAD.min(self.to - self.from)
    }

    #[inline(never)]
    fn check(&mut self, bytes: &[u8], from: usize, to: usize) -> bool {
        if self.from <= from && from < self.to + NEAR {
            let end = place_between(bytes, to, self.goal());
            if is_utf8(&bytes[self.to..end]) {
                self.to = end;
                // There the next check looks first, far ahead of all that is read until then.
                prefetch_read(bytes.as_ptr().wrapping_add(self.goal() - 1));
                return true;
            }
        }
        // The bytes checked in advance may be invalid although this string is valid, so check it alone.
        let is_it = is_utf8(&bytes[from..to]);
        if is_it {
            *self = Self { from, to };
        }
        is_it
    }
}

fn is_utf8(bytes: &[u8]) -> bool {
    at_once::is_utf8(bytes).unwrap_or_else(|| simdutf8::basic::from_utf8(bytes).is_ok())
}

/// The last place between two characters from `first` up to `last`, and before the last byte; or `first`.
fn place_between(bytes: &[u8], first: usize, last: usize) -> usize {
    let is_between = |&at: &usize| bytes[at] & 0xc0 != 0x80;
    (first..bytes.len().min(last)).rfind(is_between).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn piece() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            4 => "[a-z]{0,9}".prop_map(String::into_bytes),
            4 => prop::sample::select(vec!["é", "Łódź", "日本", "🎷🎷", "Москва"]).prop_map(|text| text.as_bytes().to_vec()),
            1 => "[a-z]{120,140}".prop_map(String::into_bytes),
            1 => (0x80u8..).prop_map(|byte| vec![byte]),
        ]
    }

    // Where the machine has no AVX-512 these say nothing of what is written here.
    #[test]
    fn four_bytes_are_utf8_or_not_wherever_they_stand() {
        // The least and the most of all that is told apart.
        let edges = [
            0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef,
            0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
        ];
        let mut bytes = [b'a'; 80];
        for (one, two) in edges.iter().flat_map(|&one| edges.map(|two| (one, two))) {
            for (three, four) in edges.iter().flat_map(|&three| edges.map(|four| (three, four))) {
                let piece = [one, two, three, four];
                let is_it = std::str::from_utf8(&piece).is_ok();
                for (at, len) in [(0, 80), (60, 64), (61, 80), (62, 80), (63, 80)] {
                    bytes[at..at + 4].copy_from_slice(&piece);
                    assert_eq!(is_utf8(&bytes[..len]), is_it, "{piece:x?} at {at}");
                    bytes[at..at + 4].fill(b'a');
                }
            }
        }
    }

    #[test]
    fn a_character_that_is_cut_off_is_none_however_much_stands_before_it() {
        for character in ["a", "é", "日", "🎷"] {
            for before in 0..200 {
                let text = ["a".repeat(before), character.to_owned()].concat();
                for end in before + 1..=text.len() {
                    assert_eq!(is_utf8(&text.as_bytes()[..end]), end == text.len(), "{character} after {before}");
                }
            }
        }
    }

    #[test]
    fn every_two_bytes_are_utf8_or_not() {
        for pair in 0..=u16::MAX {
            let pair = pair.to_be_bytes();
            assert_eq!(is_utf8(&pair), std::str::from_utf8(&pair).is_ok(), "{pair:x?}");
        }
    }

    proptest! {
        #[test]
        fn bytes_are_utf8_or_not_however_many_there_are(pieces in prop::collection::vec(piece(), 0..60), end in any::<prop::sample::Index>()) {
            let bytes = pieces.concat();
            let bytes = &bytes[..end.index(bytes.len() + 1)];
            prop_assert_eq!(is_utf8(bytes), std::str::from_utf8(bytes).is_ok());
        }

        #[test]
        fn a_string_is_utf8_or_not_whatever_was_checked_before(
            strings in prop::collection::vec((prop::collection::vec(piece(), 0..4), any::<prop::sample::Index>()), 1..60),
            end in any::<prop::sample::Index>(),
        ) {
            let (mut bytes, mut places) = (Vec::new(), Vec::new());
            for (pieces, _) in &strings {
                bytes.push(b'"');
                let from = bytes.len();
                bytes.extend(pieces.concat());
                places.push(from..bytes.len());
                bytes.push(b'"');
            }
            // The window may end anywhere, and after a row that is taken back strings are read again.
            let window = &bytes[..=end.index(bytes.len())];
            let again = strings.iter().flat_map(|(_, again)| [again.get(&places), again.get(&places)]);
            let mut checked = Checked::default();
            for place in places.iter().chain(again).filter(|place| place.end < window.len()) {
                let expected = std::str::from_utf8(&window[place.clone()]).is_ok();
                prop_assert!(expected || !checked.has(place.start, place.end));
                prop_assert_eq!(checked.is_utf8(window, place.start, place.end), expected, "{:?}", place);
                prop_assert!(std::str::from_utf8(&window[checked.from..checked.to]).is_ok());
            }
        }
    }
}
