//! Taking a row back, and with it everything it taught: a row that is cut, is refused, holds a key twice, or is too much for the
//! segment it was read into leaves no trace in types, columns or values.
//!
//! Reading is optimistic and rows are taken back rarely, so what it costs is paid where a row teaches something new, which
//! is rare too: the column then keeps what it was before. Rows are told apart by a number that only ever grows.

use super::{Column, Facts, Store};

/// A column before a row taught it something.
pub(in crate::rows) struct Before {
    row: u64,
    facts: Facts,
    has_overwritten: bool,
    /// The values, where the row made them move to another storage: until the column next learns something, or its segment
    /// ends, they are held twice.
    store: Option<Store>,
}

impl Before {
    /// Keeps values that have moved to another storage.
    pub(super) fn keep(&mut self, held: Store) {
        self.store.get_or_insert(held);
    }
}

impl Column {
    /// Notes that a key stood twice in one object: the one of this column, or one in what it holds as text.
    #[cold]
    pub(super) fn overwrite(&mut self, row: u64) {
        if !self.has_overwritten {
            self.remember(row);
            self.has_overwritten = true;
        }
    }

    /// Keeps what is known before the row teaches the column something.
    pub(super) fn remember(&mut self, row: u64) {
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
            Store::Utf8(values) => values.truncate(len),
            Store::List(list) => list.undo(row, len),
            Store::Struct(fields) => fields.undo(row, len),
        }
    }
}
