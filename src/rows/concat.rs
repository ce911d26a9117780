//! Tables of different runs as one, by the decoder's own widening.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::DataType::{Decimal128, Timestamp};
use arrow_schema::{DataType, Field, Fields, Schema};
use hashbrown::{HashMap, HashSet};

use super::columns::{Column, Counts, Shape, arrays};
use super::finish::notes::{self, BETWEEN_NOTES, NO_MEMBERS, with_notes};
use super::finish::type_name;
use super::json_texts::JsonTexts;
use super::no_values::NoValues;
use super::slab::Slab;
use super::table::{NOTE_KEY, Note, Rows, new_batch};

/// One table with the rows of all, in order. Columns are the union of all columns, in first-seen order. A column that
/// has one type wherever it has values keeps it; any other is widened as if its values had stood in one body, except
/// that text which a table already holds is text where strings were among it: which of it was JSON text is not known any
/// more.
pub fn concat(tables: &[Rows]) -> Rows {
    let mut names: Vec<&str> = Vec::new();
    let mut known: HashSet<&str> = HashSet::new();
    for field in tables.iter().flat_map(|table| table.schema().fields()) {
        if known.insert(field.name()) {
            names.push(field.name());
        }
    }
    let parts: Vec<Part<'_>> = tables.iter().map(Part::new).collect();
    let mut no_values = NoValues::default();
    let columns: Vec<(&str, Joined)> =
        names.into_iter().map(|name| (name, Joined::of(&parts, name, &mut no_values))).collect();
    let outdated: HashSet<&str> = columns.iter().flat_map(|(_, column)| &column.outdated).map(String::as_str).collect();
    let carried = tables.iter().flat_map(Rows::notes).filter(|note| !outdated.contains(note.to_string().as_str()));
    let new = columns.iter().flat_map(|(_, column)| &column.notes);
    let mut told: HashSet<&Note> = HashSet::new();
    let notes = carried.chain(new).filter(|note| told.insert(*note)).cloned().collect();
    let fields = columns.iter().map(|(name, column)| {
        let may_be_null = parts.iter().any(|part| part.field(name).is_none_or(Field::is_nullable));
        let field = Field::new(*name, column.data_type.clone(), may_be_null);
        let field = Arc::new(field.with_metadata(common_metadata(&parts, name, &column.data_type)));
        with_notes(&column.json.noted_on(&field), &notes_on(&parts, name, column))
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let batches = tables.iter().flat_map(Rows::batches).enumerate().map(|(at, batch)| {
        let arrays = columns.iter().map(|(_, column)| Arc::clone(&column.batches[at])).collect();
        new_batch(Arc::clone(&schema), arrays, batch.num_rows())
    });
    Rows::new(Arc::clone(&schema), batches.collect(), notes)
}

/// A table, and where in it each column is.
struct Part<'t> {
    table: &'t Rows,
    places: HashMap<&'t str, usize>,
}

impl<'t> Part<'t> {
    fn new(table: &'t Rows) -> Self {
        let fields = table.schema().fields().iter().enumerate();
        Self { table, places: fields.map(|(at, field)| (field.name().as_str(), at)).collect() }
    }

    fn field(&self, name: &str) -> Option<&'t Field> {
        self.places.get(name).map(|&at| self.table.schema().field(at))
    }

    /// The column in each batch, `None` where the table has none, and how many rows that has.
    fn arrays(&self, name: &str) -> impl Iterator<Item = (Option<&'t ArrayRef>, usize)> {
        let at = self.places.get(name).copied();
        self.table.batches().iter().map(move |batch| (at.map(|at| batch.column(at)), batch.num_rows()))
    }

    fn has_values(&self, name: &str) -> bool {
        self.arrays(name).any(|(array, _)| array.is_some_and(|array| array.logical_null_count() < array.len()))
    }
}

/// The notes on a column and on what is in it, each once: those of the tables that still hold, and new ones.
fn notes_on(parts: &[Part<'_>], name: &str, column: &Joined) -> Vec<String> {
    let known = known_notes(parts, name).filter(|text| !column.outdated.contains(*text)).map(str::to_owned);
    let mut told: HashSet<String> = HashSet::new();
    known.chain(column.notes.iter().map(ToString::to_string)).filter(|text| told.insert(text.clone())).collect()
}

/// The notes that stand in the metadata of the tables.
fn known_notes<'t>(parts: &[Part<'t>], name: &str) -> impl Iterator<Item = &'t str> {
    let known = parts.iter().filter_map(move |part| part.field(name)?.metadata().get(NOTE_KEY));
    known.flat_map(|notes| notes.split(BETWEEN_NOTES))
}

/// What all tables that have the column say of it beside their notes: said of its type, and of no other that it has
/// become.
fn common_metadata(parts: &[Part<'_>], name: &str, data_type: &DataType) -> std::collections::HashMap<String, String> {
    let nothing = std::collections::HashMap::new();
    let told = parts.iter().filter_map(|part| part.field(name));
    let mut told = told.map(|field| if field.data_type() == data_type { field.metadata() } else { &nothing });
    let mut common = told.next().unwrap_or(&nothing).clone();
    common.remove(NOTE_KEY);
    told.for_each(|other| common.retain(|key, value| other.get(key) == Some(value)));
    common
}

/// A column of all batches, in one type.
struct Joined {
    data_type: DataType,
    batches: Vec<ArrayRef>,
    /// What in it is JSON text.
    json: JsonTexts,
    /// What widening it has to say, and what was said of parts of it and holds no longer.
    notes: Vec<Note>,
    outdated: HashSet<String>,
}

impl Joined {
    fn of(parts: &[Part<'_>], name: &str, no_values: &mut NoValues) -> Self {
        let mut with_values = parts.iter().filter(|part| part.has_values(name)).peekable();
        let data_type = match with_values.peek() {
            Some(_) => one_type(with_values, name),
            None => one_type(parts.iter(), name),
        };
        let kept = data_type.and_then(|data_type| Self::kept(parts, name, data_type, no_values));
        kept.unwrap_or_else(|| Self::widened(parts, name))
    }

    /// Of one type wherever it has values; `None` where a moment is too far away for the unit that others need.
    fn kept(parts: &[Part<'_>], name: &str, data_type: DataType, no_values: &mut NoValues) -> Option<Self> {
        let exactly = CastOptions { safe: false, ..CastOptions::default() };
        let batches = parts.iter().flat_map(|part| part.arrays(name)).map(|(array, len)| match array {
            Some(array) if *array.data_type() == data_type => Some(Arc::clone(array)),
            Some(array) if array.logical_null_count() < len => cast_with_options(array, &data_type, &exactly).ok(),
            Some(_) | None => Some(no_values.array(&data_type, len)),
        });
        let batches = batches.collect::<Option<_>>()?;
        let json = |is_one: &dyn Fn(&Part<'_>) -> bool| {
            let fields = parts.iter().filter(|part| is_one(part)).filter_map(|part| part.field(name));
            fields.map(JsonTexts::of_field).reduce(|all, other| all.and(&other))
        };
        let json = json(&|part| part.has_values(name)).or_else(|| json(&|_| true)).unwrap_or_default();
        Some(Self { data_type, batches, json, notes: Vec::new(), outdated: HashSet::new() })
    }

    fn widened(parts: &[Part<'_>], name: &str) -> Self {
        let mut columns: Vec<(Column, usize)> = Vec::new();
        for part in parts {
            let json = part.field(name).map(JsonTexts::of_field).unwrap_or_default();
            let column = |array| Column::of_array(array, &json.top());
            columns.extend(part.arrays(name).map(|(array, len)| (array.map_or_else(Column::new, column), len)));
        }
        // Twice: how many members were declared is known of no part before all were looked at.
        let mut shape = Shape::default();
        for _ in 0..2 {
            shape = shape.without_facts();
            columns.iter().for_each(|(column, _)| shape.merge(Shape::of_column(column)));
        }
        // Types count only where there is no value at all: that of an empty column may be no more than what was
        // declared.
        let mut known = Shape::default();
        for field in parts.iter().filter_map(|part| part.field(name)) {
            known.merge(super::declared::of_type(field.data_type()));
        }
        shape.fill_in(known);

        let data_type = shape.data_type();
        let fields = Fields::from(vec![Field::new(name, data_type.clone(), true)]);
        let members = [(Arc::from(name), shape)];
        let remarks = notes::of_table(&[], &members, Counts::default());
        let mut told: Vec<Note> = remarks.into_iter().map(|remark| remark.note).collect();
        let of_values = parts.iter().filter(|part| part.has_values(name)).filter_map(|part| part.field(name));
        let types: Vec<&DataType> = of_values.map(Field::data_type).collect();
        if data_type.is_string() {
            let is_told = told.iter().any(|note| note.column.as_deref() == Some(name));
            told.extend(why_text(&types, is_told).map(|why| Note::on_column(name, why)));
        }
        let told_anew: HashSet<String> = told.iter().map(ToString::to_string).collect();
        let outdated = known_notes(parts, name).filter(|note| note.ends_with(NO_MEMBERS) && !told_anew.contains(*note));
        let json = JsonTexts::of_shape(&members[0].1);
        let mut slab = Slab::default();
        let batches = columns.into_iter().map(|(column, len)| {
            arrays(vec![(Arc::clone(&members[0].0), column)], &members, &fields, len, &mut slab).swap_remove(0)
        });
        Self {
            data_type,
            batches: batches.collect(),
            json,
            notes: told,
            outdated: outdated.map(str::to_owned).collect(),
        }
    }
}

/// Why a column with values of these types has become text, unless it `is_told` by what decoding has to say.
fn why_text(types: &[&DataType], is_told: bool) -> Option<String> {
    /// More types than this are counted.
    const NAMED: usize = 3;
    if types.iter().any(|data_type| data_type.is_temporal()) {
        let are_times = types.iter().all(|data_type| matches!(data_type, Timestamp(..)));
        let of = if are_times { "times that no one unit and zone hold" } else { "dates and times beside another kind" };
        let has_zone = types.iter().any(|data_type| matches!(data_type, Timestamp(_, Some(_))));
        return Some(format!("{of}: kept as text{}", if has_zone { ", times with an offset in UTC" } else { "" }));
    }
    let mut known: HashSet<&DataType> = HashSet::new();
    let first_seen = types.iter().filter(|data_type| known.insert(data_type));
    let names: Vec<String> = first_seen.map(|data_type| type_name(data_type)).collect();
    let more = names.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} types more") } else { String::new() };
    let first = names[..names.len().min(NAMED)].join(" and ");
    (!is_told && names.len() > 1).then(|| format!("{first}{more}: kept as text"))
}

/// The type a column has in all of these parts that have it, if it is one; the finest of those that count moments in
/// different units, and the most precise of decimals with as many decimals.
fn one_type<'p>(parts: impl Iterator<Item = &'p Part<'p>>, name: &str) -> Option<DataType> {
    let types = parts.filter_map(|part| part.field(name)).map(|field| field.data_type().clone());
    types.map(Some).reduce(|one, other| match (one?, other?) {
        (Timestamp(unit, zone), Timestamp(of_other, same)) if zone == same => Some(Timestamp(unit.max(of_other), zone)),
        (Decimal128(precision, scale), Decimal128(of_other, same)) if scale == same => {
            Some(Decimal128(precision.max(of_other), scale))
        }
        (one, other) => (one == other).then_some(one),
    })?
}
