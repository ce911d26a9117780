//! Whether a JSON body came to its end, told by its quotes and brackets alone, whatever stands between them.

#[derive(Debug, Default)]
pub(super) struct Brackets {
    /// How many are open.
    depth: usize,
    in_string: bool,
    is_escaped: bool,
}

impl Brackets {
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match (self.in_string, byte) {
                (true, _) if std::mem::take(&mut self.is_escaped) => {}
                (true, b'\\') => self.is_escaped = true,
                (_, b'"') => self.in_string = !self.in_string,
                (false, b'{' | b'[') => self.depth += 1,
                (false, b'}' | b']') => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Whether all that was opened is closed.
    pub(super) fn are_closed(&self) -> bool {
        self.depth == 0 && !self.in_string
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_of_a_body_is_closed_wherever_it_is_cut() {
        let body = br#"{"a": ["}", "\\", "\"]", {"b": "\u005d"}], "c": {}}"#;
        for (end, cut) in (1..=body.len()).flat_map(|end| (0..=end).map(move |cut| (end, cut))) {
            let mut brackets = Brackets::default();
            brackets.feed(&body[..cut]);
            brackets.feed(&body[cut..end]);
            assert_eq!(brackets.are_closed(), end == body.len(), "{end} {cut}");
        }
    }
}
