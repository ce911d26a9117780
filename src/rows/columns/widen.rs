//! Moving a column's values to a wider storage, once.

use super::shape::store_with_nulls;
use super::{Column, Shape, Storage, Store, Texts};

impl Column {
    /// Moves the values to `storage`; one that holds less than the present one is never asked for.
    pub(super) fn widen_to(&mut self, storage: Storage) {
        let held = std::mem::replace(&mut self.store, Store::Null(0));
        self.store = match (held, storage) {
            (Store::Null(count), storage) => store_with_nulls(storage, count, &Shape::default()),
            (Store::Int64(values), Storage::UInt64) => Store::UInt64(values.map(|value| value as u64)),
            (Store::Int64(values), Storage::Float64) => Store::Float64(values.map(|value| value as f64)),
            (Store::UInt64(values), Storage::Float64) => Store::Float64(values.map(|value| value as f64)),
            (held @ Store::Text(_), Storage::Text) => held,
            (held, Storage::Text) => Store::Text(to_text(&held)),
            (held, _) => held,
        };
    }
}

fn to_text(held: &Store) -> Texts {
    let mut texts = Texts::with_nulls(0);
    let mut text = Vec::new();
    for at in 0..held.len() {
        if held.is_null(at) {
            texts.push_nulls(1);
        } else {
            text.clear();
            held.render(at, &mut text);
            texts.push_raw(&text);
        }
    }
    texts
}
