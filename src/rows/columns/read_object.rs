//! Reading an object of the body into the columns of its members: a row of the table, or one nested in it.

use crate::rows::error::too_many_columns;
use crate::rows::json::cursor::{Cursor, Scan, Stop};
use crate::rows::json::unexpected::Expected;

use super::overwritten::Overwritten;
use super::{Context, Fields};

/// How reading an object ended.
pub(super) enum Members {
    Read,
    /// There are more distinct keys than a struct may have.
    TooMany,
}

impl Fields {
    /// Reads a row, which is the object at the cursor. A row that does not end well is taken back whole.
    ///
    /// A key that stands twice is noticed only when its first value is already read. The row is then read once more,
    /// with an eye on what comes later, so that a value which does not count teaches nothing.
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
        // A careful reading meets the faults of a row in another order. Which of them is told must not depend on the
        // rows before: a row that fails while `is_careful` is still set by one of those is read once more without, but
        // not where more of it is to come.
        let mut is_inherited = context.is_careful;
        loop {
            context.row += 1;
            let stop = match self.read(cursor, context, 1, max_columns) {
                Ok(Members::Read) => {
                    // Where one row has such a key, the next mostly has one, too.
                    context.is_careful = std::mem::take(&mut context.has_met_twice) || context.careful_rows > 0;
                    context.careful_rows = context.careful_rows.saturating_sub(1);
                    return Ok(());
                }
                Ok(Members::TooMany) => cursor.bad(too_many_columns(max_columns)),
                Err(stop) => stop,
            };
            let moved = self.undo(context.row, self.len());
            context.counts = counts;
            context.has_met_twice = false;
            if matches!(stop, Stop::More) && !cursor.is_last {
                return Err(stop);
            }
            let was_careful = std::mem::replace(&mut context.is_careful, false);
            if !was_careful && matches!(stop, Stop::Twice) {
                context.is_careful = true;
                // Values that moved for a value which does not count would move again and again, of few rows all of
                // those before: they do so once for as many rows as they are.
                context.careful_rows = context.careful_rows.max(moved);
            } else if !std::mem::take(&mut is_inherited) {
                return Err(stop);
            }
            cursor.at = start;
        }
    }

    pub(super) fn read(
        &mut self,
        cursor: &mut Cursor<'_>,
        context: &mut Context,
        depth: usize,
        max_width: usize,
    ) -> Scan<Members> {
        let place = self.next_place();
        let mut overwritten = context.is_careful.then(|| Overwritten::of(*cursor)).transpose()?;
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
            if overwritten.as_mut().is_some_and(|values| values.has_next(cursor.at)) {
                field.column.overwrite(context.row);
                context.has_met_twice = true;
                // As text it counts what it would count in an object kept as text.
                context.canonical.read(cursor, &mut context.counts.tally, depth, |_| ())?;
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

    #[test]
    fn rows_stay_carefully_read_as_long_as_there_were_values_that_moved_for_nothing() {
        let (mut fields, mut context) = (Fields::default(), Context::default());
        let mut read = |row: &[u8]| {
            fields.read_row(&mut Cursor::new(row, true), &mut context, 10).unwrap();
            context.is_careful
        };
        (0..50).for_each(|_| assert!(!read(br#"{"a":1,"l":[1]}"#)));
        for twice in [&br#"{"a":"x","a":1,"l":[2]}"#[..], br#"{"a":1,"l":["x"],"l":[2]}"#] {
            assert!(read(twice));
            let careful = (0..1000).take_while(|_| read(br#"{"a":1,"l":[2]}"#)).count();
            assert!((49..900).contains(&careful), "{careful}");
        }
        // What moves nothing teaches the next row only.
        assert!(read(br#"{"a":1,"a":2}"#));
        assert!(!read(br#"{"a":1}"#));
    }
}
