//! The end of reading into columns: what only more values would need is given up.

use super::undo::Before;
use super::{Column, Store};
use crate::rows::memory::Arena;

impl Column {
    /// Says that no other value comes, and fills the column up to `len`: forgets how to take one back, gives back the
    /// room after texts, and lays out where they and arrays end.
    pub(in crate::rows) fn seal(&mut self, len: usize, arena: &mut Arena) {
        self.before = Before::Unchanged;
        self.pad_to(len);
        match &mut self.store {
            Store::Utf8(texts) => texts.seal(arena),
            Store::List(list) => list.seal(arena),
            Store::Struct(members) => {
                members.drop_absent();
                members.give_gaps_to_members();
                members.columns_mut().for_each(|column| column.seal(len, arena));
            }
            _ => {}
        }
    }
}
