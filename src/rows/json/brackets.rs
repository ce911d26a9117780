//! Stepping over values by their quotes and brackets alone.
//!
//! In JSON that is never wrong. What is no JSON may be stepped over as if it were some: that shows when it is read.

use super::scan::{BLOCK, Punctuation, find_special, punctuation_in};

/// The place after the array or object that begins at `open`; `None` where it does not end in `bytes`.
pub(in crate::rows) fn end_of_nested(bytes: &[u8], open: usize) -> Option<usize> {
    let (blocks, end) = bytes.get(open..)?.as_chunks();
    let mut last = [b' '; BLOCK];
    last[..end.len()].copy_from_slice(end);
    let (mut strings, mut depth) = (Strings::default(), 0);
    for (block, at) in blocks.iter().chain([&last]).zip((open..).step_by(BLOCK)) {
        let marks = punctuation_in(block);
        let outside = !strings.in_string_mask(&marks);
        let (mut opening, mut closing) = (marks.opening & outside, marks.closing & outside);
        if closing.count_ones() < depth {
            depth = depth + opening.count_ones() - closing.count_ones();
            continue;
        }
        // It may end here.
        while closing != 0 {
            let place = closing.trailing_zeros();
            let before = opening & !(u64::MAX << place);
            depth = depth + before.count_ones() - 1;
            if depth == 0 {
                return Some(at + place as usize + 1);
            }
            opening ^= before;
            closing &= closing - 1;
        }
        depth += opening.count_ones();
    }
    None
}

/// What of a block is in strings, with what the blocks before it leave to it.
#[derive(Default)]
struct Strings {
    /// All bits where a string began and did not end, or none.
    open: u64,
    /// The lowest bit where the first byte is escaped.
    escaped: u64,
}

impl Strings {
    /// A bit for each byte of the next block that is in a string, its first quote among them and its last not.
    fn in_string_mask(&mut self, marks: &Punctuation) -> u64 {
        let quotes = marks.quotes & !self.escaped_mask(marks.backslashes);
        // Each bit says now whether there is an odd number of quotes up to it.
        let mut covered = quotes;
        for shift in [1, 2, 4, 8, 16, 32] {
            covered ^= covered << shift;
        }
        covered ^= self.open;
        self.open = if covered >> (BLOCK - 1) == 0 { 0 } else { u64::MAX };
        covered
    }

    /// A bit for each byte of the next block that stands after a backslash which is not escaped itself.
    fn escaped_mask(&mut self, mut backslashes: u64) -> u64 {
        let mut escaped = std::mem::take(&mut self.escaped);
        backslashes &= !escaped;
        while backslashes != 0 {
            let backslash = backslashes & backslashes.wrapping_neg();
            let after = backslash << 1;
            self.escaped = u64::from(after == 0);
            escaped |= after;
            backslashes &= !(backslash | after);
        }
        escaped
    }
}

/// The place after the string that begins at `quote`; `None` where it does not end in `bytes`.
pub(in crate::rows) fn end_of_string(bytes: &[u8], quote: usize) -> Option<usize> {
    let mut at = quote + 1;
    loop {
        at += find_special(bytes.get(at..)?);
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            // A control character is wrong there; who reads it says so.
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    /// Values with all that could be taken for something else in their strings.
    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![any::<i32>().prop_map(Value::from), "[a-z{}\\[\\]\"\\\\\n]{0,80}".prop_map(Value::from)];
        leaf.prop_recursive(5, 60, 6, |inner| {
            let object = prop::collection::btree_map("[a{\"\\\\]{0,4}", inner.clone(), 0..6);
            prop_oneof![
                prop::collection::vec(inner, 0..6).prop_map(Value::from),
                object.prop_map(|members| json!(members))
            ]
        })
    }

    proptest! {
        #[test]
        fn a_value_ends_where_it_does_and_does_not_before(value in values(), before in "[ ,]{0,70}", after in "[]}\", ]{0,70}") {
            let nested = json!([value]).to_string();
            let body = format!("{before}{nested}{after}");
            let end = before.len() + nested.len();
            prop_assert_eq!(end_of_nested(body.as_bytes(), before.len()), Some(end));
            for cut in before.len()..end {
                prop_assert_eq!(end_of_nested(&body.as_bytes()[..cut], before.len()), None);
            }
        }
    }
}
