//! Taking a row back, and with it everything it taught: a row that is cut, is refused, or holds a key twice leaves no
//! trace in types, columns or values.
//!
//! Reading is optimistic and rows are taken back rarely, so what it costs is paid where a row teaches something new, which
//! is rare too: the column then keeps what it was before. Rows are told apart by a number that only ever grows.

use super::{Column, Facts, List, Store};
use crate::rows::slab::Slabs;

/// A column before a row taught it something.
pub(in crate::rows) struct Before {
    row: u64,
    facts: Facts,
    has_overwritten: bool,
    /// The values, where the row made them move to another storage.
    store: Option<Store>,
}

impl Column {
    /// Adds facts and remembers what was known before this row.
    #[cold]
    pub(super) fn widen_for(&mut self, facts: Facts, row: u64) {
        self.remember(row);
        self.facts |= facts;
        let storage = self.facts.storage();
        if storage != self.store.kind() {
            let wider = self.store.widened(storage);
            let held = std::mem::replace(&mut self.store, wider);
            if let Some(before) = &mut self.before {
                before.store.get_or_insert(held);
            }
        }
    }

    /// Notes that a key of this column stood twice in one object.
    #[cold]
    pub(super) fn overwrite(&mut self, row: u64) {
        if !self.has_overwritten {
            self.remember(row);
            self.has_overwritten = true;
        }
    }

    fn remember(&mut self, row: u64) {
        if self.before.as_ref().is_none_or(|before| before.row != row) {
            let Self { facts, has_overwritten, .. } = *self;
            self.before = Some(Box::new(Before { row, facts, has_overwritten, store: None }));
        }
    }

    /// Takes back everything since the column had `len` values, all of which came with `row`.
    pub(in crate::rows) fn undo(&mut self, row: u64, len: usize) {
        if let Some(before) = self.before.take_if(|before| before.row == row) {
            (self.facts, self.has_overwritten) = (before.facts, before.has_overwritten);
            if let Some(store) = before.store {
                self.store = store;
            }
        }
        match &mut self.store {
            Store::Null(held) => *held = len.min(*held),
            Store::Boolean(values) => values.truncate(len),
            Store::Int64(values) => values.truncate(len),
            Store::UInt64(values) => values.truncate(len),
            Store::Float64(values) => values.truncate(len),
            Store::Text(values) => values.truncate(len),
            Store::List(list) => list.undo(row, len),
            Store::Struct(fields) => fields.undo(row, len),
        }
    }

    /// How many columns this is, nested ones included.
    pub(super) fn count_columns(&self) -> usize {
        1 + match &self.store {
            Store::List(list) => list.elements.count_columns(),
            Store::Struct(fields) => fields.count_columns(),
            _ => 0,
        }
    }

    /// Says that no other row comes: forgets how to take one back, gives back the room that none will need, and lays nested text
    /// out. `depth` is that of its values.
    pub(in crate::rows) fn settle(&mut self, slabs: &mut Slabs, depth: usize) {
        self.before = None;
        match &mut self.store {
            Store::Text(texts) => texts.settle(slabs, depth),
            Store::List(list) => list.elements.settle(slabs, depth + 1),
            Store::Struct(fields) => fields.columns_mut().for_each(|column| column.settle(slabs, depth + 1)),
            _ => {}
        }
    }
}

impl List {
    fn undo(&mut self, row: u64, len: usize) {
        let end = self.truncate(len);
        self.elements.undo(row, end);
    }
}
