//! Integers of few digits in an array, all that stand in sixteen bytes at once.
//!
//! Each of the bytes is a bit of some words, one word for each kind of byte. A few shifts of those give the first digit
//! and the end of every integer, and one test of all bits says whether they are written as they have to be:
//!
//! ```text
//! bytes   7 ,   - 1 2 ]     the first is the lowest bit
//! ends    . x . . . . x     commas, and the bracket
//! begins  x . . x . . .     after a comma, and a space at most
//! firsts  x . . . x . .     the same, past a minus
//! ```

use super::cursor::Cursor;
use super::digits::{DIGITS_OF_WORD, last_digits, word_at};
use super::scan::{Elements, LANES, elements_in};

/// What stands after integers that were taken.
pub(in crate::rows) enum WhatFollows {
    /// Others, or something else.
    More,
    /// The bracket, in front of which the cursor is.
    Bracket,
}

/// Where integers are in sixteen bytes: a bit for each place, the lowest for the first.
struct Places {
    /// Their first digits.
    firsts: u32,
    /// The first digits of those that are negative.
    negatives: u32,
    /// What stands after them: a comma, or as the last the bracket.
    ends: u32,
}

impl Cursor<'_> {
    /// Takes integers of up to eight digits as far as what ends them stands in the next sixteen bytes; after the last
    /// comma, or in front of the bracket. `None` where there is none; where something else stands among them, be it
    /// white space other than one space after a comma; and where there are not eight bytes before them. Nothing is
    /// taken then.
    #[inline]
    pub(in crate::rows) fn small_integers(
        &mut self,
        may_be_negative: bool,
        mut take: impl FnMut(i64),
    ) -> Option<WhatFollows> {
        // A word of text that ends where an integer does may begin before the first.
        let before = self.at.checked_sub(DIGITS_OF_WORD)?;
        let text: &[u8; DIGITS_OF_WORD + LANES] = self.bytes.get(before..)?.first_chunk()?;
        let marks = elements_in(text.last_chunk()?);
        let Places { firsts, negatives, ends } = places(marks, may_be_negative)?;
        let (mut firsts_left, mut ends_left) = (firsts, ends);
        while ends_left != 0 {
            let (first, end) = (firsts_left.trailing_zeros(), ends_left.trailing_zeros());
            let magnitude = last_digits(word_at(text, end as usize)?, (end - first) as usize).cast_signed();
            let is_negative = i64::from(negatives >> first & 1);
            take((magnitude ^ -is_negative) + is_negative);
            (firsts_left, ends_left) = (firsts_left & (firsts_left - 1), ends_left & (ends_left - 1));
        }
        let end = (u32::BITS - ends.leading_zeros()) as usize;
        let is_closed = ends & marks.brackets != 0;
        self.at += end - usize::from(is_closed);
        Some(if is_closed { WhatFollows::Bracket } else { WhatFollows::More })
    }
}

/// Where integers are, if there are any and all of them are written as they have to be.
#[inline]
fn places(marks: Elements, may_be_negative: bool) -> Option<Places> {
    let Elements { digits, zeros, minuses, spaces, commas, brackets } = marks;
    // Up to the first bracket, and then up to the last end.
    let ends = (commas | brackets) & (brackets ^ brackets.wrapping_sub(1));
    if ends == 0 {
        return None;
    }
    let within = u32::MAX >> ends.leading_zeros();
    let (minuses, spaces) = (minuses & within, spaces & within);
    let after_commas = commas << 1 | 1;
    let begins = (after_commas & !spaces) | (after_commas & spaces) << 1;
    let negatives = (begins & minuses) << 1;
    let firsts = ((begins & !minuses) | negatives) & within;
    // The first of nine digits in a row is the first of two fours and one.
    let two = digits & digits >> 1;
    let four = two & two >> 2;
    let nine = four & four >> 4 & digits >> DIGITS_OF_WORD;
    let strangers = within & !(digits | minuses | spaces | ends);
    let misplaced = (spaces & !after_commas) | (minuses & !begins) | (firsts & !digits);
    // No other digit stands after a 0 that is the first.
    let wrong = strangers | misplaced | (firsts & zeros & digits >> 1) | (nine & within);
    (wrong == 0 && (minuses == 0 || may_be_negative)).then_some(Places { firsts, negatives, ends })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::json::number::Number;
    use proptest::prelude::*;

    fn element() -> impl Strategy<Value = String> {
        prop_oneof![
            8 => "-?(0|[1-9][0-9]{0,3})",
            2 => "-?(0|[1-9][0-9]{0,9})",
            1 => "-?[0-9]{1,3}",
            1 => "[-0-9.e\\]\\[ \"]{0,4}",
        ]
    }

    proptest! {
        #[test]
        fn small_integers_are_what_one_after_the_other_is(
            elements in prop::collection::vec(element(), 1..12),
            comma in prop::sample::select(vec![",", ", ", ",  ", " ,"]),
            follows in prop::sample::select(vec!["]", "],", " ]", "", "]}}]", "]123,4,5"]),
            may_be_negative in any::<bool>(),
        ) {
            let body = format!("12345678{}{follows}{}", elements.join(comma), " ".repeat(LANES));
            let mut cursor = Cursor::new(body.as_bytes(), false);
            cursor.at = DIGITS_OF_WORD;
            let mut taken = Vec::new();
            let Some(follows) = cursor.small_integers(may_be_negative, |value| taken.push(value)) else {
                prop_assert_eq!((cursor.at, taken), (DIGITS_OF_WORD, vec![]));
                return Ok(());
            };
            let mut slow = Cursor::new(body.as_bytes(), false);
            slow.at = DIGITS_OF_WORD;
            for (at, &value) in taken.iter().enumerate() {
                slow.at += usize::from(body.as_bytes()[slow.at] == b' ');
                prop_assert_eq!(slow.number().unwrap(), Number::Int(value));
                let end = body.as_bytes()[slow.at];
                let is_last = matches!(follows, WhatFollows::Bracket) && at + 1 == taken.len();
                prop_assert_eq!(end, if is_last { b']' } else { b',' });
                slow.at += usize::from(!is_last);
            }
            prop_assert_eq!(cursor.at, slow.at);
        }
    }

    #[test]
    fn all_that_end_in_sixteen_bytes_are_taken_and_no_other() {
        let read = |text: &str, may_be_negative| {
            let body = format!("[[[[[[[[{text}{}", " ".repeat(LANES));
            let mut cursor = Cursor::new(body.as_bytes(), false);
            cursor.at = DIGITS_OF_WORD;
            let mut taken = Vec::new();
            let follows = cursor.small_integers(may_be_negative, |value| taken.push(value))?;
            Some((taken, cursor.at - DIGITS_OF_WORD, matches!(follows, WhatFollows::Bracket)))
        };
        assert_eq!(read("1,2,3,4,5,6,7,8,9]", false), Some(((1..9).collect(), 16, false)));
        assert_eq!(read("0,-0,-12, 12345678]", true), Some((vec![0, 0, -12], 9, false)));
        assert_eq!(read("12345678]x", false), Some((vec![12_345_678], 8, true)));
        for (text, may_be_negative) in [
            ("01,2]", true),
            ("-1,2]", false),
            ("1 ,2]", true),
            ("123456789,1]", true),
            ("1,,2]", true),
            ("]", true),
            ("1.5,2]", true),
        ] {
            assert_eq!(read(text, may_be_negative), None, "{text}");
        }
    }
}
