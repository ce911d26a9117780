//! What a column turned out to be, without its values: the facts of it and of everything in it.
//!
//! Shapes of segments merge into the shape of the whole, and it alone names the final Arrow type.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields};
use hashbrown::HashMap;

use super::{Column, Facts, MAX_STRUCT_KEYS, Members, StorageKind, Store};

/// The shapes of named columns: those of a table, or of the members of objects.
pub(in crate::rows) type MemberShapes = Vec<(Arc<str>, Shape)>;

/// What a column has turned out to be, with all that is nested in it: enough to tell its type, and to open an empty one
/// like it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::rows) struct Shape {
    pub(in crate::rows) facts: Facts,
    pub(in crate::rows) element: Option<Box<Shape>>,
    pub(in crate::rows) members: MemberShapes,
    /// How many of the members were declared: those never make an object a map in disguise.
    pub(in crate::rows) declared: usize,
    pub(in crate::rows) has_duplicate_keys: bool,
}

impl Shape {
    pub(in crate::rows) fn of_facts(facts: Facts) -> Self {
        Self { facts, ..Self::default() }
    }

    pub(in crate::rows) fn list_of(element: Self) -> Self {
        Self { facts: Facts::ARRAY, element: Some(Box::new(element)), ..Self::default() }
    }

    pub(in crate::rows) fn of_column(column: &Column) -> Self {
        let mut shape = Self { has_duplicate_keys: column.has_duplicate_keys, ..Self::of_facts(column.facts) };
        match &column.store {
            Store::List(list) => shape.element = Some(Box::new(Self::of_column(&list.elements))),
            Store::Struct(members) => {
                shape.members = Self::members_of(members);
                shape.declared = members.declared();
            }
            _ => {}
        }
        shape
    }

    pub(in crate::rows) fn members_of(members: &Members) -> MemberShapes {
        members.iter().map(|member| (Arc::clone(&member.name), Self::of_column(&member.column))).collect()
    }

    /// Adds what another part of the same column turned out to be.
    pub(in crate::rows) fn merge(&mut self, other: Self) {
        self.facts |= other.facts;
        self.has_duplicate_keys |= other.has_duplicate_keys;
        match (&mut self.element, other.element) {
            (Some(element), Some(theirs)) => element.merge(*theirs),
            (element @ None, theirs) => *element = theirs,
            (Some(_), None) => {}
        }
        merge_members(&mut self.members, other.members);
        self.declared = self.declared.max(other.declared);
        if self.members.len() > MAX_STRUCT_KEYS.max(self.declared) {
            self.facts |= Facts::MAP;
        }
    }

    /// Whether some part of this is text by now that `column` still holds as objects or arrays.
    fn has_become_text(&self, column: &Column) -> bool {
        // Not as `storage` has it, where objects without any member are text: these may still become columns.
        let is_text = self.facts.storage() == StorageKind::Utf8;
        match (&column.store, &self.element) {
            (Store::List(_) | Store::Struct(_), _) if is_text => column.len() > 0,
            (Store::List(list), Some(element)) => element.has_become_text(&list.elements),
            (Store::Struct(members), _) => {
                let members = members.iter().map(|member| (&member.name, &member.column));
                has_become_text(&self.members, members)
            }
            _ => false,
        }
    }

    /// Whether a key stood twice in one object, here or in anything in it.
    pub(in crate::rows) fn has_duplicate_keys_within(&self) -> bool {
        let element = self.element.as_deref().is_some_and(Self::has_duplicate_keys_within);
        self.has_duplicate_keys || element || self.members.iter().any(|(_, shape)| shape.has_duplicate_keys_within())
    }

    /// Its members and elements, and how many were declared, with all facts left out.
    pub(in crate::rows) fn without_facts(self) -> Self {
        let members = self.members.into_iter().map(|(name, shape)| (name, shape.without_facts())).collect();
        let element = self.element.map(|element| Box::new(element.without_facts()));
        Self { element, members, declared: self.declared, ..Self::default() }
    }

    /// Takes from what is `known` the parts of which no value was seen here.
    pub(in crate::rows) fn fill_in(&mut self, mut known: Self) {
        if self.facts == Facts::NOTHING {
            return self.merge(known);
        }
        if let (Some(element), Some(known)) = (&mut self.element, known.element.take()) {
            element.fill_in(*known);
        }
        let mut known: HashMap<Arc<str>, Self> = known.members.into_iter().collect();
        for (name, shape) in &mut self.members {
            if let Some(known) = known.remove(name) {
                shape.fill_in(known);
            }
        }
    }

    /// The storage of the finished column. Objects that never had a member are JSON text, for Arrow's formats have no
    /// struct without fields.
    pub(in crate::rows) fn storage(&self) -> StorageKind {
        match self.facts.storage() {
            StorageKind::Struct if self.members.is_empty() => StorageKind::Utf8,
            storage => storage,
        }
    }

    /// The type of the finished column.
    pub(in crate::rows) fn data_type(&self) -> DataType {
        match self.storage() {
            StorageKind::Null => DataType::Null,
            StorageKind::Boolean => DataType::Boolean,
            StorageKind::Int64 => DataType::Int64,
            StorageKind::UInt64 => DataType::UInt64,
            StorageKind::Float64 => DataType::Float64,
            StorageKind::Utf8 => DataType::Utf8,
            StorageKind::List => DataType::List(self.element_field()),
            StorageKind::Struct => DataType::Struct(self.fields()),
        }
    }

    pub(in crate::rows) fn element_field(&self) -> Arc<Field> {
        let element = self.element.as_ref().map_or(DataType::Null, |element| element.data_type());
        Arc::new(Field::new_list_field(element, true))
    }

    pub(in crate::rows) fn fields(&self) -> Fields {
        self.members.iter().map(|(name, shape)| Field::new(&**name, shape.data_type(), true)).collect()
    }
}

/// Whether a column that was read as objects or arrays, or one within it, has become text in the members by now. Both
/// are gone through in order; where that differs some may be missed, which only costs time.
pub(in crate::rows) fn has_become_text<'c>(
    members: &MemberShapes,
    columns: impl Iterator<Item = (&'c Arc<str>, &'c Column)>,
) -> bool {
    let mut columns = columns.peekable();
    members.iter().any(|(name, shape)| {
        let same = columns.next_if(|(other, _)| *other == name);
        same.is_some_and(|(_, column)| shape.has_become_text(column))
    })
}

/// Adds members in first-seen order.
pub(in crate::rows) fn merge_members(members: &mut MemberShapes, others: MemberShapes) {
    if members.is_empty() {
        *members = others;
        return;
    }
    let is_same_order = members.len() == others.len() && members.iter().zip(&others).all(|(a, b)| a.0 == b.0);
    if is_same_order {
        members.iter_mut().zip(others).for_each(|((_, shape), (_, theirs))| shape.merge(theirs));
        return;
    }
    let mut index: HashMap<Arc<str>, usize> =
        members.iter().enumerate().map(|(at, (name, _))| (Arc::clone(name), at)).collect();
    for (name, theirs) in others {
        if let Some(&at) = index.get(&name) {
            members[at].1.merge(theirs);
        } else {
            index.insert(Arc::clone(&name), members.len());
            members.push((name, theirs));
        }
    }
}
