//! The values of a column, in one of the storages that facts lead to.

use super::{Gapped, List, Members, Shape, StorageKind, Strings};

/// The values seen so far, in the storage that [`Facts::storage`](super::Facts::storage) asks for.
///
/// `repr(u8)` gives the enum a tag of its own. Left to itself the compiler hides it among the values of a variant, and
/// each match takes eight instructions more: for each value that is read.
#[repr(u8)]
pub(in crate::rows) enum Store {
    Null(usize),
    Boolean(Gapped<bool>),
    Int64(Gapped<i64>),
    UInt64(Gapped<u64>),
    Float64(Gapped<f64>),
    Utf8(Strings),
    List(Box<List>),
    Struct(Box<Members>),
}

impl Store {
    /// `count` nulls in a storage; `shape` says what is in lists and objects.
    pub(super) fn with_nulls(storage: StorageKind, count: usize, shape: &Shape) -> Self {
        match storage {
            StorageKind::Null => Self::Null(count),
            StorageKind::Boolean => Self::Boolean(Gapped::with_nulls(count)),
            StorageKind::Int64 => Self::Int64(Gapped::with_nulls(count)),
            StorageKind::UInt64 => Self::UInt64(Gapped::with_nulls(count)),
            StorageKind::Float64 => Self::Float64(Gapped::with_nulls(count)),
            StorageKind::Utf8 => Self::Utf8(Strings::with_nulls(count)),
            StorageKind::List => {
                let nothing = Shape::default();
                Self::List(Box::new(List::with_nulls(count, shape.element.as_deref().unwrap_or(&nothing))))
            }
            StorageKind::Struct => Self::Struct(Box::new(Members::with_nulls(count, &shape.members, shape.declared))),
        }
    }

    /// Adds a null that is written out.
    #[inline]
    pub(super) fn push_null(&mut self) {
        match self {
            Self::Null(len) => *len += 1,
            Self::Boolean(values) => values.push_null(),
            Self::Int64(values) => values.push_null(),
            Self::UInt64(values) => values.push_null(),
            Self::Float64(values) => values.push_null(),
            Self::Utf8(values) => values.push_null(),
            Self::List(values) => values.push_null(),
            Self::Struct(values) => values.push_null(),
        }
    }

    #[inline]
    pub(super) fn push_nulls(&mut self, count: usize) {
        match self {
            Self::Null(len) => *len += count,
            Self::Boolean(values) => values.push_nulls(count),
            Self::Int64(values) => values.push_nulls(count),
            Self::UInt64(values) => values.push_nulls(count),
            Self::Float64(values) => values.push_nulls(count),
            Self::Utf8(values) => values.push_nulls(count),
            Self::List(values) => values.push_nulls(count),
            Self::Struct(values) => values.push_nulls(count),
        }
    }

    /// Puts the gaps of the objects it is a member of among its values: see [`Gapped::insert_gaps`].
    pub(super) fn insert_gaps(&mut self, objects: &Gapped<()>) {
        match self {
            Self::Null(len) => *len = objects.len(),
            Self::Boolean(values) => values.insert_gaps(objects),
            Self::Int64(values) => values.insert_gaps(objects),
            Self::UInt64(values) => values.insert_gaps(objects),
            Self::Float64(values) => values.insert_gaps(objects),
            Self::Utf8(values) => values.insert_gaps(objects),
            Self::List(values) => values.insert_gaps(objects),
            Self::Struct(values) => values.insert_gaps(objects),
        }
    }

    /// Appends the JSON text of a value; the storage has to be text.
    pub(super) fn push_json(&mut self, text: &[u8]) {
        match self {
            Self::Utf8(values) => values.push_json(text),
            _ => unreachable!("a column that mixes kinds is stored as text"),
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Null(len) => *len,
            Self::Boolean(values) => values.len(),
            Self::Int64(values) => values.len(),
            Self::UInt64(values) => values.len(),
            Self::Float64(values) => values.len(),
            Self::Utf8(values) => values.len(),
            Self::List(values) => values.len(),
            Self::Struct(values) => values.len(),
        }
    }

    pub(super) fn kind(&self) -> StorageKind {
        match self {
            Self::Null(_) => StorageKind::Null,
            Self::Boolean(_) => StorageKind::Boolean,
            Self::Int64(_) => StorageKind::Int64,
            Self::UInt64(_) => StorageKind::UInt64,
            Self::Float64(_) => StorageKind::Float64,
            Self::Utf8(_) => StorageKind::Utf8,
            Self::List(_) => StorageKind::List,
            Self::Struct(_) => StorageKind::Struct,
        }
    }

    /// Goes through the places of valid values, in order, and which of the values is at each.
    pub(super) fn for_each_valid(&self, mut see: impl FnMut(usize, usize)) {
        let see = |(at, value)| see(at, value);
        match self {
            Self::Null(_) => {}
            Self::Boolean(values) => values.valid_indices().for_each(see),
            Self::Int64(values) => values.valid_indices().for_each(see),
            Self::UInt64(values) => values.valid_indices().for_each(see),
            Self::Float64(values) => values.valid_indices().for_each(see),
            Self::Utf8(values) => values.valid_indices().for_each(see),
            Self::List(values) => values.valid_indices().for_each(see),
            Self::Struct(values) => values.valid_indices().for_each(see),
        }
    }

    /// Which of the values is at a place, those of gaps not counted; `None` where it is null, or after the last. To
    /// find one among many gaps takes long: who goes through all of them asks [`Store::for_each_valid`].
    pub(super) fn physical_index(&self, at: usize) -> Option<usize> {
        match self {
            Self::Null(_) => None,
            Self::Boolean(values) => values.physical_index(at),
            Self::Int64(values) => values.physical_index(at),
            Self::UInt64(values) => values.physical_index(at),
            Self::Float64(values) => values.physical_index(at),
            Self::Utf8(values) => values.physical_index(at),
            Self::List(values) => values.physical_index(at),
            Self::Struct(values) => values.physical_index(at),
        }
    }
}
