//! Reading a value of the body straight into its column.

use crate::rows::json::cursor::{Cursor, Literal, MAX_DEPTH, ReadResult, Stop};
use crate::rows::json::unexpected::Expected;

use super::numbers_at_once::ElementsAtOnce;
use super::{Column, Context, Counts, Facts, MAX_STRUCT_KEYS, Store};

impl Column {
    /// Reads the value that begins at `at`, or after white space there, as the column's next, and gives where it ends;
    /// `depth` says how many arrays and objects are around it, its row being the first.
    ///
    /// All that comes after waits for where it ends. So the end of a string or a number goes from here to the next key
    /// and value in a register: with a place that is stored and loaded again on the way some rows take a tenth more
    /// time. Where the cursor stands means nothing, before and after: who goes on with it moves it first, by
    /// `stand_at`.
    #[expect(
        clippy::inline_always,
        reason = "strings are then read, and numbers tried at once, where their key was: a tenth fewer instructions"
    )]
    #[inline(always)]
    pub(in crate::rows) fn read(
        &mut self,
        at: usize,
        cursor: &mut Cursor<'_>,
        context: &mut Context,
        depth: usize,
    ) -> ReadResult<usize> {
        // As `peek_token`, which would store the place.
        let (at, byte) = match cursor.bytes.get(at) {
            Some(&byte) if byte > b' ' => (at, byte),
            _ => {
                let byte = cursor.stand_at(at).peek_token()?;
                (cursor.at, byte)
            }
        };
        if byte == b'"' {
            return self.read_string(at, cursor, context);
        }
        // Also tried where a point or a slash stands, which no number begins with: that takes one comparison.
        if let b'-'..=b'9' = byte
            && let Some(end) = self.take_at_once(cursor.bytes, at)
        {
            return Ok(end);
        }
        match byte {
            b'-' | b'0'..=b'9' => self.read_number(cursor.stand_at(at), context)?,
            b'[' | b'{' if depth >= MAX_DEPTH => return Err(cursor.stand_at(at).too_deep()),
            b'[' => self.read_array(cursor.stand_at(at), context, depth)?,
            b'{' => self.read_object(cursor.stand_at(at), context, depth)?,
            _ => self.read_word(cursor.stand_at(at), context)?,
        }
        // Whatever was called has moved it to the end of the value.
        Ok(cursor.at)
    }

    #[expect(clippy::inline_always, reason = "a part of `read`, where most of it is this")]
    #[inline(always)]
    fn read_string(&mut self, at: usize, cursor: &mut Cursor<'_>, context: &mut Context) -> ReadResult<usize> {
        self.texts(context.attempt).read(at, cursor, &mut context.counts.tally)
    }

    #[inline(never)]
    fn read_word(&mut self, cursor: &mut Cursor<'_>, context: &mut Context) -> ReadResult<()> {
        // A column stored as booleans has seen one.
        if let Store::Boolean(values) = &mut self.store
            && let Some(value) = cursor.boolean_at_once()
        {
            values.push(value);
            return Ok(());
        }
        match cursor.literal()? {
            Literal::Null => self.store.push_null(),
            Literal::True => self.push_boolean(true, context.attempt),
            Literal::False => self.push_boolean(false, context.attempt),
        }
        Ok(())
    }

    #[inline(never)]
    fn read_number(&mut self, cursor: &mut Cursor<'_>, context: &mut Context) -> ReadResult<()> {
        let start = cursor.at;
        let number = cursor.number()?;
        if matches!(self.store, Store::Utf8(_)) {
            self.push_number_as_text(number, &cursor.bytes[start..cursor.at], context.attempt);
        } else {
            self.push_number(number, context.attempt);
        }
        Ok(())
    }

    /// Reads an array that has so many arrays and objects around it.
    #[inline(never)]
    fn read_array(&mut self, cursor: &mut Cursor<'_>, context: &mut Context, outer: usize) -> ReadResult<()> {
        let depth = outer + 1;
        self.learn(Facts::of_nested(Facts::ARRAY, depth), context.attempt);
        let Store::List(list) = &mut self.store else { return self.read_as_text(cursor, context, depth) };
        let start = cursor.at;
        let before = context.columns_so_far();
        cursor.at += 1;
        let first = cursor.peek_token()?;
        if first == b']' {
            cursor.at += 1;
        } else {
            list.elements.read_elements(cursor, context, depth)?;
        }
        let Some(elements) = list.close() else {
            return Err(Cursor::bad_at(start, "2^31 elements or more in the arrays of one column"));
        };
        context.counts.tally.array(first, elements);
        context.count_cells_of(list, elements, before);
        Ok(())
    }

    /// Reads the elements of an array, of which there is one at least, and takes the bracket after them.
    #[inline]
    fn read_elements(&mut self, cursor: &mut Cursor<'_>, context: &mut Context, depth: usize) -> ReadResult<()> {
        let mut may_be_at_once = self.may_read_at_once();
        // The place is here and not in the cursor: see `read`.
        let mut at = cursor.at;
        loop {
            if may_be_at_once {
                match self.read_elements_at_once(cursor.stand_at(at)) {
                    // Where one cannot be read so, most of them cannot.
                    ElementsAtOnce::None => may_be_at_once = false,
                    ElementsAtOnce::Element => {}
                    ElementsAtOnce::Bracket => break,
                }
                at = cursor.at;
            }
            at = self.read(at, cursor, context, depth)?;
            if cursor.bytes.get(at) != Some(&b',') {
                match cursor.stand_at(at).peek_token()? {
                    b',' => at = cursor.at,
                    b']' => break,
                    _ => return Err(cursor.unexpected(Expected::InArray)),
                }
            }
            at += 1;
            if may_be_at_once {
                cursor.stand_at(at).peek_token()?;
                at = cursor.at;
            }
        }
        cursor.at += 1;
        Ok(())
    }

    /// Reads an object that has so many arrays and objects around it.
    #[inline(never)]
    fn read_object(&mut self, cursor: &mut Cursor<'_>, context: &mut Context, outer: usize) -> ReadResult<()> {
        let depth = outer + 1;
        self.learn(Facts::of_nested(Facts::OBJECT, depth), context.attempt);
        let Store::Struct(members) = &mut self.store else { return self.read_as_text(cursor, context, depth) };
        let start = cursor.at;
        let counts = context.counts;
        match members.read(cursor, context, depth, MAX_STRUCT_KEYS.max(members.declared())) {
            Err(Stop::TooManyKeys) => {
                // The columns of the struct go, those that earlier rows brought too; the rest is as before this object.
                let dropped = members.count_columns();
                context.counts = Counts { columns: context.counts.columns.saturating_sub(dropped), ..counts };
                self.learn(Facts::MAP, context.attempt);
                cursor.at = start;
                self.read_as_text(cursor, context, depth)
            }
            read => read,
        }
    }

    /// Reads an array or object into a column of text.
    #[inline(never)]
    fn read_as_text(&mut self, cursor: &mut Cursor<'_>, context: &mut Context, depth: usize) -> ReadResult<()> {
        let Context { canonical, counts, .. } = context;
        if canonical.read(cursor, &mut counts.tally, depth - 1, |text| self.store.push_json(text))? {
            self.note_duplicate_key(context.attempt);
        }
        Ok(())
    }
}
