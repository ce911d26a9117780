//! The canonical text of a number: integers with all their digits, the others as RFC 8785 has them, and what is outside
//! f64's range as it was sent.

use super::number::Number;

/// Writes the text of a number.
pub(in crate::rows) fn write_number(number: Number<'_>, out: &mut Vec<u8>) {
    with_text(number, |text| out.extend_from_slice(text));
}

/// Hands the text of a number to `read`.
pub(in crate::rows) fn with_text<R>(number: Number<'_>, read: impl FnOnce(&[u8]) -> R) -> R {
    match number {
        Number::Int(value) => read(itoa::Buffer::new().format(value).as_bytes()),
        Number::UInt(value) => read(itoa::Buffer::new().format(value).as_bytes()),
        // The shortest form that reads back equal, as ECMAScript writes it.
        Number::Float(value) | Number::Rounded(value) => read(ryu_js::Buffer::new().format_finite(value).as_bytes()),
        Number::Huge(text) | Number::Overflow(text) => read(text),
    }
}

/// Whether a number was certainly sent as its canonical text. It may have been where this is `false`.
#[inline]
pub(in crate::rows) fn is_seen_canonical(number: Number<'_>, sent: &[u8]) -> bool {
    match number {
        // There is no other, but for `-0`.
        Number::Int(value) => value != 0 || sent.len() == 1,
        Number::UInt(_) | Number::Huge(_) | Number::Overflow(_) => true,
        Number::Float(_) => is_shortest(sent),
        Number::Rounded(_) => false,
    }
}

/// Whether this text of a number with fraction or exponent is the one that RFC 8785 has for it, as far as that is seen
/// at once. Up to 15 digits identify a float uniquely, so this text is the shortest unless it ends in a zero or needs
/// an exponent.
#[inline]
fn is_shortest(text: &[u8]) -> bool {
    /// Fifteen digits, of which any two different numbers are different floats, and the point.
    const FEW: usize = 15 + 1;
    /// Smaller numbers than 0.000001 have an exponent.
    const SMALLEST: &[u8] = b"0.000000";
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    digits.len() <= FEW
        && digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.'))
        && !digits.ends_with(b"0")
        && !digits.starts_with(SMALLEST)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rows::json::cursor::Cursor;

    #[test]
    fn the_usual_texts_are_seen_to_be_canonical_and_others_are_not() {
        let is_seen_canonical = |text: &str| {
            let number = Cursor::new(text.as_bytes(), true).number().unwrap();
            is_seen_canonical(number, text.as_bytes())
        };
        for text in ["0", "-7", "0.5", "-12.25", "0.000001", "18446744073709551616", "1e400"] {
            assert!(is_seen_canonical(text), "{text}");
        }
        for text in ["-0", "1.0", "0.0000001", "1e5", "0.50", "1.5E3"] {
            assert!(!is_seen_canonical(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_seen_to_be_canonical_is_what_would_be_written(
            text in "-?(0|[1-9][0-9]{0,15})\\.(0{0,8}[0-9]{1,15})", zeros in "-?0\\.0{1,8}[0-9]{1,9}", whole in "-?(0|[1-9][0-9]{0,20})",
        ) {
            for text in [text, zeros, whole] {
                let number = Cursor::new(text.as_bytes(), true).number().unwrap();
                let mut written = Vec::new();
                write_number(number, &mut written);
                prop_assert!(!is_seen_canonical(number, text.as_bytes()) || written == text.as_bytes(), "{}", text);
            }
        }
    }
}
