//! One named column, and how its name was written last.

use std::sync::Arc;

use super::Column;
use super::keys::{Key, Successor};

pub(in crate::rows) struct Member {
    pub(in crate::rows) name: Arc<str>,
    pub(super) key: Key,
    /// How often the name was met written otherwise since the key was made.
    misses: u8,
    /// How many misses it takes before another key is made.
    patience: u8,
    /// The column that is expected after this one.
    pub(super) next: Successor,
    /// How many places of the column are filled: what its length says, without a match for each value. That is the
    /// place of the object that is read, or less where earlier ones lacked the member; more only where this one has had
    /// it already.
    pub(super) filled: usize,
    pub(in crate::rows) column: Column,
}

/// See [`Member::see_written`].
const MOST_PATIENCE: u8 = 64;

impl Member {
    pub(super) fn new(name: Arc<str>, column: Column) -> Self {
        let key = Key::of(&name);
        Self { name, key, misses: 0, patience: 1, next: Successor::default(), filled: column.len(), column }
    }

    /// Where the key ends, its colon with it, if it is the one that stands at `at` after another member.
    #[expect(clippy::inline_always, reason = "a part of `Members::read_members`, which is compiled twice")]
    #[inline(always)]
    pub(super) fn key_end(&self, bytes: &[u8], at: usize) -> Option<usize> {
        // Not by `or_else`, which is not always inlined.
        if let Some(end) = self.key.end(bytes, at) {
            return Some(end);
        }
        if let Some(end) = self.key.end_spaced(bytes, at) {
            return Some(end);
        }
        self.key.end_indented(bytes, at)
    }

    /// Learns how the name is written here, between its quotes. Where it is written now one way and now another, a key
    /// is made ever more rarely.
    #[inline]
    pub(super) fn see_written(&mut self, written: &[u8]) {
        if !self.key.is_written(written, self.name.len()) {
            self.see_written_otherwise(written);
        }
    }

    #[inline(never)]
    fn see_written_otherwise(&mut self, written: &[u8]) {
        self.misses += 1;
        if self.misses >= self.patience {
            self.key = Key::written(written);
            (self.misses, self.patience) = (0, (2 * self.patience).min(MOST_PATIENCE));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_met(member: &Member, body: &[u8]) -> bool {
        member.key_end(body, 0).is_some()
    }

    #[test]
    fn a_name_is_expected_as_it_was_written_last_unless_that_changes_again_and_again() {
        let (raw, escaped): (&[u8], &[u8]) = ("é".as_bytes(), br"\u00e9");
        let mut member = Member::new(Arc::from("é"), Column::new());
        assert!(is_met(&member, ",\"é\":1".as_bytes()));
        member.see_written(escaped);
        assert!(is_met(&member, br#","\u00e9":1"#));
        let mut made = 0;
        for at in 0..1000 {
            let before = is_met(&member, br#","\u00e9":1"#);
            member.see_written(if at % 2 == 0 { raw } else { escaped });
            made += usize::from(before != is_met(&member, br#","\u00e9":1"#));
        }
        assert!((1..20).contains(&made), "{made}");
        (0..MOST_PATIENCE).for_each(|_| member.see_written(raw));
        assert!(is_met(&member, ",\"é\":1".as_bytes()));
    }
}
