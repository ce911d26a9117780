//! The values of a column, in one of the storages that facts lead to.

use super::{Booleans, Fields, List, Scalars, Storage, Texts};

/// The values seen so far, in the storage that [`Facts::storage`](super::Facts::storage) asks for.
///
/// `repr(u8)` gives the enum a tag of its own. Left to itself the compiler hides it among the values of a variant, and each
/// match takes eight instructions more: for each value that is read.
#[repr(u8)]
pub(in crate::rows) enum Store {
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
    pub(super) fn len(&self) -> usize {
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

    pub(super) fn kind(&self) -> Storage {
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

    pub(super) fn is_null(&self, at: usize) -> bool {
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
