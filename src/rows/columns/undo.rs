//! Taking a row back, and with it everything it taught: a row that is cut, is refused, holds a key twice, or is too
//! much for the segment it was read into leaves no trace in types, columns or values.
//!
//! Reading is optimistic and rows are taken back rarely, so what it costs is paid where a row teaches something new,
//! which is rare too: the column then keeps what it was before. Attempts at rows are told apart by a number that only
//! ever grows.

use super::{Column, Facts, Store};

/// A column before a row taught it something.
pub(in crate::rows) enum Before {
    /// No change that can be undone.
    Unchanged,
    /// Nothing was known of it, and it had `nulls` nulls. All columns begin like this: it takes no memory of its own.
    Nothing {
        attempt: u64,
        nulls: usize,
    },
    Known(Box<Former>),
}

/// What was known of it.
pub(in crate::rows) struct Former {
    attempt: u64,
    facts: Facts,
    has_duplicate_keys: bool,
    /// The values, where the row made them move to another storage: until the column next learns something, or its
    /// segment ends, they are held twice.
    store: Option<Store>,
}

impl Before {
    /// Keeps the values as they were before the row, which have just moved to another storage. Of a second move in the
    /// same row nothing is kept, nor of a column of which nothing was known: its nulls are made again.
    pub(super) fn keep(&mut self, held: Store) {
        if let Self::Known(known) = self {
            known.store.get_or_insert(held);
        }
    }

    /// The attempt at a row that taught it something.
    fn attempt(&self) -> Option<u64> {
        match self {
            Self::Unchanged => None,
            Self::Nothing { attempt, .. } => Some(*attempt),
            Self::Known(known) => Some(known.attempt),
        }
    }
}

impl Column {
    /// Notes that a key stood twice in one object: the one of this column, or one in what it holds as text.
    #[cold]
    pub(super) fn note_duplicate_key(&mut self, attempt: u64) {
        if !self.has_duplicate_keys {
            self.remember(attempt);
            self.has_duplicate_keys = true;
        }
    }

    /// Keeps what is known before the row teaches the column something.
    pub(super) fn remember(&mut self, attempt: u64) {
        if self.before.attempt() == Some(attempt) {
            return;
        }
        let Self { facts, has_duplicate_keys, .. } = *self;
        self.before = match self.store {
            Store::Null(nulls) if facts == Facts::NOTHING && !has_duplicate_keys => Before::Nothing { attempt, nulls },
            _ => Before::Known(Box::new(Former { attempt, facts, has_duplicate_keys, store: None })),
        };
    }

    /// Takes back everything since the column had `len` values, all of which came with `attempt`. Gives how many values
    /// had moved to another storage for nothing.
    pub(in crate::rows) fn undo(&mut self, attempt: u64, len: usize) -> usize {
        let mut moved = 0;
        if self.before.attempt() == Some(attempt) {
            match std::mem::replace(&mut self.before, Before::Unchanged) {
                Before::Unchanged => {}
                Before::Nothing { nulls, .. } => {
                    (self.facts, self.has_duplicate_keys) = (Facts::NOTHING, false);
                    self.store = Store::Null(nulls);
                }
                Before::Known(known) => {
                    (self.facts, self.has_duplicate_keys) = (known.facts, known.has_duplicate_keys);
                    if let Some(store) = known.store {
                        moved = store.len();
                        self.store = store;
                    }
                }
            }
        }
        match &mut self.store {
            Store::Null(held) => *held = len.min(*held),
            Store::Boolean(values) => values.truncate(len),
            Store::Int64(values) => values.truncate(len),
            Store::UInt64(values) => values.truncate(len),
            Store::Float64(values) => values.truncate(len),
            Store::Utf8(values) => values.truncate(len),
            Store::List(list) => moved += list.undo(attempt, len),
            Store::Struct(members) => moved += members.undo(attempt, len),
        }
        moved
    }
}
