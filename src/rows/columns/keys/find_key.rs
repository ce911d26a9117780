//! The column of the key that stands in the body: the expected one or the one after it, one whose key begins with the
//! same bytes, or one that has to be looked up by name.
//!
//! Rows mostly repeat the keys of the row before in the same order. So each column has one that is expected after it,
//! that key's bytes are compared first, and only a surprise goes any further.

use std::sync::Arc;

use crate::rows::error_kind::DecodeErrorKind;
use crate::rows::json::cursor::{Cursor, Fault, ReadResult, Stop};
use crate::rows::json::step::next_member;
use crate::rows::json::text::NOT_UTF8;
use crate::rows::json::unexpected::Expected;

use super::{Key, Successor};
use crate::rows::columns::members::NONE;
use crate::rows::columns::{Column, Context, MAX_COLUMNS_IN_ALL, Members};

impl Members {
    /// Takes the first key of the object at the cursor and its colon, where the quick comparison with the expected key
    /// has failed. Gives its column, which is added if the key is new; nothing after the object's end.
    pub(in crate::rows::columns) fn first_key(
        &mut self,
        cursor: &mut Cursor<'_>,
        context: &mut Context,
    ) -> ReadResult<Option<usize>> {
        cursor.at += 1;
        if !next_member(cursor, &mut true)? {
            return Ok(None);
        }
        self.take_key(cursor, context, None, self.first.column).map(Some)
    }

    /// Takes the next member's key and colon, where the quick comparison with the expected key has failed.
    /// Gives its column, which is added if the key is new; nothing after the object's end.
    #[expect(clippy::inline_always, reason = "keys in any order take 5 % less time")]
    #[inline(always)]
    pub(in crate::rows::columns) fn next_key(
        &mut self,
        cursor: &mut Cursor<'_>,
        context: &mut Context,
        previous: usize,
        expected: usize,
    ) -> ReadResult<Option<usize>> {
        if let Some(end) = self.key(expected).and_then(|key| key.end_on_other_line(cursor.bytes, cursor.at)) {
            cursor.at = end;
            return Ok(Some(expected));
        }
        if !next_member(cursor, &mut false)? {
            return Ok(None);
        }
        self.take_key(cursor, context, Some(previous), expected).map(Some)
    }

    /// Takes the key at the cursor and its colon.
    fn take_key(
        &mut self,
        cursor: &mut Cursor<'_>,
        context: &mut Context,
        previous: Option<usize>,
        expected: usize,
    ) -> ReadResult<usize> {
        let (quote, width) = (cursor.at, self.width());
        let found = self.expected_key(cursor, expected).or_else(|| self.cached_key(cursor));
        let column = match found {
            Some(column) => column,
            None => self.find_or_add(cursor, context)?,
        };
        // Where none was expected yet, this one is from here on, and no slot is needed for it.
        if found.is_none() && expected < width {
            self.key_cache.insert(cursor.bytes, quote, column, self.list.len());
        }
        cursor.expect(b':', Expected::Colon)?;
        // What came as it was expected to, only written otherwise, teaches nothing. A new column is expected here at
        // once, and so is any where none was: most rows are like the row before.
        if column != expected {
            let (is_new, none_was_expected) = (column >= width, expected >= width);
            let place = self.next_place();
            if is_new || none_was_expected || self.successor_of(previous).vote(column, place) {
                self.follow(previous, column);
            }
        }
        Ok(column)
    }

    /// Takes the key of the expected column, which it may be after all where white space stands before it, or of the
    /// one that comes after that, for mostly one member is left out.
    fn expected_key(&self, cursor: &mut Cursor<'_>, expected: usize) -> Option<usize> {
        let after = self.list.get(expected).map_or(NONE, |member| member.next.column);
        [expected, after].into_iter().find(|&column| self.take_key_of(column, cursor))
    }

    /// Takes the key of the column that was found last for one with the same first bytes.
    fn cached_key(&self, cursor: &mut Cursor<'_>) -> Option<usize> {
        let column = self.key_cache.find(cursor.bytes, cursor.at)?;
        self.take_key_of(column, cursor).then_some(column)
    }

    /// Takes the key of a column, if there is such a column and the key is its own.
    #[inline]
    fn take_key_of(&self, column: usize, cursor: &mut Cursor<'_>) -> bool {
        let end = self.key(column).and_then(|key| key.end_alone(cursor.bytes, cursor.at));
        cursor.at = end.unwrap_or(cursor.at);
        end.is_some()
    }

    /// Takes the key at the cursor and gives the column of its name, which is added if it is new.
    ///
    /// # Errors
    /// Refuses one that would be a column too many, nested ones included.
    #[inline(never)]
    fn find_or_add(&mut self, cursor: &mut Cursor<'_>, context: &mut Context) -> ReadResult<usize> {
        let start = cursor.at + 1;
        let text = cursor.text(&mut context.unescaped)?;
        let written = &cursor.bytes[start..cursor.at - 1];
        context.counts.tally.lone_surrogates += text.lone_surrogates;
        let column = if let Some(column) = self.find(text.bytes()) {
            column
        } else {
            let name = std::str::from_utf8(text.bytes()).map_err(|_| Cursor::bad_at(start, NOT_UTF8))?;
            context.columns_added += 1;
            context.counts.columns += 1;
            context.counts.row_columns += 1;
            if context.counts.columns > MAX_COLUMNS_IN_ALL {
                let message = format!("more than {MAX_COLUMNS_IN_ALL} columns, nested ones included");
                return Err(Stop::TooManyInAll(Box::new(Fault {
                    at: start,
                    kind: DecodeErrorKind::Malformed,
                    message,
                })));
            }
            self.add(Arc::from(name), Column::new(), context.attempt)
        };
        // One with lone surrogates is looked up each time, so that they are counted in every row.
        if text.lone_surrogates == 0 {
            self.member_mut(column).see_written(written);
        }
        Ok(column)
    }

    /// The key of a column, if there is such a column.
    #[inline]
    fn key(&self, column: usize) -> Option<&Key> {
        self.list.get(column).map(|member| &member.key)
    }

    /// Expects `column` after `previous`, or first; and after it, if nothing is expected there yet, what was expected
    /// here.
    fn follow(&mut self, previous: Option<usize>, column: usize) {
        let before = std::mem::replace(&mut self.successor_of(previous).column, column);
        let next = &mut self.list[column].next.column;
        if *next == NONE && before != column {
            *next = before;
        }
    }

    fn successor_of(&mut self, previous: Option<usize>) -> &mut Successor {
        match previous {
            Some(previous) => &mut self.list[previous].next,
            None => &mut self.first,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Members of rows that have these keys.
    fn members<const N: usize>(rows: [[&str; 4]; N]) -> Members {
        let (mut members, mut context) = (Members::default(), Context::default());
        for keys in rows {
            let text = keys.map(|key| format!("\"{key}\":1")).join(",");
            members.read_row(&mut Cursor::new(format!("{{{text}}}").as_bytes(), true), &mut context, 10).unwrap();
        }
        members
    }

    #[test]
    fn a_key_that_came_where_another_was_expected_is_found_by_its_first_bytes_from_then_on() {
        let keys = ["id", "größe", "shipping_address_line", r#"a \"quoted\" \u00e9"#];
        let [a, b, c, d] = keys;
        // After the first row each comes where another was expected, and not last, where the window ends too soon.
        let members = members([keys, [d, c, b, a], [c, a, d, b]]);
        for (at, key) in keys.iter().enumerate() {
            let body = format!("\"{key}\":\"and what stands after it, to the end\"");
            let mut cursor = Cursor::new(body.as_bytes(), false);
            assert_eq!(members.cached_key(&mut cursor), Some(at), "{key}");
            assert_eq!(cursor.at, key.len() + 2);
        }
    }

    #[test]
    fn the_member_after_one_that_is_left_out_is_expected() {
        let members = members([["a", "b", "c", "d"]]);
        let key_after =
            |expected: usize, body: &str| members.expected_key(&mut Cursor::new(body.as_bytes(), false), expected);
        assert_eq!(key_after(1, "\"b\" : 1"), Some(1));
        assert_eq!(key_after(1, "\"c\" : 1"), Some(2));
        assert_eq!(key_after(1, "\"d\" : 1"), None);
        assert_eq!(key_after(3, "\"a\" : 1"), None);
    }
}
