//! Numbers of columns that hold nothing else, each of which has another length than the one before: those in arrays,
//! and short ones among floats.
//!
//! A processor that guesses wrong where a number ends loses more time than it takes to read one. So here hardly a
//! branch depends on that, which is slower where it can be guessed.

use super::{Column, Facts, Gapped, Store};
use crate::rows::json::cursor::Cursor;
use crate::rows::json::number::Number;
use crate::rows::json::scan::FINDS_DIGITS_AT_ONCE;
use crate::rows::json::small_integers::WhatFollows;
use crate::rows::json::step::ends_element;

/// After a number that is not short, this many are not tried for being short.
const UNTRIED: u8 = 16;

/// How reading plain numbers ended.
pub(super) enum PlainNumbers {
    /// There was none.
    None,
    /// After a comma, with another element to come: one with more digits, or something else.
    Comma,
    /// In front of the bracket that follows the last.
    Bracket,
}

impl Column {
    #[inline]
    pub(super) fn holds_numbers(&self) -> bool {
        matches!(self.store, Store::Int64(_) | Store::Float64(_))
    }

    /// Takes the number at the cursor, if the column holds floats and it is a short one. Where one is not, most are
    /// not, and they are not tried for a while.
    #[inline]
    pub(super) fn take_short_number(&mut self, cursor: &mut Cursor<'_>) -> bool {
        if !FINDS_DIGITS_AT_ONCE || !matches!(self.store, Store::Float64(_)) {
            return false;
        }
        if self.untried > 0 {
            self.untried -= 1;
            return false;
        }
        self.take_short_float(cursor)
    }

    #[inline(never)]
    fn take_short_float(&mut self, cursor: &mut Cursor<'_>) -> bool {
        let Store::Float64(values) = &mut self.store else { return false };
        if let Some((number, end)) = cursor.short_number()
            && let Some(value) = short_float(number, self.facts)
        {
            values.push(value);
            cursor.at = end;
            return true;
        }
        self.untried = UNTRIED;
        false
    }

    /// Reads numbers that the column takes as they are, as long as one comes after another. The cursor stands where an
    /// element begins.
    #[inline(never)]
    pub(super) fn read_plain_numbers(&mut self, cursor: &mut Cursor<'_>) -> PlainNumbers {
        match &mut self.store {
            // A column stored as integers has seen one; whether it has seen a negative one is a fact of its own.
            Store::Int64(values) => {
                let may_be_negative = self.facts.contains(Facts::NEGATIVE);
                let take_many = |cursor: &mut Cursor<'_>, values: &mut Gapped<i64>| {
                    if !FINDS_DIGITS_AT_ONCE {
                        return None;
                    }
                    cursor.small_integers(may_be_negative, |value| values.push(value))
                };
                read(cursor, values, take_many, |cursor| cursor.plain_integer(may_be_negative))
            }
            Store::Float64(values) => {
                let facts = self.facts;
                let take = |cursor: &mut Cursor<'_>| cursor.plain_decimal().or_else(|| short_element(cursor, facts));
                read(cursor, values, |_, _| None, take)
            }
            _ => PlainNumbers::None,
        }
    }
}

/// Takes a short number; an integer only where the column has seen such.
#[inline]
fn short_element(cursor: &mut Cursor<'_>, facts: Facts) -> Option<f64> {
    if !FINDS_DIGITS_AT_ONCE {
        return None;
    }
    let (number, end) = cursor.short_number()?;
    let value = short_float(number, facts).filter(|_| ends_element(cursor.bytes[end]))?;
    cursor.at = end;
    Some(value)
}

/// A number as a column of floats has it that has seen these facts, if it teaches none.
#[inline]
fn short_float(number: Number<'_>, facts: Facts) -> Option<f64> {
    match number {
        Number::Float(value) => Some(value),
        Number::Int(value) if facts.contains(Facts::of_integer(value)) => Some(value as f64),
        _ => None,
    }
}

/// Reads elements as long as one comes after another: many at once where they can be, and else the next.
#[inline]
fn read<'b, T: Copy + Default>(
    cursor: &mut Cursor<'b>,
    values: &mut Gapped<T>,
    take_many: impl Fn(&mut Cursor<'b>, &mut Gapped<T>) -> Option<WhatFollows>,
    take_one: impl Fn(&mut Cursor<'b>) -> Option<T>,
) -> PlainNumbers {
    let start = cursor.at;
    loop {
        while let Some(follows) = take_many(cursor, values) {
            if let WhatFollows::Bracket = follows {
                return PlainNumbers::Bracket;
            }
        }
        let Some(value) = take_one(cursor) else {
            return if cursor.at == start { PlainNumbers::None } else { PlainNumbers::Comma };
        };
        values.push(value);
        if cursor.bytes[cursor.at] == b']' {
            return PlainNumbers::Bracket;
        }
        cursor.at += 1;
        if cursor.bytes.get(cursor.at) == Some(&b' ') {
            cursor.at += 1;
        }
    }
}
