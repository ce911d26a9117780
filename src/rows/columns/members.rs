//! A set of named columns: the members of nested objects, and the table itself.
//!
//! Rows of many kinds have an object for each kind, which is missing from most rows. There it is a gap in `objects` and
//! nothing at all in its members, which have a place only for each object outside of gaps. Once no other row comes,
//! [`Members::give_gaps_to_members`] puts the gaps into each member, so that all are as long as the table, as the
//! children of a struct have to be.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use arrow_buffer::NullBuffer;
use hashbrown::{DefaultHashBuilder, HashTable};

use super::context::NO_ATTEMPT;
use super::keys::{KeyCache, Successor};
use super::reserve::ReserveBudget;
use super::{Column, Gapped, Member, Shape};
use crate::rows::memory::Arena;

/// Named columns, in first-seen order, and how to find the one of a key.
pub(in crate::rows) struct Members {
    pub(super) list: Vec<Member>,
    /// Places in the list, by the hash of their names.
    index: HashTable<usize>,
    hasher: DefaultHashBuilder,
    /// The column that is expected first.
    pub(super) first: Successor,
    /// Columns by the first bytes of keys that were not expected.
    pub(super) key_cache: KeyCache,
    /// Where there are objects. Members have a place for each that is in no gap, and at the end for all.
    objects: Gapped<()>,
    /// Whether members have a place for every one of `objects`: see [`Members::give_gaps_to_members`].
    has_given_gaps: bool,
    /// How many columns were declared.
    declared: usize,
    /// The last row that had an object here.
    touched_by: u64,
    /// How many columns there were before the row that last added some, and which row that was.
    width_before: usize,
    added_by: u64,
}

/// No column: none came there yet.
pub(super) const NONE: usize = usize::MAX;

/// The table, without a column yet.
impl Default for Members {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            index: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            first: Successor::default(),
            key_cache: KeyCache::default(),
            objects: Gapped::new(),
            has_given_gaps: false,
            declared: 0,
            touched_by: NO_ATTEMPT,
            width_before: 0,
            added_by: NO_ATTEMPT,
        }
    }
}

impl Members {
    /// `count` nulls of an object known to have these members, `declared` of which were declared.
    pub(in crate::rows) fn with_nulls(count: usize, members: &[(Arc<str>, Shape)], declared: usize) -> Self {
        let mut nulls = Self { declared, list: Vec::with_capacity(members.len()), ..Self::default() };
        nulls.index = HashTable::with_capacity(members.len());
        for (name, shape) in members {
            nulls.add(Arc::clone(name), Column::of_shape(shape), NO_ATTEMPT);
        }
        nulls.push_nulls(count);
        nulls
    }

    /// Objects made elsewhere, from columns as long as `objects`, which have no gap. However many columns those are,
    /// they count as declared: the objects have been a struct before.
    pub(in crate::rows) fn of_parts(columns: impl Iterator<Item = (Arc<str>, Column)>, objects: Gapped<()>) -> Self {
        assert_eq!(objects.physical_len(), objects.len(), "members have a place for every object");
        let mut members = Self { objects, ..Self::default() };
        for (name, column) in columns {
            // Of two with one name, which JSON never makes, the first can be told.
            if members.find(name.as_bytes()).is_none() {
                members.add(name, column, NO_ATTEMPT);
            }
        }
        members.declared = members.list.len();
        members
    }

    pub(in crate::rows) fn len(&self) -> usize {
        self.objects.len()
    }

    pub(in crate::rows) fn declared(&self) -> usize {
        self.declared
    }

    /// How many distinct names there are.
    pub(in crate::rows) fn width(&self) -> usize {
        self.list.len()
    }

    pub(in crate::rows) fn iter(&self) -> impl Iterator<Item = &Member> {
        self.list.iter()
    }

    #[inline]
    pub(super) fn find(&self, name: &[u8]) -> Option<usize> {
        let is_it = |&at: &usize| self.list[at].name.as_bytes() == name;
        self.index.find(hash(&self.hasher, name), is_it).copied()
    }

    /// Adds a column, which goes again if `attempt` is taken back.
    pub(in crate::rows) fn add(&mut self, name: Arc<str>, column: Column, attempt: u64) -> usize {
        let at = self.list.len();
        if self.added_by != attempt {
            (self.added_by, self.width_before) = (attempt, at);
        }
        self.list.push(Member::new(name, column));
        let hash_of = |&at: &usize| hash(&self.hasher, self.list[at].name.as_bytes());
        self.index.insert_unique(hash_of(&at), at, hash_of);
        at
    }

    /// The member at this place in the list, which there is.
    #[inline]
    pub(super) fn member_mut(&mut self, column: usize) -> &mut Member {
        &mut self.list[column]
    }

    /// The place of the next object among those of its members.
    #[inline]
    pub(super) fn next_place(&self) -> usize {
        self.objects.physical_len()
    }

    /// Puts gaps among the objects, as [`Gapped::insert_gaps`] does.
    pub(super) fn insert_gaps(&mut self, outer: &Gapped<()>) {
        self.objects.insert_gaps(outer);
    }

    /// Drops members that no object here has, for no other comes: thousands may be known of objects elsewhere. From
    /// here on members are gone through, and none is read into or looked up.
    pub(super) fn drop_absent(&mut self) {
        self.list.retain(|member| member.column.len() > 0);
        self.index = HashTable::new();
        self.key_cache = KeyCache::default();
    }

    /// Gives members a place for every object, for no other comes.
    pub(super) fn give_gaps_to_members(&mut self) {
        if std::mem::replace(&mut self.has_given_gaps, true) {
            return;
        }
        self.objects.share_gaps();
        // One without a row gets none: see [`arrays`](super::arrays).
        for Member { column, .. } in self.list.iter_mut().filter(|member| member.column.len() > 0) {
            column.pad_to(self.objects.physical_len());
            column.store.insert_gaps(&self.objects);
        }
    }

    /// Remembers that `attempt` has an object here.
    #[inline]
    pub(super) fn touch(&mut self, attempt: u64) {
        self.touched_by = attempt;
    }

    /// Ends an object: members it did not have are null.
    #[inline]
    pub(in crate::rows) fn close(&mut self) {
        self.objects.push(());
    }

    #[inline]
    pub(super) fn push_null(&mut self) {
        self.objects.push_null();
    }

    pub(in crate::rows) fn push_nulls(&mut self, count: usize) {
        self.objects.push_nulls(count);
    }

    /// Forgets the objects from `len` on, and what is in them: they all came with `attempt`. Gives what
    /// [`Column::undo`] gives.
    pub(in crate::rows) fn undo(&mut self, attempt: u64, len: usize) -> usize {
        self.objects.truncate(len);
        // Without an object here the row has left no more than nulls.
        if self.touched_by != attempt {
            return 0;
        }
        let (places, mut moved) = (self.objects.physical_len(), 0);
        for member in &mut self.list {
            moved += member.column.undo(attempt, places);
            member.filled = member.filled.min(places);
        }
        self.drop_added(attempt);
        moved
    }

    /// Drops the columns that `attempt` added. What `key_cache` has of them stays: keys are compared before it is
    /// believed.
    fn drop_added(&mut self, attempt: u64) {
        if self.added_by != attempt || self.width_before >= self.list.len() {
            return;
        }
        let width = self.width_before;
        self.index.retain(|at| *at < width);
        self.list.truncate(width);
        for next in self.list.iter_mut().map(|member| &mut member.next).chain([&mut self.first]) {
            if next.column >= width {
                next.column = NONE;
            }
        }
        self.added_by = NO_ATTEMPT;
    }

    pub(in crate::rows) fn reserve(&mut self, budget: &mut ReserveBudget) {
        self.columns_mut().for_each(|column| column.reserve(budget));
    }

    pub(super) fn columns_mut(&mut self) -> impl Iterator<Item = &mut Column> {
        self.list.iter_mut().map(|member| &mut member.column)
    }

    /// The place of an object among those of its members; `None` where it is null.
    pub(super) fn physical_index(&self, at: usize) -> Option<usize> {
        self.objects.physical_index(at).map(|place| if self.has_given_gaps { at } else { place })
    }

    /// The places of valid objects, in order, and their places among those of their members.
    pub(super) fn valid_indices(&self) -> impl Iterator<Item = (usize, usize)> {
        self.objects.valid_indices().map(|(at, place)| (at, if self.has_given_gaps { at } else { place }))
    }

    /// How many places members have.
    pub(super) fn physical_len(&self) -> usize {
        if self.has_given_gaps { self.objects.len() } else { self.objects.physical_len() }
    }

    pub(super) fn column(&self, at: usize) -> &Column {
        &self.list[at].column
    }

    pub(in crate::rows) fn into_columns(self) -> Vec<(Arc<str>, Column)> {
        self.list.into_iter().map(|member| (member.name, member.column)).collect()
    }

    pub(super) fn into_parts(mut self, arena: &mut Arena) -> (Vec<(Arc<str>, Column)>, Option<NullBuffer>) {
        self.give_gaps_to_members();
        let nulls = std::mem::take(&mut self.objects).into_nulls(arena);
        (self.into_columns(), nulls)
    }
}

fn hash(hasher: &DefaultHashBuilder, name: &[u8]) -> u64 {
    let mut hasher = hasher.build_hasher();
    hasher.write(name);
    hasher.finish()
}
