//! Reading a value of the body straight into its column.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use crate::rows::json::canonical::Canonical;
use crate::rows::json::cursor::{Cursor, Fault, MAX_DEPTH, Scan, Stop};
use crate::rows::json::escape::Unescaped;
use crate::rows::json::skip::{self, next_member};
use crate::rows::json::unexpected::Expected;

use super::numbers::Short;
use super::{Column, Facts, Fields, MAX_STRUCT_KEYS, MAX_TYPE_DEPTH, Store};

/// More columns than this, nested ones included, are no table: each costs memory in every row.
pub(in crate::rows) const MAX_COLUMNS_IN_ALL: usize = 1 << 16;

/// So many columns behind the expected one are tried for a key before it is looked up.
const LATER: usize = 8;

/// What reading needs besides the cursor, and what it counts.
#[derive(Debug, Default)]
pub(in crate::rows) struct Context {
    pub(in crate::rows) counts: Counts,
    /// Columns that were ever added, nested ones included and those that became text.
    pub(in crate::rows) columns_added: usize,
    /// The number of the row being read; a row that is read again gets a new one.
    pub(in crate::rows) row: u64,
    /// Whether keys that come twice in an object are looked for before its values are read.
    pub(in crate::rows) is_careful: bool,
    /// Whether such a key was met in the row that is read carefully.
    has_met_twice: bool,
    /// Kept between values: where strings with escapes are laid out, and where JSON text is written.
    unescaped: Unescaped,
    canonical: Canonical,
}

/// What a row that is taken back did not count.
#[derive(Debug, Default, Clone, Copy)]
pub(in crate::rows) struct Counts {
    /// Lone surrogates that became U+FFFD.
    pub(in crate::rows) lone_surrogates: u64,
    /// Columns of the segment, nested ones included.
    pub(in crate::rows) columns: usize,
}

/// How reading an object ended.
enum Members {
    Read,
    /// There are more distinct keys than a struct may have.
    TooMany,
}

impl Column {
    /// Reads the next value as the column's next; `depth` is the nesting of what it stands in.
    #[expect(
        clippy::inline_always,
        reason = "strings and numbers are then read where their key was: a tenth fewer instructions in all"
    )]
    #[inline(always)]
    pub(in crate::rows) fn read(&mut self, cursor: &mut Cursor<'_>, context: &mut Context, depth: usize) -> Scan<()> {
        match cursor.peek_token()? {
            b'"' => self.read_string(cursor, context),
            b'-' | b'0'..=b'9' => {
                self.push_number(cursor.number()?, context.row);
                Ok(())
            }
            b'[' | b'{' if depth >= MAX_DEPTH => Err(cursor.too_deep()),
            b'[' => self.read_array(cursor, context, depth + 1),
            b'{' => self.read_object(cursor, context, depth + 1),
            byte => self.read_word(byte, cursor, context),
        }
    }

    #[expect(clippy::inline_always, reason = "a part of `read`, where most of it is this")]
    #[inline(always)]
    fn read_string(&mut self, cursor: &mut Cursor<'_>, context: &mut Context) -> Scan<()> {
        let text = cursor.text(&mut context.unescaped)?;
        if text.lone_surrogates > 0 {
            context.counts.lone_surrogates += text.lone_surrogates;
        }
        self.push_string(text, context.row);
        Ok(())
    }

    #[inline(never)]
    fn read_word(&mut self, byte: u8, cursor: &mut Cursor<'_>, context: &mut Context) -> Scan<()> {
        match byte {
            b'n' => {
                cursor.word(b"null")?;
                self.push_nulls(1);
            }
            b't' => {
                cursor.word(b"true")?;
                self.push_boolean(true, context.row);
            }
            b'f' => {
                cursor.word(b"false")?;
                self.push_boolean(false, context.row);
            }
            _ => return Err(cursor.unexpected(Expected::Value)),
        }
        Ok(())
    }

    #[inline(never)]
    fn read_array(&mut self, cursor: &mut Cursor<'_>, context: &mut Context, depth: usize) -> Scan<()> {
        self.learn(if depth > MAX_TYPE_DEPTH { Facts::ARRAY | Facts::DEEP } else { Facts::ARRAY }, context.row);
        let Store::List(list) = &mut self.store else { return self.read_as_text(cursor, context, depth) };
        let start = cursor.at;
        cursor.at += 1;
        if cursor.peek_token()? == b']' {
            cursor.at += 1;
        } else {
            let mut may_be_short = list.elements.holds_numbers();
            loop {
                if may_be_short {
                    match list.elements.read_short_numbers(cursor) {
                        // Where one is long or something else, so are most of them.
                        Short::None => may_be_short = false,
                        Short::Comma => {}
                        Short::Bracket => break cursor.at += 1,
                    }
                }
                list.elements.read(cursor, context, depth)?;
                match cursor.peek_token()? {
                    b',' => cursor.at += 1,
                    b']' => break cursor.at += 1,
                    _ => return Err(cursor.unexpected(Expected::InArray)),
                }
            }
        }
        list.close().ok_or_else(|| Cursor::bad_at(start, "more than 2^31 elements in the arrays of one column"))
    }

    #[inline(never)]
    fn read_object(&mut self, cursor: &mut Cursor<'_>, context: &mut Context, depth: usize) -> Scan<()> {
        self.learn(if depth > MAX_TYPE_DEPTH { Facts::OBJECT | Facts::DEEP } else { Facts::OBJECT }, context.row);
        let Store::Struct(fields) = &mut self.store else { return self.read_as_text(cursor, context, depth) };
        let start = cursor.at;
        let counts = context.counts;
        match fields.read(cursor, context, depth, MAX_STRUCT_KEYS.max(fields.declared()))? {
            Members::Read => Ok(()),
            Members::TooMany => {
                let dropped = fields.count_columns();
                context.counts = Counts { columns: context.counts.columns.saturating_sub(dropped), ..counts };
                self.learn(Facts::MAP, context.row);
                cursor.at = start;
                self.read_as_text(cursor, context, depth)
            }
        }
    }

    /// Reads an array or object into a column of text.
    #[inline(never)]
    fn read_as_text(&mut self, cursor: &mut Cursor<'_>, context: &mut Context, depth: usize) -> Scan<()> {
        let Context { canonical, counts, .. } = context;
        if canonical.read(cursor, &mut counts.lone_surrogates, depth - 1, |text| self.store.push_raw(text))? {
            self.overwrite(context.row);
        }
        Ok(())
    }
}

impl Fields {
    /// Reads a row, which is the object at the cursor. A row that does not end well is taken back whole.
    ///
    /// A key that stands twice is noticed only when its first value is already read. The row is then read once more, with
    /// an eye on what comes later, so that a value which does not count teaches nothing.
    pub(in crate::rows) fn read_row(
        &mut self,
        cursor: &mut Cursor<'_>,
        context: &mut Context,
        max_columns: usize,
    ) -> Scan<()> {
        if cursor.peek_token()? != b'{' {
            return Err(cursor.unexpected(Expected::Row));
        }
        // The place alone, for the reason that `Segments::read_row` gives.
        let (start, counts) = (cursor.at, context.counts);
        // A careful reading meets the faults of a row in another order. Which of them is told must not depend on the rows before:
        // a row that fails while `is_careful` is still set by one of those is read once more without.
        let mut is_inherited = context.is_careful;
        loop {
            context.row += 1;
            let stop = match self.read(cursor, context, 1, max_columns) {
                Ok(Members::Read) => {
                    // Where one row has such a key, the next mostly has one, too.
                    context.is_careful = std::mem::take(&mut context.has_met_twice);
                    return Ok(());
                }
                Ok(Members::TooMany) => cursor.bad(format!("more columns than `max_columns` allows ({max_columns})")),
                Err(stop) => stop,
            };
            self.undo(context.row, self.len());
            context.counts = counts;
            context.has_met_twice = false;
            let was_careful = std::mem::replace(&mut context.is_careful, false);
            if !was_careful && matches!(stop, Stop::Twice) {
                context.is_careful = true;
            } else if !std::mem::take(&mut is_inherited) {
                return Err(stop);
            }
            cursor.at = start;
        }
    }

    fn read(
        &mut self,
        cursor: &mut Cursor<'_>,
        context: &mut Context,
        depth: usize,
        max_width: usize,
    ) -> Scan<Members> {
        let place = self.next_place();
        // `None` and no empty set: to make a set is to take a seed that all threads share, and this is done for every object.
        let overwritten = context.is_careful.then(|| overwritten_values(*cursor)).transpose()?;
        self.touch(context.row);
        let Some(mut at) = self.first_key(cursor, context)? else {
            self.close();
            return Ok(Members::Read);
        };
        if self.width() > max_width {
            return Ok(Members::TooMany);
        }
        let mut field = self.field_mut(at);
        loop {
            if overwritten.as_ref().is_some_and(|values| values.contains(&cursor.at)) {
                field.column.overwrite(context.row);
                context.has_met_twice = true;
                // As text it counts what it would count in an object kept as text.
                context.canonical.read(cursor, &mut context.counts.lone_surrogates, depth, |_| ())?;
            } else {
                if field.filled != place {
                    if field.filled > place {
                        return Err(Stop::Twice);
                    }
                    field.column.pad_to(place);
                }
                field.column.read(cursor, context, depth)?;
                field.filled = place + 1;
            }
            let expected = field.next;
            if expected < self.width() {
                let next = self.field_mut(expected);
                if next.takes(cursor) {
                    (at, field) = (expected, next);
                    continue;
                }
            }
            // Mostly there is no other, and nothing before the end.
            if cursor.bytes.get(cursor.at) == Some(&b'}') {
                cursor.at += 1;
                break;
            }
            let Some(next) = self.next_key(cursor, context, at, expected)? else { break };
            if self.width() > max_width {
                return Ok(Members::TooMany);
            }
            at = next;
            field = self.field_mut(at);
        }
        self.close();
        Ok(Members::Read)
    }

    /// Takes the first key of the object at the cursor and its colon. Gives its column, a new one where it is new; nothing
    /// behind the object's end.
    #[inline]
    fn first_key(&mut self, cursor: &mut Cursor<'_>, context: &mut Context) -> Scan<Option<usize>> {
        let expected = self.first();
        let key = self.key(expected);
        if key.is_some_and(|key| key.take_first(cursor)) {
            return Ok(Some(expected));
        }
        cursor.at += 1;
        if !next_member(cursor, &mut true)? {
            return Ok(None);
        }
        self.take_key(cursor, context, None, expected).map(Some)
    }

    /// Goes on to the next member, which is not the expected one as it mostly stands there, and takes its key and colon.
    /// Gives its column, a new one where it is new; nothing behind the object's end.
    fn next_key(
        &mut self,
        cursor: &mut Cursor<'_>,
        context: &mut Context,
        previous: usize,
        expected: usize,
    ) -> Scan<Option<usize>> {
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
    ) -> Scan<usize> {
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
        // Members that not all objects have stand behind many others: what is expected there stays so. And where there is no
        // order, none is learned.
        let is_new = at >= width || expected >= width;
        if is_new || previous.is_none() || (predicted.is_none() && self.order.is_kept()) {
            self.follow(previous, at);
        }
        if !is_new {
            self.order.learn(predicted.is_some());
        }
        Ok(at)
    }

    /// Takes the key of the expected column, which it may be after all behind white space, or of one of those that come after
    /// it, where keys keep an order.
    fn predicted_key(&self, cursor: &mut Cursor<'_>, expected: usize) -> Option<usize> {
        let later = if self.order.is_kept() { LATER } else { 0 };
        let is_here = |at: &usize| self.key(*at).is_some_and(|key| key.take_alone(cursor));
        self.onwards_from(expected).take(1 + later).find(is_here)
    }

    #[inline(never)]
    fn look_up(&mut self, cursor: &mut Cursor<'_>, context: &mut Context) -> Scan<usize> {
        let start = cursor.at + 1;
        let text = cursor.text(&mut context.unescaped)?;
        context.counts.lone_surrogates += text.lone_surrogates;
        if let Some(at) = self.find(text.bytes()) {
            return Ok(at);
        }
        let name = std::str::from_utf8(text.bytes()).map_err(|_| Cursor::bad_at(start, "invalid UTF-8"))?;
        context.columns_added += 1;
        context.counts.columns += 1;
        if context.counts.columns > MAX_COLUMNS_IN_ALL {
            let message = format!("more than {MAX_COLUMNS_IN_ALL} columns, nested ones included");
            return Err(Stop::Full(Box::new(Fault { at: start, message })));
        }
        Ok(self.add(Arc::from(name), Column::new(), context.row))
    }
}

/// Where the values begin, in the object at the cursor, whose keys come again later in it: behind their colons.
fn overwritten_values(mut cursor: Cursor<'_>) -> Scan<HashSet<usize>> {
    let mut last: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut overwritten = HashSet::new();
    let mut unescaped = Unescaped::default();
    cursor.at += 1;
    let mut is_first = true;
    while next_member(&mut cursor, &mut is_first)? {
        let key = cursor.text(&mut unescaped)?.bytes().to_vec();
        cursor.expect(b':', Expected::Colon)?;
        overwritten.extend(last.insert(key, cursor.at));
        skip::value(&mut cursor, 1)?;
    }
    Ok(overwritten)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_the_expected_one_says_nothing_of_an_order_however_it_is_written() {
        let (mut fields, mut context) = (Fields::default(), Context::default());
        for _ in 0..100 {
            let mut row = Cursor::new(br#"{"a":1,"b\"c":2, "d" : 3}"#, true);
            fields.read_row(&mut row, &mut context, 10).unwrap();
        }
        assert_eq!(fields.width(), 3);
        assert!(fields.order.is_kept());
    }

    #[test]
    fn rows_are_read_carefully_only_as_long_as_keys_stand_twice() {
        let (mut fields, mut context) = (Fields::default(), Context::default());
        let rows: [(&[u8], bool); 5] = [
            (br#"{"a":1,"b":2}"#, false),
            (br#"{"a":1,"a":2}"#, true),
            (br#"{"o":{"a":1,"a":2}}"#, true),
            (br#"{"a":1,"b":2}"#, false),
            (br#"{"a":1,"b":2}"#, false),
        ];
        for (row, has_twice) in rows {
            fields.read_row(&mut Cursor::new(row, true), &mut context, 10).unwrap();
            assert_eq!(context.is_careful, has_twice);
        }
    }
}
