//! One column: values go in at its end, and what they are adds to its facts.

use super::undo::Before;
use super::{Facts, Shape, Store, Strings};
use crate::rows::json::number::Number;
use crate::rows::json::number_text::{is_seen_canonical, with_text};
use crate::rows::json::text::Text;

/// One column.
pub(in crate::rows) struct Column {
    pub(super) facts: Facts,
    pub(super) store: Store,
    /// What it was before the row that last taught it something.
    pub(super) before: Before,
    /// Whether a key stood twice in one object: the one of this column, or one in what it holds as text.
    pub(super) has_duplicate_keys: bool,
    /// How many numbers come before reading one at once is tried: see [`Column::take_at_once`].
    pub(super) untried: u8,
}

impl Column {
    pub(in crate::rows) fn new() -> Self {
        Self::of_store(Facts::NOTHING, Store::Null(0))
    }

    /// An empty column that is known to hold what `shape` says.
    pub(in crate::rows) fn of_shape(shape: &Shape) -> Self {
        Self::of_store(shape.facts, Store::with_nulls(shape.facts.storage(), 0, shape))
    }

    /// A column of values made elsewhere; `facts` are those that `store` is the storage of.
    pub(in crate::rows) fn of_store(facts: Facts, store: Store) -> Self {
        Self { facts, store, before: Before::Unchanged, has_duplicate_keys: false, untried: 0 }
    }

    /// Whether a key stood twice in an object of this column, or of one nested in it.
    pub(super) fn has_duplicate_keys_within(&self) -> bool {
        self.has_duplicate_keys
            || match &self.store {
                Store::List(list) => list.elements.has_duplicate_keys_within(),
                Store::Struct(members) => members.iter().any(|member| member.column.has_duplicate_keys_within()),
                _ => false,
            }
    }

    #[inline]
    pub(in crate::rows) fn len(&self) -> usize {
        self.store.len()
    }

    pub(in crate::rows) fn is_null(&self, at: usize) -> bool {
        self.store.physical_index(at).is_none()
    }

    /// Fills the column with nulls up to `len` rows.
    #[inline]
    pub(in crate::rows) fn pad_to(&mut self, len: usize) {
        let held = self.len();
        if held < len {
            self.push_nulls(len - held);
        }
    }

    #[inline]
    pub(in crate::rows) fn push_nulls(&mut self, count: usize) {
        self.store.push_nulls(count);
    }

    #[inline]
    pub(in crate::rows) fn push_boolean(&mut self, value: bool, attempt: u64) {
        // A column stored as booleans has seen one.
        if let Store::Boolean(values) = &mut self.store {
            return values.push(value);
        }
        self.push_other_boolean(value, attempt);
    }

    #[inline(never)]
    fn push_other_boolean(&mut self, value: bool, attempt: u64) {
        self.learn(Facts::BOOLEAN, attempt);
        match &mut self.store {
            Store::Boolean(values) => values.push(value),
            text => text.push_json(if value { b"true" } else { b"false" }),
        }
    }

    #[inline]
    pub(in crate::rows) fn push_number(&mut self, number: Number<'_>, attempt: u64) {
        match (&mut self.store, number) {
            // A column stored as integers has seen one; those that are negative or wide are facts of their own.
            (Store::Int64(values), Number::Int(value))
                if Facts::of_integer(value) == Facts::INTEGER || self.facts.contains(Facts::of_integer(value)) =>
            {
                values.push(value);
            }
            (Store::Float64(values), Number::Float(value)) => values.push(value),
            (Store::Float64(values), Number::Rounded(value)) if self.facts.contains(Facts::ROUNDED) => {
                values.push(value);
            }
            _ => self.push_other_number(number, attempt),
        }
    }

    #[inline(never)]
    fn push_other_number(&mut self, number: Number<'_>, attempt: u64) {
        self.learn(Facts::of_number(number), attempt);
        match (&mut self.store, number) {
            (Store::Int64(values), Number::Int(value)) => values.push(value),
            (Store::Float64(values), Number::Float(value) | Number::Rounded(value)) => values.push(value),
            (Store::Float64(values), Number::Int(value)) => values.push(value as f64),
            (Store::UInt64(values), Number::Int(value)) => values.push(value as u64),
            (Store::UInt64(values), Number::UInt(value)) => values.push(value),
            (text, number) => with_text(number, |number| text.push_json(number)),
        }
    }

    /// Appends a number, which was sent so, to a column of text.
    pub(super) fn push_number_as_text(&mut self, number: Number<'_>, sent: &[u8], attempt: u64) {
        self.learn(Facts::of_number(number), attempt);
        // To write a float takes longer than to read it, so that is done only where it was sent otherwise.
        if is_seen_canonical(number, sent) {
            self.store.push_json(sent);
        } else {
            with_text(number, |text| self.store.push_json(text));
        }
    }

    pub(super) fn push_string(&mut self, text: Text<'_>, attempt: u64) {
        self.texts(attempt).push(text);
    }

    /// The texts of a column that holds one, or is about to. Where none comes after all, what that taught the column
    /// stays until the row is undone.
    #[expect(clippy::inline_always, reason = "the beginning of reading a string")]
    #[inline(always)]
    pub(super) fn texts(&mut self, attempt: u64) -> &mut Strings {
        self.learn(Facts::TEXT, attempt);
        match &mut self.store {
            Store::Utf8(texts) => texts,
            _ => unreachable!("a column that has seen a string is stored as text"),
        }
    }

    /// Adds facts, and moves the values to another storage where they ask for it; `attempt` is what can take that back.
    #[inline]
    pub(in crate::rows) fn learn(&mut self, facts: Facts, attempt: u64) {
        if !self.facts.contains(facts) {
            self.widen_for(facts, attempt);
        }
    }
}
