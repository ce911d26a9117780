//! Where in a block the last row ends.

use memchr::memmem::{self, FinderRev};

use crate::rows::json::brackets::{behind_nested, behind_string};

/// How much of the first block is looked at to tell whether guesses can be trusted.
const SAMPLE_BYTES: usize = 256 << 10;

/// A longer beginning of a row is not looked for.
const LONGEST_BEGINNING: usize = 512;

/// How the end of a row is told from everything else that looks like it.
#[derive(Debug)]
pub(super) enum Boundary {
    /// By what stands between it and the first key of the next row, byte for byte as it was seen once. That takes no
    /// time and may be wrong: a text or a nested object can look the same.
    Guess(FinderRev<'static>),
    /// By counting braces outside of strings from the beginning of the block, which has to be between two rows. In JSON
    /// that is never wrong.
    Counted,
}

impl Boundary {
    /// Chooses by a block that begins between two rows.
    pub(super) fn learn(block: &[u8]) -> Self {
        let sample = &block[..block.len().min(SAMPLE_BYTES)];
        let Some(beginning) = beginning(sample) else { return Self::Counted };
        let needle = [b"}", beginning].concat();
        let mut ends = row_ends(sample);
        let is_right = |guess: usize| ends.by_ref().find(|end| *end > guess) == Some(guess + 1);
        if memmem::find_iter(sample, &needle).all(is_right) {
            Self::Guess(FinderRev::new(&needle).into_owned())
        } else {
            Self::Counted
        }
    }

    /// The place behind the last row of the block, if a row ends in it.
    pub(super) fn last(&self, block: &[u8]) -> Option<usize> {
        let guess = match self {
            Self::Guess(finder) => finder.rfind(block).map(|brace| brace + 1),
            Self::Counted => None,
        };
        guess.or_else(|| row_ends(block).last())
    }
}

/// What stands between two rows, and the first key of the second.
fn beginning(block: &[u8]) -> Option<&[u8]> {
    let brace = block.iter().position(|byte| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b','))?;
    let key = brace + 1 + block[brace + 1..].iter().position(|byte| !byte.is_ascii_whitespace())?;
    if block[brace] != b'{' || block[key] != b'"' {
        return None;
    }
    let end = behind_string(block, key)?;
    (end <= LONGEST_BEGINNING).then(|| &block[..end])
}

/// The places behind each object that stands in no other.
fn row_ends(block: &[u8]) -> impl Iterator<Item = usize> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            match block.get(at)? {
                b'"' => at = behind_string(block, at)?,
                b'{' => {
                    at = behind_nested(block, at)?;
                    return Some(at);
                }
                b'}' => return None,
                _ => at += 1,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(block: &str) -> (bool, Option<&str>) {
        let boundary = Boundary::learn(block.as_bytes());
        let end = boundary.last(block.as_bytes());
        (matches!(boundary, Boundary::Guess(_)), end.map(|end| &block[end..]))
    }

    #[test]
    fn a_row_ends_where_the_next_begins_with_the_first_key() {
        assert_eq!(last(r#", {"a": 1}, {"a": {"b": 2}}, {"a": 3"#), (true, Some(r#", {"a": 3"#)));
        assert_eq!(last("\n{\"a\":1}\n{\"a\":2}\n{\"b"), (true, Some("\n{\"a\":2}\n{\"b")));
        assert_eq!(last(r#",{"a":1},{"b":2},{"c":3},"#), (true, Some(",")));
    }

    #[test]
    fn rows_are_counted_where_something_else_looks_like_the_end_of_one() {
        for nested in [r#"[{"id":3},{"id":4}]"#, r#""x},{\"id\"""#] {
            let block = format!(r#",{{"id":1,"r":{nested}}},{{"id":2,"r":{nested}"#);
            let end = format!(r#",{{"id":2,"r":{nested}"#);
            let is_guess = nested.starts_with('"');
            assert_eq!(last(&block), (is_guess, Some(end.as_str())), "{block}");
        }
    }

    #[test]
    fn a_block_without_the_end_of_a_row_has_none() {
        for block in ["", ",", ", {", r#", {"a": "}"#, r#", {"a": "\"}"#, r#", {"a": {}"#, r#"}, {"a": 1}"#, "\"\\"] {
            assert_eq!(last(block).1, None, "{block}");
        }
    }
}
