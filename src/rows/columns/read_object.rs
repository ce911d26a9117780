//! Reading an object of the body into the columns of its members: a row of the table, or one nested in it.

use crate::rows::error_kind::DecodeErrorKind;
use crate::rows::json::cursor::{Cursor, Fault, ReadResult, Stop};
use crate::rows::json::unexpected::Expected;
use crate::rows::limits::too_many_columns;

use super::keys::Duplicates;
use super::{Column, Context, Members};

impl Members {
    /// Reads a row, which is the object at the cursor. A row that does not end well is taken back whole; for duplicate
    /// keys it may be read again: see [`DuplicateWatch`](super::keys::DuplicateWatch).
    #[expect(clippy::inline_always, reason = "so that rows of a value or two are not mostly calls")]
    #[inline(always)]
    pub(in crate::rows) fn read_row(
        &mut self,
        cursor: &mut Cursor<'_>,
        context: &mut Context,
        max_columns: usize,
    ) -> ReadResult<()> {
        if cursor.peek_token()? != b'{' {
            return Err(cursor.unexpected(Expected::Row));
        }
        // The offset, not a copy of the cursor: see `Segments::read_row`.
        let start = cursor.at;
        context.begin_row();
        match self.read(cursor, context, 1, max_columns) {
            Ok(()) => {
                context.watch.row_ended();
                Ok(())
            }
            Err(stop) => self.read_row_again(stop, start, cursor, context, max_columns),
        }
    }

    /// Takes back a row that was stopped, and reads it again where that may help: in each of the ways that
    /// [`DuplicateWatch`](super::keys::DuplicateWatch) has, at most.
    #[cold]
    fn read_row_again(
        &mut self,
        mut stop: Stop,
        start: usize,
        cursor: &mut Cursor<'_>,
        context: &mut Context,
        max_columns: usize,
    ) -> ReadResult<()> {
        if matches!(stop, Stop::TooManyKeys) {
            let (kind, message) = (DecodeErrorKind::TooManyColumns, too_many_columns(max_columns));
            stop = Stop::Bad(Box::new(Fault { at: cursor.at, kind, message }));
        }
        let moved = self.undo(context.attempt, self.len());
        context.take_row_back();
        if matches!(stop, Stop::NeedMore) && !cursor.is_last {
            context.watch.row_cut();
            return Err(stop);
        }
        if !context.watch.row_failed(&stop, moved) {
            return Err(stop);
        }
        cursor.at = start;
        self.read_row(cursor, context, max_columns)
    }

    /// Reads the object at the cursor into the columns of its members. Where that is stopped the object is not closed,
    /// and its members may hold values beyond the last object, until they are undone or move to text.
    #[inline]
    pub(super) fn read(
        &mut self,
        cursor: &mut Cursor<'_>,
        context: &mut Context,
        depth: usize,
        max_width: usize,
    ) -> ReadResult<()> {
        if context.watch.is_on() {
            let duplicates = Duplicates::of(*cursor)?;
            self.read_members::<true>(duplicates, cursor, context, depth, max_width)
        } else {
            self.read_members::<false>(Duplicates::default(), cursor, context, depth, max_width)
        }
    }

    /// Reads it, told which values do not count. Compiled twice, so that rows without duplicate keys do not pay for the
    /// check.
    fn read_members<const MAY_HAVE_DUPLICATES: bool>(
        &mut self,
        mut duplicates: Duplicates,
        cursor: &mut Cursor<'_>,
        context: &mut Context,
        depth: usize,
        max_width: usize,
    ) -> ReadResult<()> {
        let place = self.next_place();
        self.touch(context.attempt);
        let first = self.first.column;
        // The place is here and not in the cursor: see `Column::read`.
        let (mut column, mut member, mut at) = if let Some(member) = self.list.get_mut(first)
            && let Some(end) = member.key.end_first(cursor.bytes, cursor.at)
        {
            (first, member, end)
        } else {
            let Some(other) = self.first_key(cursor, context)? else {
                self.close();
                return Ok(());
            };
            if self.width() > max_width {
                return Err(Stop::TooManyKeys);
            }
            (other, self.member_mut(other), cursor.at)
        };
        loop {
            if MAY_HAVE_DUPLICATES && duplicates.take_next(at) {
                at = member.column.pass_over_duplicate(cursor.stand_at(at), context, depth)?;
            } else {
                if member.filled != place {
                    if member.filled > place {
                        return Err(Stop::DuplicateKey);
                    }
                    member.column.pad_to(place);
                }
                at = member.column.read(at, cursor, context, depth)?;
                member.filled = place + 1;
            }
            let expected = member.next.column;
            if expected < self.width() {
                let next = self.member_mut(expected);
                if let Some(end) = next.key_end(cursor.bytes, at) {
                    (column, member, at) = (expected, next, end);
                    continue;
                }
            }
            cursor.at = at;
            // Mostly there is no other, and nothing before the end.
            if cursor.bytes.get(at) == Some(&b'}') {
                cursor.at += 1;
                break;
            }
            let Some(next) = self.next_key(cursor, context, column, expected)? else { break };
            if self.width() > max_width {
                return Err(Stop::TooManyKeys);
            }
            column = next;
            member = self.member_mut(column);
            at = cursor.at;
        }
        self.close();
        Ok(())
    }
}

impl Column {
    /// Passes over a value that does not count, as its key comes again in the object, and gives where it ends.
    #[cold]
    fn pass_over_duplicate(
        &mut self,
        cursor: &mut Cursor<'_>,
        context: &mut Context,
        depth: usize,
    ) -> ReadResult<usize> {
        self.note_duplicate_key(context.attempt);
        context.watch.met_one();
        // It is tallied as if it stood in an object kept as text.
        context.canonical.read(cursor, &mut context.counts.tally, depth, |_| ())?;
        Ok(cursor.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::columns::Store;
    use crate::rows::columns::members::NONE;

    #[test]
    fn what_is_expected_stays_so_where_members_are_left_out() {
        let (mut members, mut context) = (Members::default(), Context::default());
        let rows: [&[u8]; 4] = [
            br#"{"a":1,"b\"c":2,"d":3,"e":4}"#,
            br#"{"b\"c":2, "d" : 3}"#,
            br#"{"a":1,"d":3,"e":4}"#,
            br#"{ "a":1,"b\"c":2,"d":3,"e":4}"#,
        ];
        for at in 0..100 {
            members.read_row(&mut Cursor::new(rows[at % 4], true), &mut context, 10).unwrap();
            assert_eq!(members.first.column, 0);
            assert_eq!(members.iter().map(|member| member.next.column).collect::<Vec<_>>(), [1, 2, 3, NONE]);
        }
    }

    #[test]
    fn keys_in_any_order_come_to_their_columns() {
        let (mut members, mut context) = (Members::default(), Context::default());
        let names = [
            "a",
            "bc",
            "",
            "é",
            "q\\\"q",
            "a name of more than sixteen",
            "a name of more than sixteen bytes",
            "a long name that differs from it at the end 1",
            "a long name that differs from it at the end 2",
        ];
        for at in 0..200 {
            let (step, first) = ([1, 2, 4, 5, 7, 8][at % 6], at / 6);
            let order = (0..names.len()).map(|n| (first + n * step) % names.len());
            let text: Vec<String> = order.map(|n| format!("\"{}\":{}", names[n], n * 1000 + at)).collect();
            let row = format!("{{{}}}", text.join(","));
            members.read_row(&mut Cursor::new(row.as_bytes(), true), &mut context, 10).unwrap();
        }
        assert_eq!(members.width(), names.len());
        for (n, name) in names.iter().enumerate() {
            let name: String = serde_json::from_str(&format!("\"{name}\"")).unwrap();
            let column = &members.list[members.find(name.as_bytes()).unwrap()].column;
            let Store::Int64(values) = &column.store else { panic!("{name}: integers") };
            let held: Vec<i64> = (0..200).map(|at| values.values()[at]).collect();
            assert_eq!(held, (0..200).map(|at| (n * 1000 + at) as i64).collect::<Vec<_>>(), "{name}");
        }
    }

    #[test]
    fn a_first_key_that_does_not_come_back_is_no_longer_expected() {
        let (mut members, mut context) = (Members::default(), Context::default());
        let mut read = |row: &[u8]| {
            members.read_row(&mut Cursor::new(row, true), &mut context, 10).unwrap();
            members.first.column
        };
        assert_eq!(read(br#"{"head":0,"a":1,"b":2}"#), 0);
        let expected: Vec<usize> = (0..20).map(|_| read(br#"{"a":1,"b":2}"#)).collect();
        assert_eq!(expected.iter().position(|&at| at == 1), Some(7));
        assert_eq!(expected.last(), Some(&1));
    }

    #[test]
    fn duplicates_are_looked_for_only_as_long_as_there_are_any() {
        let (mut members, mut context) = (Members::default(), Context::default());
        let rows: [(&[u8], bool); 5] = [
            (br#"{"a":1,"b":2}"#, false),
            (br#"{"a":1,"a":2}"#, true),
            (br#"{"o":{"a":1,"a":2}}"#, true),
            (br#"{"a":1,"b":2}"#, false),
            (br#"{"a":1,"b":2}"#, false),
        ];
        for (row, has_duplicates) in rows {
            members.read_row(&mut Cursor::new(row, true), &mut context, 10).unwrap();
            assert_eq!(context.watch.is_on(), has_duplicates);
        }
    }

    #[test]
    fn duplicates_are_looked_for_in_as_many_rows_as_values_have_moved_for_nothing() {
        let (mut members, mut context) = (Members::default(), Context::default());
        let mut read = |row: &[u8]| {
            members.read_row(&mut Cursor::new(row, true), &mut context, 10).unwrap();
            context.watch.is_on()
        };
        (0..50).for_each(|_| assert!(!read(br#"{"a":1,"l":[1]}"#)));
        for row in [&br#"{"a":"x","a":1,"l":[2]}"#[..], br#"{"a":1,"l":["x"],"l":[2]}"#] {
            assert!(read(row));
            let looked = (0..1000).take_while(|_| read(br#"{"a":1,"l":[2]}"#)).count();
            assert!((49..900).contains(&looked), "{looked}");
        }
        // What moves nothing teaches the next row only.
        assert!(read(br#"{"a":1,"a":2}"#));
        assert!(!read(br#"{"a":1}"#));
    }
}
