//! What stands where something else has to, in words: the byte itself, and what it mostly means.
//!
//! Of what follows it nothing is told: how much of that is there depends on how the body arrives, and an error does not.

use super::cursor::{Cursor, Stop};

impl Cursor<'_> {
    /// The fault that something other than `expected` stands at the cursor.
    #[cold]
    pub(super) fn unexpected(&self, expected: &str) -> Stop {
        match self.bytes.get(self.at) {
            Some(&found) => {
                self.bad(format!("expected {expected}, found {}{}", shown(found), meaning(found, expected)))
            }
            None => self.bad(format!("expected {expected}")),
        }
    }
}

fn shown(byte: u8) -> String {
    if byte.is_ascii_graphic() { format!("`{}`", char::from(byte)) } else { format!("the byte 0x{byte:02x}") }
}

fn meaning(byte: u8, expected: &str) -> &'static str {
    match byte {
        b'<' => " (is it HTML or XML?)",
        b'\'' => " (strings and keys stand in double quotes)",
        b'N' | b'I' | b'T' | b'F' | b'u' => " (JSON knows `null`, `true`, `false` and finite numbers)",
        b']' | b'}' if expected.starts_with("a ") => " (is there a comma too many?)",
        b'/' | b'#' => " (JSON knows no comments)",
        0x00 | 0xfe | 0xff => " (is it UTF-16? JSON is UTF-8)",
        0x1f => " (is it compressed?)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::cursor::Stop;

    #[test]
    fn what_was_found_is_told_and_what_it_mostly_means() {
        for (body, expected, told) in [
            ("<html>", "a row", "expected a row, found `<` (is it HTML or XML?)"),
            ("]", "a row", "expected a row, found `]` (is there a comma too many?)"),
            ("]", "`,` or `}` in an object", "expected `,` or `}` in an object, found `]`"),
            ("NaN", "a value", "expected a value, found `N` (JSON knows `null`, `true`, `false` and finite numbers)"),
            ("\u{1f}", "a row", "expected a row, found the byte 0x1f (is it compressed?)"),
            ("x", "a row", "expected a row, found `x`"),
            ("", "a row", "expected a row"),
        ] {
            let Stop::Bad(fault) = Cursor::new(body.as_bytes(), true).unexpected(expected) else { panic!("{body}") };
            assert_eq!((fault.at, fault.message.as_str()), (0, told));
        }
    }
}
