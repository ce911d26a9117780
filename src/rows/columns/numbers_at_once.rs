//! Numbers read at once into columns that hold nothing else: one that is a member, and those in an array.
//!
//! A processor that guesses wrong where a number ends loses more time than it takes to read one, so wherever the
//! machine has the quick readers of `json`, which is on x86-64, they are tried: numbers of now this and now that length
//! gain, those of one length lose nothing, unless that is a digit or two. Each reader leaves what it does not know to
//! the next:
//!
//! | stored as | | first | then | then | last |
//! |---|---|---|---|---|---|
//! | `Int64` | elements of an array | `small_integers` | `integer_at_once` | `long_integer_at_once` | `number` |
//! | `Int64` | a value | | `integer_at_once` | `long_integer_at_once` | `number` |
//! | `Float64` | elements of an array | | `decimal_marked` | [`other_float`] | `number` |
//! | `Float64` | a value | | `decimal_at_once` | [`other_float`] | `number` |
//! | anything else | | | | | `number` |
//!
//! Of floats all but `number` are asked for integers too where the column has seen any.
//!
//! Nothing that is read so teaches the column anything. Integers of up to 15 digits are not wide, and negative ones are
//! read only where some were seen; decimals are floats, of which a column stored as floats has seen one, and rounded
//! ones are read only where some were seen; integers that are read with them are short and have no sign. All others are
//! held against what it has seen. A new fact about numbers has to be asked for here, in `small_integers`, and in
//! [`Column::push_number`].

use super::{Column, Facts, Gapped, Store};
use crate::rows::json::cursor::Cursor;
use crate::rows::json::digits::DIGITS_OF_WORD;
use crate::rows::json::number_at_once::{
    decimal_at_once, decimal_marked, integer_at_once, long_integer_at_once, scientific_at_once,
};
use crate::rows::json::scan::{FINDS_DIGITS_AT_ONCE, LANES};
use crate::rows::json::small_integers::WhatFollows;
use crate::rows::json::step::ends_element;

/// After a number that could not be read at once, this many are not tried.
const UNTRIED: u8 = 4;

const _: () = assert!(10_u64.pow(15) <= Facts::LEAST_WIDE, "an integer of 15 digits could be wide");

/// How reading the elements of an array at once ended.
pub(super) enum ElementsAtOnce {
    /// There was none.
    None,
    /// With another element to come that cannot be read so, or is near the beginning of the window.
    Element,
    /// In front of the bracket that follows the last.
    Bracket,
}

impl Column {
    /// Takes at once the number that begins at `at`, if it teaches the column nothing, and gives where it ends. Where
    /// one cannot be taken, most cannot, and that is not tried for a while.
    #[inline]
    pub(super) fn take_at_once(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        if !FINDS_DIGITS_AT_ONCE {
            return None;
        }
        let around = around(bytes, at)?;
        let (untried, facts) = (&mut self.untried, self.facts);
        let taken = match &mut self.store {
            Store::Int64(values) => {
                let long = |around: &[u8]| long_integer(around, facts);
                if facts.contains(Facts::NEGATIVE) {
                    push_next(around, values, untried, integer_at_once::<true>, long)
                } else {
                    push_next(around, values, untried, integer_at_once::<false>, long)
                }
            }
            Store::Float64(values) if facts.contains(Facts::INTEGER) => {
                let decimal = |around: &[u8]| decimal_at_once::<true>(around, facts.contains(Facts::ROUNDED));
                push_next(around, values, untried, decimal, |around| other_float::<true>(around, facts))
            }
            Store::Float64(values) => {
                let decimal = |around: &[u8]| decimal_at_once::<false>(around, facts.contains(Facts::ROUNDED));
                push_next(around, values, untried, decimal, |around| other_float::<false>(around, facts))
            }
            _ => return None,
        };
        Some(at + taken?)
    }

    /// Whether [`Column::read_elements_at_once`] may read any.
    #[inline]
    pub(super) fn may_read_at_once(&self) -> bool {
        FINDS_DIGITS_AT_ONCE && matches!(self.store, Store::Int64(_) | Store::Float64(_))
    }

    /// Reads numbers that teach the column nothing, as long as one comes after another. The cursor stands where an
    /// element begins.
    #[inline(never)]
    pub(super) fn read_elements_at_once(&mut self, cursor: &mut Cursor<'_>) -> ElementsAtOnce {
        let facts = self.facts;
        match &mut self.store {
            Store::Int64(values) => {
                let may_be_negative = facts.contains(Facts::NEGATIVE);
                let take_many = |cursor: &mut Cursor<'_>, values: &mut Gapped<i64>| {
                    cursor.small_integers(may_be_negative, |value| values.push(value))
                };
                push_elements(cursor, values, take_many, |bytes, at| integer(around(bytes, at)?, facts))
            }
            Store::Float64(values) if facts.contains(Facts::INTEGER) => push_floats::<true>(cursor, values, facts),
            Store::Float64(values) => push_floats::<false>(cursor, values, facts),
            _ => ElementsAtOnce::None,
        }
    }
}

/// The number at `at`, with what stands before and after it.
#[inline]
fn around(bytes: &[u8], at: usize) -> Option<&[u8]> {
    // No slice is long enough for what this wraps to.
    bytes.get(at.wrapping_sub(LANES)..)
}

/// Pushes a number, as `first` reads it or else as `second` does, and gives how many bytes it has: in a register, as
/// [`Column::read`] wants it.
#[inline(never)]
fn push_next<T: Copy + Default>(
    around: &[u8],
    values: &mut Gapped<T>,
    untried: &mut u8,
    first: impl FnOnce(&[u8]) -> Option<(T, usize)>,
    second: impl FnOnce(&[u8]) -> Option<(T, usize)>,
) -> Option<usize> {
    if *untried > 0 {
        *untried -= 1;
        return None;
    }
    let Some((value, end)) = first(around) else { return push_next_otherwise(around, values, untried, second) };
    values.push(value);
    Some(end)
}

/// The rest of [`push_next`]. Out of line, as what the first way reads then stays in registers.
#[inline(never)]
fn push_next_otherwise<T: Copy + Default>(
    around: &[u8],
    values: &mut Gapped<T>,
    untried: &mut u8,
    second: impl FnOnce(&[u8]) -> Option<(T, usize)>,
) -> Option<usize> {
    let Some((value, end)) = second(around) else {
        *untried = UNTRIED;
        return None;
    };
    values.push(value);
    Some(end)
}

/// An integer, if a column that has seen these facts is taught nothing.
#[inline]
fn integer(around: &[u8], facts: Facts) -> Option<(i64, usize)> {
    let may_be_negative = facts.contains(Facts::NEGATIVE);
    let short = if may_be_negative { integer_at_once::<true>(around) } else { integer_at_once::<false>(around) };
    short.or_else(|| long_integer(around, facts))
}

/// A long integer, which may be wide, if a column that has seen these facts is taught nothing.
#[inline]
fn long_integer(around: &[u8], facts: Facts) -> Option<(i64, usize)> {
    long_integer_at_once(around).filter(|&(value, _)| facts.contains(Facts::of_integer(value)))
}

/// A float that [`decimal_at_once`] and [`decimal_marked`] leave; or also an integer, where that is asked for, if a
/// column that has seen these facts is taught nothing.
#[inline]
fn other_float<const MAY_BE_WHOLE: bool>(around: &[u8], facts: Facts) -> Option<(f64, usize)> {
    if MAY_BE_WHOLE && let Some((whole, end)) = integer_at_once::<true>(around) {
        return facts.contains(Facts::of_integer(whole)).then_some((whole as f64, end));
    }
    scientific_at_once(around, facts.contains(Facts::ROUNDED))
}

/// Takes floats as [`push_elements`] takes elements.
#[inline]
fn push_floats<const MAY_BE_WHOLE: bool>(
    cursor: &mut Cursor<'_>,
    values: &mut Gapped<f64>,
    facts: Facts,
) -> ElementsAtOnce {
    // A copy, which stays in registers. Kept between arrays, for those of two numbers are many.
    let mut marked = cursor.marked;
    let may_be_rounded = facts.contains(Facts::ROUNDED);
    let next = |bytes: &[u8], at: usize| {
        let (marks, around) = (marked.marks_at(bytes, at)?, around(bytes, at)?);
        decimal_marked::<MAY_BE_WHOLE>(around, marks, may_be_rounded)
            .or_else(|| other_float::<MAY_BE_WHOLE>(around, facts))
    };
    let ended = push_elements(cursor, values, |_, _| None, next);
    cursor.marked = marked;
    ended
}

/// Takes elements as long as one comes after another: many at once where they are small, and else the next.
#[inline]
fn push_elements<'b, T: Copy + Default>(
    cursor: &mut Cursor<'b>,
    values: &mut Gapped<T>,
    take_many: impl Fn(&mut Cursor<'b>, &mut Gapped<T>) -> Option<WhatFollows>,
    mut next: impl FnMut(&[u8], usize) -> Option<(T, usize)>,
) -> ElementsAtOnce {
    let start = cursor.at;
    let mut may_be_small = true;
    loop {
        while may_be_small && let Some(follows) = take_many(cursor, values) {
            if let WhatFollows::Bracket = follows {
                return ElementsAtOnce::Bracket;
            }
        }
        let text = &cursor.bytes[cursor.at..];
        let Some((value, end)) = next(cursor.bytes, cursor.at).filter(|&(_, end)| ends_element(text[end])) else {
            let none = cursor.at == start && start >= LANES;
            return if none { ElementsAtOnce::None } else { ElementsAtOnce::Element };
        };
        values.push(value);
        may_be_small = end <= DIGITS_OF_WORD;
        cursor.at += end;
        if text[end] == b']' {
            return ElementsAtOnce::Bracket;
        }
        cursor.at += 1;
        if cursor.bytes.get(cursor.at) == Some(&b' ') {
            cursor.at += 1;
        }
    }
}
