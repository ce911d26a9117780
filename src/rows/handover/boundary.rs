//! Where in a chunk the last row ends.

use hashbrown::HashSet;
use memchr::memmem::{self, FinderRev};

use crate::rows::json::brackets::{end_of_nested, end_of_string};
use crate::rows::json::cursor::is_white_space;

/// How much of a chunk is looked at to tell whether guesses can be trusted.
const SAMPLE_BYTES: usize = 256 << 10;

/// How many places that look like the end of a row are looked at in a chunk before rows are counted in it.
const MOST_TRIED: usize = 1_000;

/// How much of an object is looked at for its first keys.
const FIRST_KEYS_BYTES: usize = 4 << 10;

/// A longer prefix is not looked for.
const LONGEST_PREFIX: usize = 512;

/// How the end of a row is told from everything else that looks like it.
#[derive(Debug)]
pub(super) enum Boundary {
    /// By how the next row begins, as it was seen. That takes no time and may be wrong: a text or a nested object can
    /// look the same.
    Guess(RowPrefix),
    /// By counting braces outside of strings from the beginning of the chunk, which has to be between two rows. In JSON
    /// that is never wrong, but a body of 16 MB then takes two threads 1.3 to 1.5 times as long.
    Counted,
}

/// How rows begin, and what tells them from all else in the sample that does.
#[derive(Debug)]
pub(super) struct RowPrefix {
    /// The brace that ends a row, what stands between it and the first key of the next, and that key, byte for byte.
    needle: FinderRev<'static>,
    /// Where in it the next row begins.
    open: usize,
    /// A key of rows that other objects with the same first key do not have, where there are such.
    key: Option<Vec<u8>>,
}

impl Boundary {
    /// Chooses by a chunk that begins between two rows.
    pub(super) fn learn(chunk: &[u8]) -> Self {
        RowPrefix::learn(&chunk[..chunk.len().min(SAMPLE_BYTES)]).map_or(Self::Counted, Self::Guess)
    }

    /// The place after the last row of the chunk, if a row ends in it.
    pub(super) fn last(&self, chunk: &[u8]) -> Option<usize> {
        let guess = match self {
            Self::Guess(prefix) => prefix.last(chunk),
            Self::Counted => None,
        };
        guess.or_else(|| row_ends(chunk).last())
    }
}

impl RowPrefix {
    fn learn(sample: &[u8]) -> Option<Self> {
        let first = row_prefix(sample)?;
        let needle = [b"}", first].concat();
        let open = needle.iter().position(|&byte| byte == b'{')?;
        let ends: Vec<usize> = row_ends(sample).collect();
        let (rows, others): (Vec<usize>, Vec<usize>) =
            memmem::find_iter(sample, &needle).partition(|at| ends.binary_search(&(at + 1)).is_ok());
        let mut key = None;
        if !others.is_empty() {
            let others: HashSet<&[u8]> = others.iter().flat_map(|at| first_keys(sample, at + open)).collect();
            key = Some(first_keys(sample, rows.first()? + open).find(|key| !others.contains(key))?.to_vec());
        }
        Some(Self { needle: FinderRev::new(&needle).into_owned(), open, key })
    }

    /// Where the last row ends that is followed by one with this prefix.
    fn last(&self, chunk: &[u8]) -> Option<usize> {
        let mut places = self.needle.rfind_iter(chunk).take(MOST_TRIED);
        let is_row = |at: &usize| {
            self.key.as_ref().is_none_or(|key| first_keys(chunk, at + self.open).any(|other| other == key))
        };
        places.find(is_row).map(|brace| brace + 1)
    }
}

/// The first keys of the object that begins at `open`, with their quotes, as far as they stand near its beginning.
fn first_keys(bytes: &[u8], open: usize) -> impl Iterator<Item = &[u8]> {
    let bytes = &bytes[..bytes.len().min(open + FIRST_KEYS_BYTES)];
    let mut at = open + 1;
    std::iter::from_fn(move || {
        let key = skip_separators(bytes, at);
        let end = if bytes.get(key) == Some(&b'"') { end_of_string(bytes, key)? } else { return None };
        let value = skip_separators(bytes, end);
        at = match bytes.get(value)? {
            b'"' => end_of_string(bytes, value),
            b'{' | b'[' => end_of_nested(bytes, value),
            _ => bytes[value..].iter().position(|byte| matches!(byte, b',' | b'}')).map(|count| value + count),
        }
        .unwrap_or(bytes.len());
        Some(&bytes[key..end])
    })
}

/// The place after white space, colons and commas.
fn skip_separators(bytes: &[u8], from: usize) -> usize {
    let is_other = |&byte: &u8| !is_white_space(byte) && !matches!(byte, b':' | b',');
    bytes[from.min(bytes.len())..].iter().position(is_other).map_or(bytes.len(), |count| from + count)
}

/// What stands between two rows, and the first key of the second.
fn row_prefix(chunk: &[u8]) -> Option<&[u8]> {
    let brace = chunk.iter().position(|&byte| !is_white_space(byte) && byte != b',')?;
    let key = brace + 1 + chunk[brace + 1..].iter().position(|&byte| !is_white_space(byte))?;
    if chunk[brace] != b'{' || chunk[key] != b'"' {
        return None;
    }
    let end = end_of_string(chunk, key)?;
    (end <= LONGEST_PREFIX).then(|| &chunk[..end])
}

/// The places after each object that stands in no other.
fn row_ends(chunk: &[u8]) -> impl Iterator<Item = usize> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            match chunk.get(at)? {
                b'"' => at = end_of_string(chunk, at)?,
                b'{' => {
                    at = end_of_nested(chunk, at)?;
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

    fn last(chunk: &str) -> (bool, Option<&str>) {
        let boundary = Boundary::learn(chunk.as_bytes());
        let end = boundary.last(chunk.as_bytes());
        (matches!(boundary, Boundary::Guess(_)), end.map(|end| &chunk[end..]))
    }

    #[test]
    fn a_row_ends_where_the_next_begins_with_the_first_key() {
        assert_eq!(last(r#", {"a": 1}, {"a": {"b": 2}}, {"a": 3"#), (true, Some(r#", {"a": 3"#)));
        assert_eq!(last("\n{\"a\":1}\n{\"a\":2}\n{\"b"), (true, Some("\n{\"a\":2}\n{\"b")));
        assert_eq!(last(r#",{"a":1},{"b":2},{"c":3},"#), (true, Some(",")));
    }

    #[test]
    fn rows_are_told_by_a_key_of_theirs_from_what_begins_like_them_and_counted_where_there_is_none() {
        let alike = r#"[{"id":3,"r":[{"id":5},{"id":6,"r":0}]},{"id":4}]"#;
        for (nested, is_guess) in [(r#"[{"id":3},{"id":4}]"#, true), (r#""x},{\"id\"""#, true), (alike, false)] {
            let chunk = format!(r#",{{"id":1,"r":{nested}}},{{"id":2,"r":{nested}"#);
            let end = format!(r#",{{"id":2,"r":{nested}"#);
            assert_eq!(last(&chunk), (is_guess, Some(end.as_str())), "{chunk}");
        }
    }

    #[test]
    fn the_last_row_that_is_there_far_enough_to_be_told_is_found() {
        let row = r#",{"id":1,"items":[{"id":2,"n":3},{"id":4,"n":5}],"name":"x"}"#;
        let cut = r#",{"id":7,"items":[{"id":8,"n":9},{"id":10"#;
        assert_eq!(last(&[row, row, row, cut].concat()), (true, Some(cut)));
    }

    #[test]
    fn a_chunk_without_the_end_of_a_row_has_none() {
        for chunk in ["", ",", ", {", r#", {"a": "}"#, r#", {"a": "\"}"#, r#", {"a": {}"#, r#"}, {"a": 1}"#, "\"\\"] {
            assert_eq!(last(chunk).1, None, "{chunk}");
        }
    }
}
