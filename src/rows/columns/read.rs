//! Reading a value of the body straight into its column.

use std::sync::Arc;

use crate::rows::canonical;
use crate::rows::cursor::{Cursor, MAX_DEPTH, Scan};

use super::{Column, Facts, Fields, MAX_STRUCT_KEYS, Storage, Store};

/// What reading needs besides the cursor, and what it counts.
#[derive(Debug, Default)]
pub(in crate::rows) struct Context {
    /// Lone surrogates that became U+FFFD.
    pub(in crate::rows) lone_surrogates: u64,
    /// Keys that stood twice in an object kept as JSON text.
    pub(in crate::rows) overwritten: u64,
    /// Room to resolve escapes in, kept between values.
    scratch: Vec<u8>,
}

impl Context {
    pub(in crate::rows) fn count_from(&mut self, other: &Self) {
        self.lone_surrogates = other.lone_surrogates;
        self.overwritten = other.overwritten;
    }

    pub(in crate::rows) fn counts(&self) -> Self {
        Self { lone_surrogates: self.lone_surrogates, overwritten: self.overwritten, scratch: Vec::new() }
    }
}

/// How reading an object ended.
enum Members {
    Read,
    /// There are more distinct keys than a struct may have; nothing of this object is kept.
    TooMany,
}

impl Column {
    /// Reads the next value as the column's next; `depth` is the nesting of what it stands in.
    #[inline]
    pub(in crate::rows) fn read(&mut self, cursor: &mut Cursor<'_>, context: &mut Context, depth: usize) -> Scan<()> {
        match cursor.peek_token()? {
            b'"' => self.read_string(cursor, context),
            b'-' | b'0'..=b'9' => {
                self.push_number(cursor.number()?);
                Ok(())
            }
            b'n' => {
                cursor.word(b"null")?;
                self.push_nulls(1);
                Ok(())
            }
            b't' => {
                cursor.word(b"true")?;
                self.push_boolean(true);
                Ok(())
            }
            b'f' => {
                cursor.word(b"false")?;
                self.push_boolean(false);
                Ok(())
            }
            b'[' | b'{' if depth >= MAX_DEPTH => Err(cursor.bad(format!("nested deeper than {MAX_DEPTH} levels"))),
            b'[' => self.read_array(cursor, context, depth + 1),
            b'{' => self.read_object(cursor, context, depth + 1),
            _ => Err(cursor.bad("expected a JSON value")),
        }
    }

    #[inline]
    fn read_string(&mut self, cursor: &mut Cursor<'_>, context: &mut Context) -> Scan<()> {
        let raw = cursor.string()?;
        if raw.has_escape {
            context.scratch.clear();
            context.lone_surrogates += raw.unescape(&mut context.scratch)?;
            self.push_string(&context.scratch);
        } else {
            self.push_string(raw.bytes);
        }
        Ok(())
    }

    fn read_array(&mut self, cursor: &mut Cursor<'_>, context: &mut Context, depth: usize) -> Scan<()> {
        self.learn(Facts::ARRAY);
        let Store::List(list) = &mut self.store else { return self.read_as_text(cursor, context, depth) };
        let start = cursor.at;
        cursor.at += 1;
        if cursor.peek_token()? == b']' {
            cursor.at += 1;
        } else {
            loop {
                list.elements.read(cursor, context, depth)?;
                match cursor.peek_token()? {
                    b',' => cursor.at += 1,
                    b']' => break cursor.at += 1,
                    _ => return Err(cursor.bad("expected `,` or `]` in an array")),
                }
            }
        }
        list.close().ok_or_else(|| Cursor::bad_at(start, "more than 2^31 elements in the arrays of one column"))
    }

    fn read_object(&mut self, cursor: &mut Cursor<'_>, context: &mut Context, depth: usize) -> Scan<()> {
        self.learn(Facts::OBJECT);
        let Store::Struct(fields) = &mut self.store else { return self.read_as_text(cursor, context, depth) };
        let start = cursor.at;
        let before = context.counts();
        match fields.read(cursor, context, depth, MAX_STRUCT_KEYS)? {
            Members::Read => Ok(()),
            Members::TooMany => {
                fields.drop_open();
                context.count_from(&before);
                self.learn(Facts::MAP);
                cursor.at = start;
                self.read_as_text(cursor, context, depth)
            }
        }
    }

    /// Reads an array or object into a column of text.
    fn read_as_text(&mut self, cursor: &mut Cursor<'_>, context: &mut Context, depth: usize) -> Scan<()> {
        debug_assert_eq!(self.facts.storage(), Storage::Text);
        let mut text = std::mem::take(&mut context.scratch);
        text.clear();
        let result = canonical::write_next(cursor, context, depth - 1, &mut text);
        if let (Ok(()), Store::Text(texts)) = (&result, &mut self.store) {
            texts.push_raw(&text);
        }
        context.scratch = text;
        result
    }

    /// Forgets the last value because its key came again: the last one counts.
    fn overwrite(&mut self, at: usize) {
        self.truncate(at);
        self.has_overwritten = true;
    }
}

impl Fields {
    /// Reads a row, which is the object at the cursor.
    pub(in crate::rows) fn read_row(
        &mut self,
        cursor: &mut Cursor<'_>,
        context: &mut Context,
        max_columns: usize,
    ) -> Scan<()> {
        if cursor.peek_token()? != b'{' {
            return Err(cursor.bad("a row has to be an object"));
        }
        match self.read(cursor, context, 1, max_columns)? {
            Members::Read => Ok(()),
            Members::TooMany => Err(cursor.bad(format!("more than {max_columns} columns"))),
        }
    }

    fn read(
        &mut self,
        cursor: &mut Cursor<'_>,
        context: &mut Context,
        depth: usize,
        max_width: usize,
    ) -> Scan<Members> {
        let row = self.len();
        cursor.at += 1;
        if cursor.peek_token()? == b'}' {
            cursor.at += 1;
            self.close();
            return Ok(Members::Read);
        }
        let mut previous = None;
        loop {
            let at = self.read_key(cursor, context, previous)?;
            if self.width() > max_width {
                return Ok(Members::TooMany);
            }
            cursor.expect(b':', "expected `:` after a key")?;
            let column = self.column(at);
            if column.len() > row {
                column.overwrite(row);
            }
            column.pad_to(row);
            column.read(cursor, context, depth)?;
            previous = Some(at);
            match cursor.peek_token()? {
                b',' => cursor.at += 1,
                b'}' => break cursor.at += 1,
                _ => return Err(cursor.bad("expected `,` or `}` in an object")),
            }
        }
        self.close();
        Ok(Members::Read)
    }

    /// Takes a key and gives its column, a new one where it is new.
    #[inline]
    fn read_key(&mut self, cursor: &mut Cursor<'_>, context: &mut Context, previous: Option<usize>) -> Scan<usize> {
        if cursor.peek_token()? != b'"' {
            return Err(cursor.bad("expected a key"));
        }
        if let Some((at, name)) = self.expected(previous) {
            let rest = &cursor.bytes[cursor.at + 1..];
            if rest.len() > name.len() && rest[name.len()] == b'"' && &rest[..name.len()] == name.as_bytes() {
                cursor.at += name.len() + 2;
                return Ok(at);
            }
        }
        let at = self.look_up(cursor, context)?;
        self.follow(previous, at);
        Ok(at)
    }

    #[cold]
    fn look_up(&mut self, cursor: &mut Cursor<'_>, context: &mut Context) -> Scan<usize> {
        let raw = cursor.string()?;
        context.scratch.clear();
        context.lone_surrogates += raw.unescape(&mut context.scratch)?;
        let name = std::str::from_utf8(&context.scratch).map_err(|_| Cursor::bad_at(raw.start, "invalid UTF-8"))?;
        Ok(self.find(name).unwrap_or_else(|| self.add(Arc::from(name), Column::new())))
    }
}
