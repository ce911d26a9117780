//! A place in the bytes at hand, and the small steps every reader takes from it.
//!
//! The bytes are a window on a body that may go on. Running off its end is not an error but [`Stop::NeedMore`]: the
//! caller goes back to the last row it finished and reads on when more has arrived. Only at the end of the body is it a
//! fault.

use std::hint::select_unpredictable;

use super::number_at_once::MarkedBlock;
use super::unexpected::Expected;
use super::utf8::Checked;
use crate::rows::error_kind::DecodeErrorKind;

/// Levels of nesting in a row, the row itself being the first.
pub(in crate::rows) const MAX_DEPTH: usize = 128;

/// Why reading stopped.
#[derive(Debug)]
pub(in crate::rows) enum Stop {
    /// The window ends here and the body may go on.
    NeedMore,
    /// A key stands twice in one object: the row is read again, and duplicates are looked for before its values are
    /// read.
    DuplicateKey,
    /// An object has more distinct keys than whoever reads it allows. It is not closed.
    TooManyKeys,
    /// By the running count there are more columns in all, nested ones included, than a table may have. (More than
    /// `max_columns` are a fault at once: those of the table alone are counted exactly.) But some that are counted may
    /// have become text. The row is read again once they are counted exactly, and only then is this a fault.
    TooManyInAll(Box<Fault>),
    /// The bytes are not what they have to be.
    Bad(Box<Fault>),
}

/// What is wrong and where in the window.
#[derive(Debug)]
pub(in crate::rows) struct Fault {
    pub(in crate::rows) at: usize,
    pub(in crate::rows) kind: DecodeErrorKind,
    pub(in crate::rows) message: String,
}

pub(in crate::rows) type ReadResult<T> = Result<T, Stop>;

/// One of the three literal names of RFC 8259, section 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::rows) enum Literal {
    Null,
    True,
    False,
}

#[derive(Debug, Clone, Copy)]
pub(in crate::rows) struct Cursor<'a> {
    /// The window. No other ever takes its place: `checked` and `marked` hold what was found out about this one.
    pub(in crate::rows) bytes: &'a [u8],
    pub(in crate::rows) at: usize,
    /// Whether the body ends where the window does.
    pub(in crate::rows) is_last: bool,
    /// What of the window was found to be UTF-8.
    pub(in crate::rows) checked: Checked,
    /// The bytes of the window that were marked last, for floats in arrays.
    pub(in crate::rows) marked: MarkedBlock,
}

impl<'a> Cursor<'a> {
    pub(in crate::rows) fn new(bytes: &'a [u8], is_last: bool) -> Self {
        Self { bytes, at: 0, is_last, checked: Checked::default(), marked: MarkedBlock::default() }
    }

    /// Moves to this place, and gives the cursor back.
    #[inline]
    pub(in crate::rows) fn stand_at(&mut self, at: usize) -> &mut Self {
        self.at = at;
        self
    }

    /// The next byte that is not white space; the cursor stands on it.
    #[inline]
    pub(in crate::rows) fn peek_token(&mut self) -> ReadResult<u8> {
        // One comparison for what nearly always stands here, and another for the space that many services write.
        match self.bytes.get(self.at) {
            Some(&byte) if byte > b' ' => return Ok(byte),
            Some(b' ') => self.at += 1,
            _ => {}
        }
        match self.bytes.get(self.at) {
            Some(&byte) if byte > b' ' => Ok(byte),
            _ => self.peek_after_space(),
        }
    }

    #[inline(never)]
    fn peek_after_space(&mut self) -> ReadResult<u8> {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\r' | b'\t') => self.at += 1,
                Some(b'\n') => self.at = skip_indent(self.bytes, self.at + 1, b' '),
                Some(&byte) => return Ok(byte),
                None => return Err(Stop::NeedMore),
            }
        }
    }

    /// Takes the next token, which has to be `byte`.
    #[inline]
    pub(in crate::rows) fn expect(&mut self, byte: u8, expected: Expected) -> ReadResult<()> {
        if self.peek_token()? == byte {
            self.at += 1;
            Ok(())
        } else {
            Err(self.unexpected(expected))
        }
    }

    /// Takes `null`, `true` or `false`.
    #[inline]
    pub(in crate::rows) fn literal(&mut self) -> ReadResult<Literal> {
        const NULL: u32 = u32::from_le_bytes(*b"null");
        const TRUE: u32 = u32::from_le_bytes(*b"true");
        const FALS: u32 = u32::from_le_bytes(*b"fals");
        let rest = &self.bytes[self.at..];
        let (literal, len) = match rest.first_chunk().map(|first| u32::from_le_bytes(*first)) {
            Some(NULL) => (Literal::Null, 4),
            Some(TRUE) => (Literal::True, 4),
            Some(FALS) if rest.get(4) == Some(&b'e') => (Literal::False, 5),
            _ => return Err(self.no_literal()),
        };
        self.at += len;
        Ok(literal)
    }

    /// Takes `true` or `false`, if one of them stands here and the window has eight bytes from here on. No branch
    /// depends on which it is.
    #[inline]
    pub(in crate::rows) fn boolean_at_once(&mut self) -> Option<bool> {
        const TRUE: u64 = u64::from_le_bytes(*b"true\0\0\0\0");
        const FALSE: u64 = u64::from_le_bytes(*b"false\0\0\0");
        let text = u64::from_le_bytes(*self.bytes[self.at..].first_chunk()?);
        let is_true = text as u8 == b't';
        let word = select_unpredictable(is_true, TRUE, FALSE);
        let len = "false".len() - usize::from(is_true);
        // What stands after the word is shifted out.
        if (text ^ word) << (u64::BITS as usize - 8 * len) != 0 {
            return None;
        }
        self.at += len;
        Some(is_true)
    }

    #[cold]
    fn no_literal(&self) -> Stop {
        let rest = &self.bytes[self.at..];
        if ["null", "true", "false"].iter().any(|word| word.as_bytes().starts_with(rest)) {
            Stop::NeedMore
        } else {
            self.unexpected(Expected::Value)
        }
    }

    #[cold]
    pub(in crate::rows) fn too_deep(&self) -> Stop {
        self.bad(format!("nested deeper than {MAX_DEPTH} levels"))
    }

    #[cold]
    pub(in crate::rows) fn bad(&self, message: impl Into<String>) -> Stop {
        Self::bad_at(self.at, message)
    }

    #[cold]
    pub(in crate::rows) fn bad_at(at: usize, message: impl Into<String>) -> Stop {
        Stop::Bad(Box::new(Fault { at, kind: DecodeErrorKind::Malformed, message: message.into() }))
    }
}

/// White space of RFC 8259, section 2.
pub(in crate::rows) fn is_white_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// The place after bytes that are all `indent`, or before the last few where the bytes end soon.
pub(in crate::rows) fn skip_indent(bytes: &[u8], mut at: usize, indent: u8) -> usize {
    let indent = u64::from_le_bytes([indent; 8]);
    while let Some(text) = bytes[at..].first_chunk() {
        let others = u64::from_le_bytes(*text) ^ indent;
        at += (others.trailing_zeros() / 8) as usize;
        if others != 0 {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boolean_at_once_is_what_a_literal_is_and_else_nothing_is_taken() {
        for word in ["true", "false", "null"] {
            for changed in 0..word.len() {
                for byte in [b'x', b'e', b'T', b' ', word.as_bytes()[changed]] {
                    let mut body = format!("{word},\"a\":1").into_bytes();
                    body[changed] = byte;
                    for end in 0..body.len() {
                        let (mut at_once, mut literal) =
                            (Cursor::new(&body[..end], false), Cursor::new(&body[..end], false));
                        let expected = match literal.literal() {
                            Ok(Literal::True) if end >= 8 => Some(true),
                            Ok(Literal::False) if end >= 8 => Some(false),
                            _ => None,
                        };
                        assert_eq!(at_once.boolean_at_once(), expected, "{:?}", &body[..end]);
                        assert_eq!(at_once.at, if expected.is_some() { literal.at } else { 0 });
                    }
                }
            }
        }
    }
}
