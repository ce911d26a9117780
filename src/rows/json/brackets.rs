//! Stepping over values by their quotes and brackets alone.
//!
//! In JSON that is never wrong. What is no JSON may be stepped over as if it were some: that shows when it is read.

use super::scan::{BLOCK, brackets_in, find_special};

/// The place behind the array or object that begins at `open`; `None` where it does not end in `bytes`.
pub(in crate::rows) fn behind_nested(bytes: &[u8], open: usize) -> Option<usize> {
    let (mut at, mut depth) = (open, 0_usize);
    // Gives where to go on, which is behind the string that begins here; or the end of it all.
    let mut take = |at: usize| match bytes[at] {
        b'"' => Step::To(behind_string(bytes, at)),
        b'{' | b'[' => {
            depth += 1;
            Step::Next
        }
        b'}' | b']' => {
            depth -= 1;
            if depth == 0 { Step::End } else { Step::Next }
        }
        _ => Step::Next,
    };
    'blocks: while let Some(block) = bytes.get(at..)?.first_chunk::<BLOCK>() {
        let mut marks = brackets_in(block);
        while marks != 0 {
            let place = at + marks.trailing_zeros() as usize;
            match take(place) {
                Step::Next => marks &= marks - 1,
                Step::To(behind) => {
                    at = behind?;
                    continue 'blocks;
                }
                Step::End => return Some(place + 1),
            }
        }
        at += BLOCK;
    }
    while at < bytes.len() {
        match take(at) {
            Step::Next => at += 1,
            Step::To(behind) => at = behind?,
            Step::End => return Some(at + 1),
        }
    }
    None
}

/// What follows from a byte outside of strings.
enum Step {
    Next,
    To(Option<usize>),
    End,
}

/// The place behind the string that begins at `quote`; `None` where it does not end in `bytes`.
pub(in crate::rows) fn behind_string(bytes: &[u8], quote: usize) -> Option<usize> {
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
        fn a_value_ends_where_it_does_and_does_not_before(value in values(), before in "[ ,]{0,70}", behind in "[]}\", ]{0,70}") {
            let nested = json!([value]).to_string();
            let body = format!("{before}{nested}{behind}");
            let end = before.len() + nested.len();
            prop_assert_eq!(behind_nested(body.as_bytes(), before.len()), Some(end));
            for cut in before.len()..end {
                prop_assert_eq!(behind_nested(&body.as_bytes()[..cut], before.len()), None);
            }
        }
    }
}
