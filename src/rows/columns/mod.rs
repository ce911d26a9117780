//! Column builders: values go in as they are read, and a column that meets another kind widens once and goes on.
//!
//! [`facts`] decides the type, the stores hold the values, [`widen`] moves them from one store to another, [`undo`] takes a
//! row back, [`render`] writes values as JSON text, [`seal`] makes Arrow arrays of them. [`key`] compares the keys that rows
//! repeat, [`room`] is made for what is to come.
//!
//! A column may be shorter than its table: rows it is missing from are filled with nulls when the next value comes, so that
//! a sparse column costs nothing in the rows it is not in.

mod bits;
mod facts;
mod fields;
mod gapped;
mod key;
mod lists;
mod read;
mod render;
mod room;
mod scalars;
mod seal;
mod shape;
mod strings;
mod texts;
mod undo;
mod widen;

pub(super) use bits::Bits;
pub(super) use facts::{Facts, Storage};
pub(super) use fields::utf16_order;
pub(super) use fields::{Field, Fields};
pub(super) use lists::List;
pub(super) use read::{Context, Counts, MAX_COLUMNS_IN_ALL};
pub(super) use room::Room;
pub(super) use scalars::{Booleans, Scalars};
pub(super) use seal::arrays;
pub(super) use shape::{Shape, merge_members};
pub(super) use texts::Texts;

use super::number::Number;
use super::slab::Slab;
use super::text::Text;

/// Arrays and objects below this level of a row, which is the first itself, are JSON text: pyarrow imports 64 levels, IPC readers
/// fewer.
pub(super) const MAX_TYPE_DEPTH: usize = 24;

/// More distinct keys than this, and nested objects are a map in disguise: kept as JSON text, not as a struct.
pub(super) const MAX_STRUCT_KEYS: usize = 256;

/// One column, at the top or nested.
pub(super) struct Column {
    facts: Facts,
    store: Store,
    /// What it was before the row that last taught it something.
    before: Option<Box<undo::Before>>,
    /// Whether a key stood twice in one object here.
    has_overwritten: bool,
}

/// The values seen so far, in the storage that [`Facts::storage`] asks for. Which it is stands on its own: where it has to be
/// told from the values it takes eight instructions, for each value.
#[repr(u8)]
pub(super) enum Store {
    Null(usize),
    Boolean(Booleans),
    Int64(Scalars<i64>),
    UInt64(Scalars<u64>),
    Float64(Scalars<f64>),
    Text(Texts),
    List(Box<List>),
    Struct(Box<Fields>),
}

impl Store {
    #[inline]
    fn len(&self) -> usize {
        match self {
            Self::Null(len) => *len,
            Self::Boolean(values) => values.len(),
            Self::Int64(values) => values.len(),
            Self::UInt64(values) => values.len(),
            Self::Float64(values) => values.len(),
            Self::Text(values) => values.len(),
            Self::List(values) => values.len(),
            Self::Struct(values) => values.len(),
        }
    }

    fn kind(&self) -> Storage {
        match self {
            Self::Null(_) => Storage::Null,
            Self::Boolean(_) => Storage::Boolean,
            Self::Int64(_) => Storage::Int64,
            Self::UInt64(_) => Storage::UInt64,
            Self::Float64(_) => Storage::Float64,
            Self::Text(_) => Storage::Text,
            Self::List(_) => Storage::List,
            Self::Struct(_) => Storage::Struct,
        }
    }

    fn is_null(&self, at: usize) -> bool {
        match self {
            Self::Null(_) => true,
            Self::Boolean(values) => values.is_null(at),
            Self::Int64(values) => values.is_null(at),
            Self::UInt64(values) => values.is_null(at),
            Self::Float64(values) => values.is_null(at),
            Self::Text(values) => values.is_null(at),
            Self::List(values) => values.is_null(at),
            Self::Struct(values) => values.is_null(at),
        }
    }
}

impl Column {
    pub(super) fn new() -> Self {
        Self::of_store(Facts::NOTHING, Store::Null(0))
    }

    /// An empty column that is known to hold what `shape` says.
    pub(super) fn of_shape(shape: &Shape) -> Self {
        Self::of_store(shape.facts, shape.empty_store())
    }

    /// A column of values made elsewhere; `facts` are those that `store` is the storage of.
    pub(super) fn of_store(facts: Facts, store: Store) -> Self {
        Self { facts, store, before: None, has_overwritten: false }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.store.len()
    }

    pub(super) fn is_null(&self, at: usize) -> bool {
        self.store.is_null(at)
    }

    /// Fills the column with nulls up to `len` rows.
    #[inline]
    pub(super) fn pad_to(&mut self, len: usize) {
        let held = self.len();
        if held < len {
            self.push_nulls(len - held);
        }
    }

    #[inline]
    pub(super) fn push_nulls(&mut self, count: usize) {
        match &mut self.store {
            Store::Null(len) => *len += count,
            Store::Boolean(values) => values.push_nulls(count),
            Store::Int64(values) => values.push_nulls(count),
            Store::UInt64(values) => values.push_nulls(count),
            Store::Float64(values) => values.push_nulls(count),
            Store::Text(values) => values.push_nulls(count),
            Store::List(values) => values.push_nulls(count),
            Store::Struct(values) => values.push_nulls(count),
        }
    }

    #[inline]
    pub(super) fn push_boolean(&mut self, value: bool, row: u64, slab: &mut Slab) {
        // Stored so, the column has seen one.
        if let Store::Boolean(values) = &mut self.store {
            return values.push(value);
        }
        self.push_other_boolean(value, row, slab);
    }

    #[inline(never)]
    fn push_other_boolean(&mut self, value: bool, row: u64, slab: &mut Slab) {
        self.learn(Facts::BOOLEAN, row);
        match &mut self.store {
            Store::Boolean(values) => values.push(value),
            Store::Text(values) => values.push_raw(if value { b"true" } else { b"false" }, slab),
            _ => unreachable!("a column that has seen a boolean is stored as booleans or as text"),
        }
    }

    #[inline]
    pub(super) fn push_number(&mut self, number: Number<'_>, row: u64, slab: &mut Slab) {
        match (&mut self.store, number) {
            // Stored so, the column has seen one; those that are negative or wide are facts of their own.
            (Store::Int64(values), Number::Int(value))
                if Facts::of_integer(value) == Facts::INTEGER || self.facts.contains(Facts::of_integer(value)) =>
            {
                values.push(value);
            }
            (Store::Float64(values), Number::Float(value)) => values.push(value),
            _ => self.push_other_number(number, row, slab),
        }
    }

    #[inline(never)]
    fn push_other_number(&mut self, number: Number<'_>, row: u64, slab: &mut Slab) {
        let facts = match number {
            Number::Int(value) => Facts::of_integer(value),
            Number::UInt(_) => Facts::INTEGER | Facts::WIDE | Facts::UNSIGNED,
            Number::Huge(_) => Facts::INTEGER | Facts::HUGE,
            Number::Float(_) => Facts::FLOAT,
            Number::Overflow(_) => Facts::FLOAT | Facts::OVERFLOW,
        };
        self.learn(facts, row);
        match (&mut self.store, number) {
            (Store::Int64(values), Number::Int(value)) => values.push(value),
            (Store::Float64(values), Number::Float(value)) => values.push(value),
            (Store::Float64(values), Number::Int(value)) => values.push(value as f64),
            (Store::UInt64(values), Number::Int(value)) => values.push(value as u64),
            (Store::UInt64(values), Number::UInt(value)) => values.push(value),
            (Store::Text(values), number) => {
                let mut text = Vec::with_capacity(24);
                number.write(&mut text);
                values.push_raw(&text, slab);
            }
            _ => unreachable!("the facts of a number lead to a storage that holds it"),
        }
    }

    #[inline]
    pub(super) fn push_string(&mut self, text: Text<'_>, row: u64, slab: &mut Slab) {
        self.learn(Facts::TEXT, row);
        match &mut self.store {
            Store::Text(values) => values.push(text, slab),
            _ => unreachable!("a column that has seen a string is stored as text"),
        }
    }

    /// Adds facts, and moves the values to another storage where they ask for it; `row` is what can take that back.
    #[inline]
    pub(super) fn learn(&mut self, facts: Facts, row: u64) {
        if !self.facts.contains(facts) {
            self.widen_for(facts, row);
        }
    }
}
