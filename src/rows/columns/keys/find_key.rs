//! The column of the key that stands in the body: the expected one, one of the next, or one that has to be looked up.
//!
//! Rows mostly repeat the keys of the row before in the same order. So each column remembers which one came after it,
//! that key's bytes are compared first, and only a surprise goes through the hash table.

use std::sync::Arc;

use crate::rows::error_kind::DecodeErrorKind;
use crate::rows::json::cursor::{Cursor, Fault, ReadResult, Stop};
use crate::rows::json::step::next_member;
use crate::rows::json::text::NOT_UTF8;
use crate::rows::json::unexpected::Expected;

use super::Key;
use crate::rows::columns::members::NONE;
use crate::rows::columns::{Column, Context, MAX_COLUMNS_IN_ALL, Members};

/// How many columns after the expected one are tried for a key before it is looked up.
const LATER: usize = 8;

impl Members {
    /// Takes the first key of the object at the cursor and its colon. Gives its column, a new one where it is new;
    /// nothing after the object's end.
    #[inline]
    pub(in crate::rows::columns) fn first_key(
        &mut self,
        cursor: &mut Cursor<'_>,
        context: &mut Context,
    ) -> ReadResult<Option<usize>> {
        let expected = self.first;
        if let Some(end) = self.key(expected).and_then(|key| key.end_first(cursor.bytes, cursor.at)) {
            cursor.at = end;
            return Ok(Some(expected));
        }
        cursor.at += 1;
        if !next_member(cursor, &mut true)? {
            return Ok(None);
        }
        self.take_key(cursor, context, None, expected).map(Some)
    }

    /// Takes the next member's key and colon, where the quick comparison with the expected key has failed.
    /// Gives its column, a new one where it is new; nothing after the object's end.
    pub(in crate::rows::columns) fn next_key(
        &mut self,
        cursor: &mut Cursor<'_>,
        context: &mut Context,
        previous: usize,
        expected: usize,
    ) -> ReadResult<Option<usize>> {
        if let Some(end) = self.key(expected).and_then(|key| key.end_otherwise_indented(cursor.bytes, cursor.at)) {
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
        let width = self.width();
        let predicted = self.predicted_key(cursor, expected);
        let at = match predicted {
            Some(at) => at,
            None => self.look_up(cursor, context)?,
        };
        cursor.expect(b':', Expected::Colon)?;
        // It came as it was expected to, only written so that it was not met at once: there is nothing to learn.
        if at == expected {
            return Ok(at);
        }
        // What comes next is learned from a new column, and from a key that had to be looked up, if it is the first or
        // keys keep an order: else a member that few objects have would replace the one that comes next in most. A
        // first key that was one of the next is learned once many objects in succession lacked the expected one.
        let is_new = at >= width || expected >= width;
        let is_learned = match predicted {
            Some(_) => previous.is_none() && self.first_missed.learn(self.next_place()),
            None => previous.is_none() || self.order.is_kept(),
        };
        if is_new || is_learned {
            self.follow(previous, at);
        }
        if !is_new {
            self.order.learn(predicted.is_some());
        }
        Ok(at)
    }

    /// Takes the key of the expected column, which it may be after all where white space stands before it, or of one of
    /// those that come after it, where keys keep an order.
    fn predicted_key(&self, cursor: &mut Cursor<'_>, expected: usize) -> Option<usize> {
        let later = if self.order.is_kept() { LATER } else { 0 };
        let end_of = |at: usize| self.key(at).and_then(|key| key.end_alone(cursor.bytes, cursor.at));
        let (at, end) = self.onwards_from(expected).take(1 + later).find_map(|at| Some((at, end_of(at)?)))?;
        cursor.at = end;
        Some(at)
    }

    #[inline(never)]
    fn look_up(&mut self, cursor: &mut Cursor<'_>, context: &mut Context) -> ReadResult<usize> {
        let start = cursor.at + 1;
        let text = cursor.text(&mut context.unescaped)?;
        let written = &cursor.bytes[start..cursor.at - 1];
        context.counts.tally.lone_surrogates += text.lone_surrogates;
        let at = if let Some(at) = self.find(text.bytes()) {
            at
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
            self.member_mut(at).see_written(written);
        }
        Ok(at)
    }

    /// The key of the column at `at`, if there is one.
    #[inline]
    fn key(&self, at: usize) -> Option<&Key> {
        self.list.get(at).map(|member| &member.key)
    }

    /// The columns from the one at `at` on, in the order in which one came after the other.
    fn onwards_from(&self, at: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(at), |&at| self.list.get(at).map(|member| member.next))
    }

    /// Remembers that `at` came after `previous`, or first. After a new column comes what came there before.
    fn follow(&mut self, previous: Option<usize>, at: usize) {
        let next = match previous {
            Some(previous) => &mut self.list[previous].next,
            None => &mut self.first,
        };
        let before = std::mem::replace(next, at);
        if self.list[at].next == NONE && before != at {
            self.list[at].next = before;
        }
    }
}
