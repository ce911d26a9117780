//! The type that was asked for of a column, and within it that of each member of objects and of the elements of arrays.
//!
//! A requested type need not name all members: those that it does not name come after the others, as they are. And
//! where the values of one member do not survive its type, the others have theirs all the same.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeListArray, ListArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::extension::{EXTENSION_TYPE_METADATA_KEY, EXTENSION_TYPE_NAME_KEY};
use arrow_schema::{DataType, Field, FieldRef};
use hashbrown::{HashMap, HashSet};

use super::cast::{cast_exactly, element_of_list, encoded_by};
use super::distinct::few_keys;
use super::field_path::FieldPath;
use super::nested::{contains_type, contains_within};
use super::padding::PaddingBudget;
use super::requested_type::RequestedType;
use crate::rows::columns::{Facts, Shape, StorageKind};

/// What is to become of values of one inferred type.
#[derive(Debug)]
pub(super) enum Target {
    /// Nothing else.
    Inferred(DataType),
    /// Another type for all of them.
    Type(RequestedType),
    /// Objects, member by member.
    Struct(Vec<TargetField>),
    List {
        item: Box<TargetField>,
        is_large: bool,
    },
}

/// A column, a member of objects, or the elements of arrays.
#[derive(Debug)]
pub(super) struct TargetField {
    /// What was asked for.
    field: FieldRef,
    /// Its place among the inferred members.
    at: usize,
    may_be_null: bool,
    target: Target,
}

/// Something that was asked for, and what has come of it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Outcome<'a> {
    Type(&'a RequestedType),
    /// Non-null was requested, but there are nulls.
    Nulls,
}

impl Target {
    /// What values of the inferred type are to become. `is_possible` is whether they may take one other type, where it
    /// comes to that.
    fn new(requested: &DataType, inferred: &DataType, shape: &Shape, is_possible: bool) -> Self {
        match (requested, inferred) {
            _ if requested == inferred => Self::Inferred(inferred.clone()),
            (DataType::Struct(members), DataType::Struct(present)) => {
                let places: HashMap<&str, usize> =
                    present.iter().enumerate().map(|(at, field)| (field.name().as_str(), at)).collect();
                let named: HashSet<&str> = members.iter().map(|field| field.name().as_str()).collect();
                let member = |field: &FieldRef| {
                    let at = *places.get(field.name().as_str())?;
                    Some(TargetField::new(field, at, present[at].data_type(), &shape.members[at].1))
                };
                let others = present.iter().enumerate().filter(|(_, field)| !named.contains(field.name().as_str()));
                let others = others
                    .map(|(at, field)| Some(TargetField::new(field, at, field.data_type(), &shape.members[at].1)));
                match members.iter().map(member).chain(others).collect() {
                    Some(members) => Self::Struct(members),
                    None => Self::of_type(requested, inferred, shape, is_possible),
                }
            }
            (DataType::List(item) | DataType::LargeList(item), DataType::List(elements)) => {
                let nothing = Shape::default();
                let element = shape.element.as_deref().unwrap_or(&nothing);
                Self::List {
                    item: Box::new(TargetField::new(item, 0, elements.data_type(), element)),
                    is_large: matches!(requested, DataType::LargeList(_)),
                }
            }
            _ => Self::of_type(requested, inferred, shape, is_possible),
        }
    }

    fn of_type(requested: &DataType, inferred: &DataType, shape: &Shape, is_possible: bool) -> Self {
        let is_possible = is_possible && has_members(requested) && !contains_type(requested, is_union);
        let is_rounded = is_of_rounded(requested, shape);
        Self::Type(RequestedType::new(requested.clone(), inferred.clone(), is_possible, is_rounded))
    }

    /// Whether what was asked for changes nothing.
    fn changes_nothing(&self) -> bool {
        match self {
            Self::Inferred(_) => true,
            Self::Type(_) | Self::List { .. } => false,
            Self::Struct(members) => {
                members.iter().enumerate().all(|(at, member)| member.at == at && member.changes_nothing())
            }
        }
    }

    /// The type that all values so far survive.
    fn data_type(&self) -> DataType {
        match self {
            Self::Inferred(inferred) => inferred.clone(),
            Self::Type(requested) => requested.data_type().clone(),
            Self::Struct(members) => DataType::Struct(members.iter().map(TargetField::field).collect()),
            Self::List { item, is_large: false } => DataType::List(item.field()),
            Self::List { item, is_large: true } => DataType::LargeList(item.field()),
        }
    }

    /// Looks at more values, gives up the types that they do not survive, and converts them. Values over the padding
    /// budget are returned as they are, and everything that contains them is `None`; those are converted later by
    /// [`apply`](Self::apply).
    fn observe(&mut self, array: &ArrayRef, budget: &mut PaddingBudget) -> Option<ArrayRef> {
        let parts = match self {
            Self::Inferred(_) => return Some(Arc::clone(array)),
            Self::Type(requested) => {
                return Some(requested.observe(array, budget).unwrap_or_else(|| Arc::clone(array)));
            }
            Self::Struct(members) => {
                let structs = array.as_struct();
                let observe =
                    |member: &mut TargetField| member.observe(structs.column(member.at), structs.nulls(), budget);
                // All of them are looked at first: to collect options would stop at the first `None`.
                let parts: Vec<Option<ArrayRef>> = members.iter_mut().map(observe).collect();
                parts.into_iter().collect()
            }
            Self::List { item, .. } => {
                item.observe(array.as_list::<i32>().values(), None, budget).map(|values| vec![values])
            }
        };
        self.put_together(array, parts?)
    }

    /// Converts values, once all of them were looked at.
    fn apply(&self, array: &ArrayRef) -> Option<ArrayRef> {
        let parts = match self {
            Self::Inferred(_) | Self::Type(RequestedType { is_possible: false, .. }) => return Some(Arc::clone(array)),
            Self::Type(RequestedType { wanted, .. }) => return cast_exactly(array, wanted),
            Self::Struct(members) => {
                let structs = array.as_struct();
                members.iter().map(|member| member.apply(structs.column(member.at))).collect()
            }
            Self::List { item, .. } => item.apply(array.as_list::<i32>().values()).map(|values| vec![values]),
        };
        self.put_together(array, parts?)
    }

    /// Objects or arrays again, of what their parts have become.
    fn put_together(&self, array: &ArrayRef, mut parts: Vec<ArrayRef>) -> Option<ArrayRef> {
        Some(match self {
            Self::Inferred(_) | Self::Type(_) => parts.pop()?,
            Self::Struct(members) => {
                let fields = members.iter().map(TargetField::field).collect();
                Arc::new(StructArray::try_new(fields, parts, array.nulls().cloned()).ok()?)
            }
            Self::List { item, is_large: false } => {
                let offsets = array.as_list::<i32>().offsets().clone();
                Arc::new(ListArray::try_new(item.field(), offsets, parts.pop()?, array.nulls().cloned()).ok()?)
            }
            Self::List { item, is_large: true } => {
                let offsets = array.as_list::<i32>().offsets().iter().map(|&end| i64::from(end));
                let offsets = OffsetBuffer::new(offsets.collect());
                Arc::new(LargeListArray::try_new(item.field(), offsets, parts.pop()?, array.nulls().cloned()).ok()?)
            }
        })
    }

    /// Looks at all that was asked for here and within.
    fn for_each_requested(&mut self, see: &mut impl FnMut(&mut RequestedType)) {
        match self {
            Self::Inferred(_) => {}
            Self::Type(requested) => see(requested),
            Self::Struct(members) => members.iter_mut().for_each(|member| member.for_each_requested(see)),
            Self::List { item, .. } => item.for_each_requested(see),
        }
    }

    /// Whether all of it becomes something else, or what these positions among the inferred members lead to; an element
    /// is at 0.
    fn converts(&self, within: &[usize]) -> bool {
        match (self, within) {
            // With all that is within it.
            (Self::Type(requested), _) => requested.is_possible,
            (Self::Struct(members), [at, within @ ..]) => {
                members.iter().any(|member| member.at == *at && member.target.converts(within))
            }
            (Self::List { item, .. }, [_, within @ ..]) => item.target.converts(within),
            _ => false,
        }
    }

    fn for_each_outcome(&self, path: &mut FieldPath, see: &mut impl FnMut(&FieldPath, Outcome<'_>)) {
        match self {
            Self::Inferred(_) => {}
            Self::Type(requested) => see(path, Outcome::Type(requested)),
            Self::Struct(members) => {
                for member in members {
                    path.at_member(member.at, member.field.name(), |path| member.for_each_outcome(path, see));
                }
            }
            Self::List { item, .. } => path.at_elements(|path| item.for_each_outcome(path, see)),
        }
    }
}

impl TargetField {
    /// What was asked for of a column.
    pub(super) fn column(field: &FieldRef, inferred: &DataType, shape: &Shape) -> Self {
        Self::of(field, 0, Target::new(field.data_type(), inferred, shape, !may_be_full(field.data_type())))
    }

    fn new(field: &FieldRef, at: usize, inferred: &DataType, shape: &Shape) -> Self {
        // Keys that do for each batch may not do for all rows, and `Distinct` counts only those of whole columns.
        let requested = field.data_type();
        let is_possible = few_keys(requested).is_none() && !may_be_full(requested);
        Self::of(field, at, Target::new(requested, inferred, shape, is_possible))
    }

    fn of(field: &FieldRef, at: usize, target: Target) -> Self {
        Self { field: Arc::clone(field), at, may_be_null: field.is_nullable(), target }
    }

    /// Whether what was asked for changes nothing.
    pub(super) fn changes_nothing(&self) -> bool {
        self.may_be_null && self.field.metadata().is_empty() && self.target.changes_nothing()
    }

    /// Whether nothing that was asked for has come of it.
    pub(super) fn is_left_as(&self, inferred: &DataType) -> bool {
        let data_type = self.target.data_type();
        self.may_be_null && data_type == *inferred && (self.field.metadata().is_empty() || !self.has(&data_type))
    }

    /// Whether the type that was asked for is the one it has.
    fn has(&self, data_type: &DataType) -> bool {
        self.field.data_type() == data_type
    }

    /// The field as all values so far allow it. Metadata stays only with the type that it was asked for with. Keys of
    /// an extension type are dropped: text is handed out in the layout each receiver takes best, and an extension knows
    /// one.
    pub(super) fn field(&self) -> FieldRef {
        let data_type = self.target.data_type();
        let mut field = Field::new(self.field.name(), data_type, self.may_be_null);
        if self.has(field.data_type()) {
            let mut metadata = self.field.metadata().clone();
            metadata.retain(|key, _| key != EXTENSION_TYPE_NAME_KEY && key != EXTENSION_TYPE_METADATA_KEY);
            field.set_metadata(metadata);
        }
        Arc::new(field)
    }

    /// Gives up the type of a column as a whole.
    pub(super) fn give_up(&mut self) {
        if let Target::Type(requested) = &mut self.target {
            requested.is_possible = false;
        }
    }

    /// Looks at all that was asked for of a column and of what is in it.
    pub(super) fn for_each_requested(&mut self, see: &mut impl FnMut(&mut RequestedType)) {
        self.target.for_each_requested(see);
    }

    /// Tells of all that was asked for, of this field or within it.
    pub(super) fn for_each_outcome(&self, path: &mut FieldPath, see: &mut impl FnMut(&FieldPath, Outcome<'_>)) {
        self.target.for_each_outcome(path, see);
        if self.may_be_null && !self.field.is_nullable() {
            see(path, Outcome::Nulls);
        }
    }

    /// Whether it becomes something else, or what these positions among the inferred members lead to.
    pub(super) fn converts(&self, within: &[usize]) -> bool {
        self.target.converts(within)
    }

    /// The values once all were looked at.
    pub(super) fn apply(&self, array: &ArrayRef) -> Option<ArrayRef> {
        self.target.apply(array)
    }

    /// Looks at more values, gives up the types that they do not survive, and converts them: see [`Target::observe`].
    /// The objects that hold the values are null where `outer` says so.
    pub(super) fn observe(
        &mut self,
        array: &ArrayRef,
        outer: Option<&NullBuffer>,
        budget: &mut PaddingBudget,
    ) -> Option<ArrayRef> {
        let made = self.target.observe(array, budget);
        if !self.may_be_null
            && let Some(nulls) = made.as_ref().unwrap_or(array).logical_nulls()
        {
            self.may_be_null = match outer {
                Some(outer) => nulls.iter().zip(outer).any(|(is_here, is_object)| is_object && !is_here),
                None => nulls.null_count() > 0,
            };
        }
        made
    }
}

/// Whether a type has room for some values and not for more: by the keys of a dictionary below the top, or by the ends
/// of runs anywhere.
fn may_be_full(data_type: &DataType) -> bool {
    let has_short_ends = |data_type: &DataType| matches!(data_type, DataType::RunEndEncoded(ends, _) if ends.data_type() == &DataType::Int16);
    contains_type(data_type, has_short_ends) || contains_within(data_type, |data_type| few_keys(data_type).is_some())
}

/// Whether exact numbers are asked for, here or within, where one was sent of which a float does not tell all.
fn is_of_rounded(requested: &DataType, shape: &Shape) -> bool {
    if let Some(values) = encoded_by(requested) {
        return is_of_rounded(values, shape);
    }
    match (requested, shape.storage()) {
        (DataType::Struct(wanted), StorageKind::Struct) => shape.members.iter().any(|(name, member)| {
            wanted.find(name).is_some_and(|(_, wanted)| is_of_rounded(wanted.data_type(), member))
        }),
        (_, StorageKind::List) => {
            let both = element_of_list(requested).zip(shape.element.as_deref());
            both.is_some_and(|(requested, element)| is_of_rounded(requested, element))
        }
        (leaf, _) => {
            let is_exact = leaf.is_integer() || leaf.is_decimal() || leaf.is_temporal();
            is_exact && shape.facts.has_any(Facts::ROUNDED)
        }
    }
}

/// Whether a type is one of values of several types: none of those is null by itself.
fn is_union(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Union(..))
}

/// Whether every struct in a type has members: none is decoded without, and Parquet cannot store one.
fn has_members(data_type: &DataType) -> bool {
    let is_empty = |data_type: &DataType| matches!(data_type, DataType::Struct(members) if members.is_empty());
    !contains_type(data_type, is_empty)
}
