//! One column of all tables, in one type.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field, Fields};
use hashbrown::HashSet;

use super::common_type::common_type;
use super::input::{Input, known_notes};
use super::why_text::add_why_text;
use crate::rows::columns::{Column, JsonTexts, NoValues, PointerBudget, Shape, arrays};
use crate::rows::declared::of_type;
use crate::rows::finish::cast::cast_strictly;
use crate::rows::finish::distinct::Distinct;
use crate::rows::finish::field_path::FieldPath;
use crate::rows::finish::notes::Remarks;
use crate::rows::finish::padding::{TOO_LARGE, padding_bits};
use crate::rows::finish::type_name;
use crate::rows::finish::why_widened::{DUPLICATE_KEY, WHY_NO_STRUCT};
use crate::rows::memory::Arena;
use crate::rows::table::Note;

/// What the columns of one table share.
#[derive(Default)]
pub(super) struct Shared {
    no_values: NoValues,
    budget: PointerBudget,
}

/// What a column is to be.
pub(super) struct Wanted<'n> {
    pub(super) name: &'n str,
    /// The one type that holds the values of all tables, if there is one.
    data_type: Option<DataType>,
    /// How much the nulls of that take where it is of a fixed size.
    pub(super) padding_bits: u64,
}

/// A column of all batches, in one type.
pub(super) struct Joined {
    pub(super) data_type: DataType,
    pub(super) batches: Vec<ArrayRef>,
    /// What in it is JSON text.
    pub(super) json: JsonTexts,
    /// What widening it has to say, and what was said of parts of it and holds no longer.
    pub(super) notes: Vec<Note>,
    pub(super) outdated: HashSet<String>,
}

impl<'n> Wanted<'n> {
    pub(super) fn of(parts: &[Input<'_>], name: &'n str) -> Self {
        let types = types_of_values(parts, name);
        let data_type = match types.as_slice() {
            [] => common_type(parts.iter().filter_map(|part| part.field(name)).map(Field::data_type)),
            types => common_type(types.iter().copied()),
        };
        let padding_bits = data_type.as_ref().map_or(0, |data_type| {
            let is_absent = |(array, len): &(Option<&ArrayRef>, usize)| {
                array.is_none_or(|array| array.data_type() != data_type && array.logical_null_count() == *len)
            };
            let arrays = parts.iter().flat_map(|part| part.arrays(name));
            padding_bits(arrays.filter(is_absent).map(|(_, len)| len).sum(), data_type)
        });
        Self { name, data_type, padding_bits }
    }
}

impl Joined {
    /// As it is wanted, unless that is too large.
    pub(super) fn of(parts: &[Input<'_>], wanted: Wanted<'_>, is_too_large: bool, shared: &mut Shared) -> Self {
        let Wanted { name, data_type, .. } = wanted;
        let Some(data_type) = data_type else { return Self::widened(parts, name, shared) };
        if !is_too_large && let Some(kept) = Self::kept(parts, name, &data_type, shared) {
            return kept;
        }
        let mut widened = Self::widened(parts, name, shared);
        if is_too_large {
            let (wanted, kept) = (type_name(&data_type), type_name(&widened.data_type));
            widened.notes.push(Note::on_column(name, format!("{wanted}, kept as {kept}: {TOO_LARGE}")));
        }
        widened
    }

    /// Of one type wherever it has values; `None` where a time is too long for the unit that others need.
    fn kept(parts: &[Input<'_>], name: &str, data_type: &DataType, shared: &mut Shared) -> Option<Self> {
        let batches = parts.iter().flat_map(|part| part.arrays(name)).map(|(array, len)| match array {
            Some(array) if array.data_type() == data_type => Some(Arc::clone(array)),
            Some(array) if array.logical_null_count() < len => cast_strictly(array, data_type),
            Some(_) | None => Some(shared.no_values.array(data_type, len)),
        });
        let batches: Vec<ArrayRef> = batches.collect::<Option<_>>()?;
        let (data_type, batches) = with_keys_for_all(data_type.clone(), batches)?;
        let json = |is_one: &dyn Fn(&Input<'_>) -> bool| {
            let fields = parts.iter().filter(|part| is_one(part)).filter_map(|part| part.field(name));
            fields.map(JsonTexts::of_field).reduce(|all, other| all.intersection(&other))
        };
        let json = json(&|part| part.has_values(name)).or_else(|| json(&|_| true)).unwrap_or_default();
        Some(Self { data_type, batches, json, notes: Vec::new(), outdated: HashSet::new() })
    }

    fn widened(parts: &[Input<'_>], name: &str, shared: &mut Shared) -> Self {
        let mut columns: Vec<(Column, usize)> = Vec::new();
        for part in parts {
            let json = part.field(name).map(JsonTexts::of_field).unwrap_or_default();
            let column = |array| Column::of_array(array, &json.top());
            columns.extend(part.arrays(name).map(|(array, len)| (array.map_or_else(Column::new, column), len)));
        }
        // Twice: how many members were declared decides whether objects are a map, and is known after the first time.
        let mut shape = Shape::default();
        for _ in 0..2 {
            shape = shape.without_facts();
            columns.iter().for_each(|(column, _)| shape.merge(Shape::of_column(column)));
        }
        // Types count only where there is no value at all: that of an empty column may be no more than what was
        // declared.
        let mut known = Shape::default();
        for field in parts.iter().filter_map(|part| part.field(name)) {
            known.merge(of_type(field.data_type()));
        }
        shape.fill_in(known);

        let data_type = shape.data_type();
        let fields = Fields::from(vec![Field::new(name, data_type.clone(), true)]);
        let members = [(Arc::from(name), shape)];
        // All of them: some are replaced below, and it is the table that has a limit.
        let mut remarks = Remarks::of_at_most(usize::MAX);
        remarks.on_members(&[], &members, |_, _| false);
        let mut notes: Vec<Note> = remarks.into_list().0.into_iter().map(|remark| remark.note).collect();
        add_why_text(name, &types_of_values(parts, name), &data_type, &mut notes);
        let outdated = outdated(parts, name, &data_type, &notes);
        let json = JsonTexts::of_shape(&members[0].1, &mut shared.budget);
        let mut arena = Arena::default();
        let batches = columns.into_iter().map(|(column, len)| match column.len() {
            0 => shared.no_values.array(&data_type, len),
            _ => arrays(vec![(Arc::clone(&members[0].0), column)], &members, &fields, len, &mut arena).swap_remove(0),
        });
        let batches = batches.collect();
        Self { data_type, batches, json, notes, outdated }
    }
}

/// The column with more keys, where those of a dictionary are too few for the values of all tables together.
fn with_keys_for_all(data_type: DataType, batches: Vec<ArrayRef>) -> Option<(DataType, Vec<ArrayRef>)> {
    let mut distinct = Distinct::default();
    match data_type {
        DataType::Dictionary(_, values) if !batches.iter().all(|batch| distinct.add(batch)) => {
            let data_type = DataType::Dictionary(Box::new(DataType::Int32), values);
            let batches = batches.iter().map(|batch| cast_strictly(batch, &data_type)).collect::<Option<_>>()?;
            Some((data_type, batches))
        }
        data_type => Some((data_type, batches)),
    }
}

/// Notes that stand in the metadata of the tables and do not hold of what the column, or what is in it, has become, and
/// that are not told anew.
fn outdated(parts: &[Input<'_>], name: &str, data_type: &DataType, told: &[Note]) -> HashSet<String> {
    let known: HashSet<&str> = known_notes(parts, name).filter(|note| !note.ends_with(DUPLICATE_KEY)).collect();
    if known.is_empty() {
        return HashSet::new();
    }
    let told: HashSet<String> = told.iter().map(ToString::to_string).collect();
    let mut paths = HashSet::new();
    add_paths(&mut FieldPath::of_column(0, name), data_type, &mut paths);
    let is_outdated = |note: &str| {
        WHY_NO_STRUCT.iter().any(|why| note.ends_with(why))
            || !note.match_indices(": ").any(|(end, _)| paths.contains(&note[..end]))
    };
    known.into_iter().filter(|note| is_outdated(note) && !told.contains(*note)).map(str::to_owned).collect()
}

/// Adds how notes name a column of this type and what is in it.
fn add_paths(path: &mut FieldPath, data_type: &DataType, paths: &mut HashSet<String>) {
    paths.extend(Note::on_column(path.as_str(), "").column);
    match data_type {
        DataType::List(item) => path.at_elements(|path| add_paths(path, item.data_type(), paths)),
        DataType::Struct(members) => {
            for (at, member) in members.iter().enumerate() {
                path.at_member(at, member.name(), |path| add_paths(path, member.data_type(), paths));
            }
        }
        _ => {}
    }
}

/// The types of a column in those tables that have values of it.
fn types_of_values<'t>(parts: &[Input<'t>], name: &str) -> Vec<&'t DataType> {
    parts
        .iter()
        .filter(|part| part.has_values(name))
        .filter_map(|part| part.field(name))
        .map(Field::data_type)
        .collect()
}
