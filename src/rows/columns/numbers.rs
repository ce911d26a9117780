//! Numbers in arrays, each of which has another length than the one before.
//!
//! A processor that guesses wrong where a number ends loses more time than it takes to read one. So here hardly a branch
//! depends on that, which is slower where it can be guessed.

use super::{Column, Facts, Store};
use crate::rows::json::cursor::Cursor;

/// How reading plain numbers ended.
pub(super) enum Plain {
    /// There was none.
    None,
    /// Behind a comma, with another element to come: one with more digits, or something else.
    Comma,
    /// In front of the bracket behind the last.
    Bracket,
}

impl Column {
    #[inline]
    pub(super) fn holds_numbers(&self) -> bool {
        matches!(self.store, Store::Int64(_) | Store::Float64(_))
    }

    /// Reads numbers that the column takes as they are, as long as one comes behind another. The cursor stands where an element
    /// begins.
    #[inline(never)]
    pub(super) fn read_plain_numbers(&mut self, cursor: &mut Cursor<'_>) -> Plain {
        match &mut self.store {
            // A column stored as integers has seen one; whether it has seen a negative one is a fact of its own.
            Store::Int64(values) => {
                let may_be_negative = self.facts.contains(Facts::NEGATIVE);
                read(cursor, |cursor| cursor.plain_integer(may_be_negative), |value| values.push(value))
            }
            Store::Float64(values) => read(cursor, Cursor::plain_decimal, |value| values.push(value)),
            _ => Plain::None,
        }
    }
}

#[inline]
fn read<'b, T>(cursor: &mut Cursor<'b>, take: impl Fn(&mut Cursor<'b>) -> Option<T>, mut push: impl FnMut(T)) -> Plain {
    let start = cursor.at;
    while let Some(value) = take(cursor) {
        push(value);
        if cursor.bytes[cursor.at] == b']' {
            return Plain::Bracket;
        }
        cursor.at += 1;
        if cursor.bytes.get(cursor.at) == Some(&b' ') {
            cursor.at += 1;
        }
    }
    if cursor.at == start { Plain::None } else { Plain::Comma }
}
