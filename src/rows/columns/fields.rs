//! A set of named columns: the members of nested objects, and the table itself.
//!
//! Rows mostly repeat the keys of the row before in the same order. So each column remembers which one came after it, that
//! key's bytes are compared first, and only a surprise goes through the hash table.

use std::cell::OnceCell;
use std::sync::Arc;

use arrow_buffer::NullBuffer;
use hashbrown::HashMap;

use super::{Bits, Column, Shape};
use crate::rows::slab::Slab;

pub(in crate::rows) struct Fields {
    list: Vec<Field>,
    index: HashMap<Arc<str>, usize>,
    /// The column that came first in the last object.
    first: usize,
    len: usize,
    validity: Bits,
    /// How many columns were declared.
    declared: usize,
    /// The columns that a row has touched, which is what taking it back has to look at.
    touched: Vec<usize>,
    touched_by: u64,
    /// How many columns there were before a row that brought new ones.
    width_before: usize,
    widened_by: u64,
    /// The columns in the order of RFC 8785, once asked for.
    sorted: OnceCell<Vec<usize>>,
}

pub(in crate::rows) struct Field {
    pub(in crate::rows) name: Arc<str>,
    /// `,"name":`; empty where the name has to be escaped.
    key: Box<[u8]>,
    /// The column that came after this one in the last object.
    next: usize,
    /// The last row that touched it.
    touched_by: u64,
    /// How many rows of the column are filled, as far as reading knows: asked for each value, and nearer than the column.
    pub(super) filled: usize,
    pub(in crate::rows) column: Column,
}

/// No column: the end of a list of predictions.
const NONE: usize = usize::MAX;

impl Default for Fields {
    fn default() -> Self {
        Self::new()
    }
}

impl Fields {
    pub(in crate::rows) fn new() -> Self {
        Self {
            list: Vec::new(),
            index: HashMap::new(),
            first: NONE,
            len: 0,
            validity: Bits::new(),
            declared: 0,
            touched: Vec::new(),
            touched_by: 0,
            width_before: 0,
            widened_by: 0,
            sorted: OnceCell::new(),
        }
    }

    /// `count` nulls of an object known to have these members, so many of them declared.
    pub(in crate::rows) fn with_nulls(count: usize, members: &[(Arc<str>, Shape)], declared: usize) -> Self {
        let mut fields = Self { declared, ..Self::new() };
        for (name, shape) in members {
            fields.add(Arc::clone(name), Column::of_shape(shape), 0);
        }
        fields.push_nulls(count);
        fields
    }

    /// Objects made elsewhere, from columns of `len` rows each.
    pub(in crate::rows) fn of_parts(
        members: impl Iterator<Item = (Arc<str>, Column)>,
        len: usize,
        validity: Bits,
    ) -> Self {
        let mut fields = Self { len, validity, ..Self::new() };
        for (name, column) in members {
            fields.add(name, column, 0);
        }
        fields
    }

    pub(in crate::rows) fn len(&self) -> usize {
        self.len
    }

    pub(in crate::rows) fn declared(&self) -> usize {
        self.declared
    }

    /// How many distinct names there are.
    pub(in crate::rows) fn width(&self) -> usize {
        self.list.len()
    }

    pub(in crate::rows) fn iter(&self) -> impl Iterator<Item = &Field> {
        self.list.iter()
    }

    pub(in crate::rows) fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// Adds a column, which goes again if `row` is taken back.
    pub(in crate::rows) fn add(&mut self, name: Arc<str>, column: Column, row: u64) -> usize {
        let at = self.list.len();
        if self.widened_by != row {
            (self.widened_by, self.width_before) = (row, at);
        }
        let is_plain = !name.bytes().any(|byte| byte == b'"' || byte == b'\\' || byte < 0x20);
        let key = if is_plain { format!(",\"{name}\":") } else { String::new() };
        let key = key.into_bytes().into_boxed_slice();
        self.index.insert(Arc::clone(&name), at);
        self.list.push(Field { name, key, next: NONE, touched_by: 0, filled: column.len(), column });
        self.sorted = OnceCell::new();
        at
    }

    /// The column that is expected after column `previous` (or first), and its key as it stands behind another member:
    /// `,"name":`. There is none where it would have to be escaped.
    #[inline]
    pub(in crate::rows) fn expected(&self, previous: Option<usize>) -> Option<(usize, &[u8])> {
        let at = previous.map_or(self.first, |at| self.list[at].next);
        self.list.get(at).filter(|field| !field.key.is_empty()).map(|field| (at, &*field.key))
    }

    /// Remembers that `at` came after `previous`.
    pub(in crate::rows) fn follow(&mut self, previous: Option<usize>, at: usize) {
        match previous {
            Some(previous) => self.list[previous].next = at,
            None => self.first = at,
        }
    }

    /// Ends an object: members it did not have are null.
    #[inline]
    pub(in crate::rows) fn close(&mut self) {
        self.len += 1;
        self.validity.push(true);
    }

    pub(in crate::rows) fn push_nulls(&mut self, count: usize) {
        self.len += count;
        self.validity.push_zeros(count);
    }

    /// The column at `at`, marked as touched by `row`.
    #[inline]
    pub(in crate::rows) fn touch(&mut self, at: usize, row: u64) -> &mut Field {
        let field = &mut self.list[at];
        if field.touched_by != row {
            field.touched_by = row;
            if self.touched_by != row {
                self.touched_by = row;
                self.touched.clear();
            }
            self.touched.push(at);
        }
        field
    }

    /// Forgets the objects from `len` on, but not yet their members.
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
        self.validity.truncate(self.len);
    }

    /// The columns that `row` touched, which are touched no more.
    pub(super) fn take_touched(&mut self, row: u64) -> Vec<usize> {
        let touched = if self.touched_by == row { std::mem::take(&mut self.touched) } else { Vec::new() };
        for &at in &touched {
            self.list[at].touched_by = 0;
        }
        touched
    }

    /// Takes back what `row` did to the column at `at`, which then has no more rows than there are objects.
    pub(super) fn undo_column(&mut self, at: usize, row: u64) {
        let field = &mut self.list[at];
        field.column.undo(row, self.len);
        field.filled = field.filled.min(self.len);
    }

    /// Drops the columns that `row` added.
    pub(super) fn drop_added(&mut self, row: u64) {
        if self.widened_by != row || self.width_before >= self.list.len() {
            return;
        }
        for field in self.list.drain(self.width_before..) {
            self.index.remove(&field.name);
        }
        let width = self.list.len();
        for next in self.list.iter_mut().map(|field| &mut field.next).chain([&mut self.first]) {
            if *next >= width {
                *next = NONE;
            }
        }
        self.widened_by = 0;
        self.sorted = OnceCell::new();
    }

    pub(super) fn columns_mut(&mut self) -> impl Iterator<Item = &mut Column> {
        self.list.iter_mut().map(|field| &mut field.column)
    }

    /// How many columns there are, nested ones included.
    pub(in crate::rows) fn count_columns(&self) -> usize {
        self.list.iter().map(|field| field.column.count_columns()).sum()
    }

    pub(in crate::rows) fn is_null(&self, at: usize) -> bool {
        at >= self.len || !self.validity.get(at)
    }

    /// The columns sorted by name as RFC 8785 sorts, by UTF-16 code units.
    pub(in crate::rows) fn sorted(&self) -> impl Iterator<Item = &Field> {
        let order = self.sorted.get_or_init(|| {
            let mut order: Vec<usize> = (0..self.list.len()).collect();
            order.sort_by(|&a, &b| utf16_order(&self.list[a].name, &self.list[b].name));
            order
        });
        order.iter().map(|&at| &self.list[at])
    }

    pub(in crate::rows) fn into_columns(self) -> Vec<(Arc<str>, Column)> {
        self.list.into_iter().map(|field| (field.name, field.column)).collect()
    }

    pub(super) fn into_parts(mut self, slab: &mut Slab) -> (Vec<(Arc<str>, Column)>, Option<NullBuffer>) {
        let nulls = std::mem::take(&mut self.validity).into_nulls(slab);
        (self.into_columns(), nulls)
    }
}

/// The order of RFC 8785: by UTF-16 code units.
pub(in crate::rows) fn utf16_order(a: &str, b: &str) -> std::cmp::Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}
