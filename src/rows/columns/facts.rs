//! What has been seen in a column, and the type that follows from it.
//!
//! Facts only ever add up, in any order, and the type is a function of them alone: so a table's shape cannot depend on
//! which row came first, nor on how the rows were split among segments.
//!
//! A new rule is a constant, in `of_number` or `of_integer` where it is about numbers; what follows from it in
//! `storage`; the arm of `Store::widened` that moves values there; for numbers again `push_number`, `push_other_number`
//! and what `numbers_at_once` names; and the words for it in `finish::why_widened`. One that only keeps a
//! column from types that are asked for is looked at in `finish::target`, and its words are in `finish::why_not`.
//!
//! | the values of a column, beside nulls | its storage | may move to |
//! |---|---|---|
//! | none | `Null` | any other |
//! | booleans | `Boolean` | `Utf8` |
//! | integers within i64 | `Int64` | `UInt64`, `Float64`, `Utf8` |
//! | integers that are not negative, some above i64 and all within u64 | `UInt64` | `Utf8` |
//! | numbers within f64, some with a fraction or exponent, the integers among them within ±2^53 | `Float64` | `Utf8` |
//! | arrays | `List` | `Utf8` |
//! | objects of few different keys | `Struct` | `Utf8` |
//! | text, and everything else: other numbers, several kinds, maps, deep nesting | `Utf8` | |

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

use crate::rows::json::number::Number;

/// Arrays and objects nested deeper than this, a row being the first level, are JSON text: pyarrow imports 64 levels,
/// IPC readers fewer.
const MAX_TYPE_DEPTH: usize = 24;

/// More distinct keys than this, and nested objects are a map in disguise: kept as JSON text, not as a struct.
pub(in crate::rows) const MAX_STRUCT_KEYS: usize = 256;

/// A set of facts, each a bit.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::rows) struct Facts(u16);

impl Facts {
    pub(in crate::rows) const NOTHING: Self = Self(0);
    pub(in crate::rows) const BOOLEAN: Self = Self(1);
    pub(in crate::rows) const TEXT: Self = Self(1 << 1);
    pub(in crate::rows) const ARRAY: Self = Self(1 << 2);
    pub(in crate::rows) const OBJECT: Self = Self(1 << 3);
    /// An object column that is a map in disguise: too many distinct keys for a struct.
    pub(in crate::rows) const MAP: Self = Self(1 << 4);
    /// Some integer.
    pub(in crate::rows) const INTEGER: Self = Self(1 << 5);
    pub(in crate::rows) const NEGATIVE: Self = Self(1 << 6);
    /// The smallest integer beyond 2^53.
    pub(in crate::rows) const LEAST_WIDE: u64 = (1 << 53) + 1;
    /// An integer beyond ±2^53, which a float might not hold.
    pub(in crate::rows) const WIDE: Self = Self(1 << 7);
    /// An integer above i64 and within u64.
    pub(in crate::rows) const UNSIGNED: Self = Self(1 << 8);
    /// An integer beyond both.
    pub(in crate::rows) const HUGE: Self = Self(1 << 9);
    /// A number with fraction or exponent.
    pub(in crate::rows) const FLOAT: Self = Self(1 << 10);
    /// One outside the range of f64.
    pub(in crate::rows) const OVERFLOW: Self = Self(1 << 11);

    /// An array or object below the depth that other libraries take as nested types.
    pub(in crate::rows) const DEEP: Self = Self(1 << 12);
    /// A number with fraction or exponent of which f64 does not tell all: see [`Number::Rounded`].
    pub(in crate::rows) const ROUNDED: Self = Self(1 << 13);

    pub(in crate::rows) const NUMBER: Self = Self(Self::INTEGER.0 | Self::FLOAT.0);

    #[inline]
    pub(in crate::rows) const fn of_integer(value: i64) -> Self {
        let mut facts = Self::INTEGER.0;
        if value < 0 {
            facts |= Self::NEGATIVE.0;
        }
        if value.unsigned_abs() >= Self::LEAST_WIDE {
            facts |= Self::WIDE.0;
        }
        Self(facts)
    }

    /// What an array or object teaches at this depth, that of a row being one.
    #[inline]
    pub(super) const fn of_nested(kind: Self, depth: usize) -> Self {
        if depth > MAX_TYPE_DEPTH { Self(kind.0 | Self::DEEP.0) } else { kind }
    }

    pub(in crate::rows) fn of_number(number: Number<'_>) -> Self {
        match number {
            Number::Int(value) => Self::of_integer(value),
            Number::UInt(_) => Self::INTEGER | Self::WIDE | Self::UNSIGNED,
            Number::Huge(_) => Self::INTEGER | Self::HUGE,
            Number::Float(_) => Self::FLOAT,
            Number::Rounded(_) => Self::FLOAT | Self::ROUNDED,
            Number::Overflow(_) => Self::FLOAT | Self::OVERFLOW,
        }
    }

    #[inline]
    pub(in crate::rows) const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(in crate::rows) const fn has_any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The storage that holds everything seen, exactly.
    pub(in crate::rows) fn storage(self) -> StorageKind {
        if self.has_any(Self::DEEP) {
            return StorageKind::Utf8;
        }
        let kinds = [Self::BOOLEAN, Self::NUMBER, Self::TEXT, Self::ARRAY, Self::OBJECT];
        let mut seen = kinds.into_iter().filter(|&kind| self.has_any(kind));
        match (seen.next(), seen.next()) {
            (None, _) => StorageKind::Null,
            (Some(Self::BOOLEAN), None) => StorageKind::Boolean,
            (Some(Self::ARRAY), None) => StorageKind::List,
            (Some(Self::OBJECT), None) if !self.has_any(Self::MAP) => StorageKind::Struct,
            (Some(Self::NUMBER), None) => self.number(),
            (Some(_), _) => StorageKind::Utf8,
        }
    }

    fn number(self) -> StorageKind {
        let has = |facts| self.has_any(facts);
        if has(Self::HUGE) || has(Self::OVERFLOW) {
            StorageKind::Utf8
        } else if has(Self::FLOAT) {
            if has(Self::WIDE) { StorageKind::Utf8 } else { StorageKind::Float64 }
        } else if has(Self::UNSIGNED) {
            if has(Self::NEGATIVE) { StorageKind::Utf8 } else { StorageKind::UInt64 }
        } else {
            StorageKind::Int64
        }
    }
}

impl BitOr for Facts {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Facts {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Facts({:#b})", self.0)
    }
}

/// How the values of a column are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::rows) enum StorageKind {
    Null,
    Boolean,
    Int64,
    UInt64,
    Float64,
    Utf8,
    List,
    Struct,
}
