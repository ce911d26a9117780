//! Widening: a column that meets a kind of value which its storage does not hold moves what it has to one that does,
//! and goes on. Which storage that is follows from the facts, and [`facts`](super::facts) has the table of all moves:
//! no column makes more than three for rows that stay. Columns of earlier rows move once more when all rows were read,
//! where later ones have taught the same column more.

use super::{Column, Facts, Outline, Shape, StorageKind, Store};

impl Column {
    /// Adds facts, and moves the values where these ask for another storage. Keeps what was there before, for `undo`.
    #[cold]
    pub(super) fn widen_for(&mut self, facts: Facts, attempt: u64) {
        self.remember(attempt);
        self.facts |= facts;
        let storage = self.facts.storage();
        if storage != self.store.kind() {
            // What was noted of members goes where they go.
            self.has_duplicate_keys = self.has_duplicate_keys_within();
            let wider = self.store.widened(storage);
            let held = std::mem::replace(&mut self.store, wider);
            self.before.keep(held);
        }
    }
}

impl Store {
    /// These values in `storage`; one that holds less than the present one is never asked for.
    pub(super) fn widened(&self, storage: StorageKind) -> Self {
        match (self, storage) {
            (Self::Null(count), storage) => Self::with_nulls(storage, *count, &Shape::default()),
            (Self::Int64(values), StorageKind::UInt64) => Self::UInt64(values.map(|value| value as u64)),
            (Self::Int64(values), StorageKind::Float64) => Self::Float64(values.map(|value| value as f64)),
            (held, StorageKind::Utf8) => to_text(held),
            (held, storage) => unreachable!("{:?} would lose its values as {storage:?}", held.kind()),
        }
    }
}

fn to_text(held: &Store) -> Store {
    let mut texts = Store::with_nulls(StorageKind::Utf8, 0, &Shape::default());
    let outline = Outline::of(held);
    let mut text = Vec::new();
    held.for_each_valid(|at, value| {
        if at > texts.len() {
            // All at once, so that a gap stays one.
            texts.push_nulls(at - texts.len());
        }
        text.clear();
        held.render(value, &outline, &mut text);
        texts.push_json(&text);
    });
    texts.push_nulls(held.len() - texts.len());
    texts
}
