//! The values of a column in a wider storage.

use super::shape::store_with_nulls;
use super::{Shape, Storage, Store, Texts};
use crate::rows::slab::Slab;

impl Store {
    /// The same values in `storage`; one that holds less than the present one is never asked for.
    pub(super) fn widened(&self, storage: Storage) -> Self {
        match (self, storage) {
            (Self::Null(count), storage) => store_with_nulls(storage, *count, &Shape::default()),
            (Self::Int64(values), Storage::UInt64) => Self::UInt64(values.map(|value| value as u64)),
            (Self::Int64(values), Storage::Float64) => Self::Float64(values.map(|value| value as f64)),
            (held, Storage::Text) => Self::Text(to_text(held)),
            (held, storage) => unreachable!("{:?} would lose its values as {storage:?}", held.kind()),
        }
    }
}

fn to_text(held: &Store) -> Texts {
    let mut slab = Slab::default();
    let mut texts = Texts::with_nulls(0);
    let mut text = Vec::new();
    for at in 0..held.len() {
        if held.is_null(at) {
            texts.push_nulls(1);
        } else {
            text.clear();
            held.render(at, &mut text);
            texts.push_raw(&text, &mut slab);
        }
    }
    texts
}
