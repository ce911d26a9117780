//! A set of named columns: the members of nested objects, and the table itself.
//!
//! Rows mostly repeat the keys of the row before in the same order. So each column remembers which one came after it, that
//! key's bytes are compared first, and only a surprise goes through the hash table.

use std::cell::OnceCell;
use std::sync::Arc;

use arrow_buffer::{NullBuffer, NullBufferBuilder};
use hashbrown::HashMap;

use super::{Column, Shape};

pub(in crate::rows) struct Fields {
    list: Vec<Field>,
    index: HashMap<Arc<str>, usize>,
    /// The column that came first in the last object.
    first: usize,
    len: usize,
    validity: NullBufferBuilder,
    /// The columns in the order of RFC 8785, once asked for.
    sorted: OnceCell<Vec<usize>>,
}

pub(in crate::rows) struct Field {
    pub(in crate::rows) name: Arc<str>,
    /// Whether the name stands in a body as it is, without escapes.
    is_plain: bool,
    /// The column that came after this one in the last object.
    next: usize,
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
            validity: NullBufferBuilder::new(0),
            sorted: OnceCell::new(),
        }
    }

    /// `count` nulls of an object known to have these members.
    pub(in crate::rows) fn with_nulls(count: usize, members: &[(Arc<str>, Shape)]) -> Self {
        let mut fields = Self::new();
        for (name, shape) in members {
            fields.add(Arc::clone(name), Column::of_shape(shape));
        }
        fields.push_nulls(count);
        fields
    }

    /// Objects made elsewhere, from columns of `len` rows each.
    pub(in crate::rows) fn of_parts(
        members: impl Iterator<Item = (Arc<str>, Column)>,
        len: usize,
        validity: NullBufferBuilder,
    ) -> Self {
        let mut fields = Self { len, validity, ..Self::new() };
        for (name, column) in members {
            fields.add(name, column);
        }
        fields
    }

    pub(in crate::rows) fn len(&self) -> usize {
        self.len
    }

    /// How many distinct names there are.
    pub(in crate::rows) fn width(&self) -> usize {
        self.list.len()
    }

    pub(in crate::rows) fn iter(&self) -> impl Iterator<Item = &Field> {
        self.list.iter()
    }

    pub(in crate::rows) fn column(&mut self, at: usize) -> &mut Column {
        &mut self.list[at].column
    }

    pub(in crate::rows) fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    pub(in crate::rows) fn add(&mut self, name: Arc<str>, column: Column) -> usize {
        let at = self.list.len();
        let is_plain = !name.bytes().any(|byte| byte == b'"' || byte == b'\\' || byte < 0x20);
        self.index.insert(Arc::clone(&name), at);
        self.list.push(Field { name, is_plain, next: NONE, column });
        self.sorted = OnceCell::new();
        at
    }

    /// The name that is expected after column `previous` (or first), if it can be compared with a body as it is.
    #[inline]
    pub(in crate::rows) fn expected(&self, previous: Option<usize>) -> Option<(usize, &str)> {
        let at = previous.map_or(self.first, |at| self.list[at].next);
        self.list.get(at).filter(|field| field.is_plain).map(|field| (at, &*field.name))
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
        self.validity.append_non_null();
    }

    pub(in crate::rows) fn push_nulls(&mut self, count: usize) {
        self.len += count;
        self.validity.append_n_nulls(count);
    }

    pub(in crate::rows) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
        self.validity.truncate(self.len);
        self.drop_open();
    }

    /// Forgets the members of an object that was begun and not ended.
    pub(in crate::rows) fn drop_open(&mut self) {
        for field in &mut self.list {
            field.column.truncate(self.len);
        }
    }

    pub(in crate::rows) fn is_null(&self, at: usize) -> bool {
        at >= self.len || !self.validity.is_valid(at)
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

    pub(in crate::rows) fn into_parts(mut self) -> (Vec<(Arc<str>, Column)>, Option<NullBuffer>) {
        let columns = self.list.into_iter().map(|field| (field.name, field.column)).collect();
        (columns, self.validity.finish())
    }
}

/// The order of RFC 8785: by UTF-16 code units.
pub(in crate::rows) fn utf16_order(a: &str, b: &str) -> std::cmp::Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}
