//! Types a caller asked for: a column is converted only if every value of it survives that unchanged.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, LargeListArray, ListArray, RecordBatch, StructArray, new_null_array};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::DataType;
use hashbrown::{HashMap, HashSet};

use super::dates::{self, Dates};
use super::decimals;
use super::notes::{Remark, note_on};
use super::type_name::type_name;
use crate::rows::columns::{Facts, Shape};
use crate::rows::options::{Declared, DecodeOptions, ParseDates};
use crate::rows::table::Note;

/// Why text does not become dates or times.
const NO_DATES: &str =
    "not every value is an ISO 8601 date or time of one kind and at most nine decimals: kept as text";
const NO_UNIT: &str = "finer times than microseconds beside times that nanoseconds do not count (before 1677 or after 2262): kept as text";

/// What is to become of each column, and whether it still can.
#[derive(Debug, Default)]
pub(in crate::rows) struct Conversions {
    columns: Vec<Asked>,
    /// Names in `parse_dates` that no column has.
    missing: Vec<String>,
}

#[derive(Debug)]
struct Asked {
    name: String,
    natural: DataType,
    wish: Wish,
}

#[derive(Debug)]
enum Wish {
    Nothing,
    Type { target: DataType, is_possible: bool, distinct: Distinct },
    Dates { dates: Dates, is_named: bool },
}

/// The values of a column that is to be a dictionary: its keys have to do for all of them, however its rows come in batches.
#[derive(Debug, Default)]
struct Distinct(HashSet<String>);

impl Distinct {
    /// Whether there is a key for each value so far, those of a next batch included.
    fn have_keys(&mut self, array: &ArrayRef) -> bool {
        let Some(keys) = few_keys(array.data_type()) else { return true };
        let Some(texts) = strictly(array.as_any_dictionary().values(), &DataType::LargeUtf8) else { return false };
        self.0.extend(texts.as_string::<i64>().iter().flatten().map(str::to_owned));
        self.0.len() <= keys
    }
}

/// How many keys a dictionary has, where there may be more values than those.
fn few_keys(data_type: &DataType) -> Option<usize> {
    let DataType::Dictionary(key, _) = data_type else { return None };
    match **key {
        DataType::Int8 => Some(1 << 7),
        DataType::UInt8 => Some(1 << 8),
        DataType::Int16 => Some(1 << 15),
        DataType::UInt16 => Some(1 << 16),
        _ => None,
    }
}

/// Whether a type has room for some values and not for more, below the top, where nobody counts them: what fits into each
/// batch need not fit into one of all rows.
fn may_be_full(data_type: &DataType) -> bool {
    let below = |data_type: &DataType| few_keys(data_type).is_some() || may_be_full(data_type);
    match data_type {
        DataType::Dictionary(_, values) => below(values),
        DataType::RunEndEncoded(ends, values) => ends.data_type() == &DataType::Int16 || below(values.data_type()),
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => below(field.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| below(field.data_type())),
        _ => false,
    }
}

impl Conversions {
    pub(in crate::rows) fn new(options: &DecodeOptions, members: &[(Arc<str>, Shape)]) -> Self {
        let wishes = Wishes::new(options);
        let asked = |(name, shape): &(Arc<str>, Shape)| Asked {
            name: name.to_string(),
            natural: shape.data_type(),
            wish: wishes.of(name, shape),
        };
        let missing = match &options.parse_dates {
            ParseDates::Columns(names) => {
                let known: HashSet<&str> = members.iter().map(|(name, _)| &**name).collect();
                names.iter().filter(|name| !known.contains(name.as_str())).cloned().collect()
            }
            _ => Vec::new(),
        };
        Self { columns: members.iter().map(asked).collect(), missing }
    }

    /// Whether any column is to become something else than it is.
    pub(in crate::rows) fn is_empty(&self) -> bool {
        self.columns.iter().all(|column| matches!(column.wish, Wish::Nothing))
    }

    /// Looks at the next natural batch. Gives what it has made of columns on the way, which may turn out not to be wanted.
    pub(in crate::rows) fn observe(&mut self, batch: &RecordBatch) -> Vec<Option<ArrayRef>> {
        let columns = self.columns.iter_mut().zip(batch.columns());
        let observe = |(column, array): (&mut Asked, &ArrayRef)| match &mut column.wish {
            Wish::Type { target, is_possible, distinct } if *is_possible => {
                let converted = convert(array, target).filter(|converted| distinct.have_keys(converted));
                *is_possible = converted.is_some();
                converted
            }
            Wish::Dates { dates, .. } => {
                dates.observe(array);
                None
            }
            Wish::Type { .. } | Wish::Nothing => None,
        };
        columns.map(observe).collect()
    }

    /// Gives up what is not possible, and says so.
    pub(in crate::rows) fn settle(&mut self) -> Vec<Remark> {
        let remark = |note, column| Remark { note, column, is_on_type: false };
        let mut remarks: Vec<Remark> = Vec::new();
        for name in &self.missing {
            remarks.push(remark(Note::on_table(format!("parse_dates: there is no column `{name}`")), None));
        }
        for (at, column) in self.columns.iter_mut().enumerate() {
            let has_values = column.natural != DataType::Null;
            let (is_lost, why) = match &column.wish {
                Wish::Nothing | Wish::Type { is_possible: true, .. } => (false, None),
                Wish::Type { target, .. } => {
                    let (target, natural) = (type_name(target), type_name(&column.natural));
                    let why = format!(
                        "asked for as {target}, kept as {natural}: not everything in it is known to survive that"
                    );
                    (true, Some(why))
                }
                Wish::Dates { dates, is_named } => {
                    let why = match &column.natural {
                        _ if dates.have_no_unit() => NO_UNIT.to_owned(),
                        text if text.is_string() => NO_DATES.to_owned(),
                        other => {
                            format!("parse_dates: dates and times are read from text, and this is {}", type_name(other))
                        }
                    };
                    let is_lost = dates.data_type().is_none();
                    // Text that was not asked for by name is mostly not meant.
                    let is_told = has_values && (*is_named || dates.have_no_unit());
                    (is_lost, (is_lost && is_told).then_some(why))
                }
            };
            if is_lost {
                column.wish = Wish::Nothing;
            }
            let note = why.map(|message| note_on(&column.name, &message));
            remarks.extend(note.map(|note| remark(note, Some(at))));
        }
        remarks
    }

    /// The final type of a column, where it is not the natural one.
    pub(in crate::rows) fn target(&self, at: usize) -> Option<DataType> {
        match &self.columns[at].wish {
            Wish::Nothing => None,
            Wish::Type { target, .. } => Some(target.clone()),
            Wish::Dates { dates, .. } => dates.data_type(),
        }
    }

    pub(in crate::rows) fn apply(&self, at: usize, array: &ArrayRef) -> Option<ArrayRef> {
        match &self.columns[at].wish {
            Wish::Nothing => Some(Arc::clone(array)),
            Wish::Type { target, .. } => convert(array, target),
            Wish::Dates { dates, .. } => dates.convert(array),
        }
    }
}

/// What a caller said of columns, by their names.
struct Wishes<'o> {
    types: HashMap<&'o str, &'o DataType>,
    dates: HashSet<&'o str>,
    are_all_dates: bool,
}

impl<'o> Wishes<'o> {
    fn new(options: &'o DecodeOptions) -> Self {
        let fields = match &options.declared {
            Declared::Schema(schema) => schema.fields().as_ref(),
            _ => &[],
        };
        let dates = match &options.parse_dates {
            ParseDates::Columns(names) => names.as_slice(),
            _ => &[],
        };
        Self {
            // Of two of one name the first counts.
            types: fields.iter().rev().map(|field| (field.name().as_str(), field.data_type())).collect(),
            dates: dates.iter().map(String::as_str).collect(),
            are_all_dates: options.parse_dates == ParseDates::All,
        }
    }

    fn of(&self, name: &str, shape: &Shape) -> Wish {
        if let Some(&target) = self.types.get(name) {
            if *target == shape.data_type() {
                return Wish::Nothing;
            }
            let target = target.clone();
            return Wish::Type { is_possible: !may_be_full(&target), target, distinct: Distinct::default() };
        }
        let is_text = shape.facts == Facts::TEXT || shape.facts == Facts::NOTHING;
        let is_named = self.dates.contains(name);
        if is_named || self.are_all_dates && is_text {
            Wish::Dates { dates: if is_text { Dates::default() } else { Dates::impossible() }, is_named }
        } else {
            Wish::Nothing
        }
    }
}

/// The array in another type, if every value survives: it converts, and converting it back gives what was there.
pub(in crate::rows) fn convert(array: &ArrayRef, target: &DataType) -> Option<ArrayRef> {
    if array.data_type() == target {
        return Some(Arc::clone(array));
    }
    match (array.data_type(), target) {
        (DataType::Null, _) => Some(new_null_array(target, array.len())),
        (DataType::Struct(_), DataType::Struct(fields)) => {
            let structs = array.as_struct();
            let is_same = structs.num_columns() == fields.len();
            let columns = fields.iter().map(|field| convert(structs.column_by_name(field.name())?, field.data_type()));
            let columns = columns.collect::<Option<Vec<_>>>().filter(|_| is_same)?;
            let converted = StructArray::try_new(fields.clone(), columns, structs.nulls().cloned());
            converted.ok().map(|array| Arc::new(array) as ArrayRef)
        }
        (DataType::List(_), DataType::List(item)) => {
            let list = array.as_list::<i32>();
            let values = convert(list.values(), item.data_type())?;
            let converted = ListArray::try_new(Arc::clone(item), list.offsets().clone(), values, list.nulls().cloned());
            converted.ok().map(|array| Arc::new(array) as ArrayRef)
        }
        (DataType::List(_), DataType::LargeList(item)) => {
            let list = array.as_list::<i32>();
            let values = convert(list.values(), item.data_type())?;
            let offsets = arrow_buffer::OffsetBuffer::from_lengths(list.offsets().lengths());
            let converted = LargeListArray::try_new(Arc::clone(item), offsets, values, list.nulls().cloned());
            converted.ok().map(|array| Arc::new(array) as ArrayRef)
        }
        // Arrow's own parser drops fractions, times of day and offsets that the type has no room for.
        (DataType::Utf8, target) if target.is_temporal() => dates::convert_to(array, target),
        (DataType::Float64, target) if target.is_decimal() => decimals::of_floats(array, target),
        // Which digits come out of it is Arrow's own affair.
        (natural, target) if holds(natural, DataType::is_floating) && holds(target, DataType::is_decimal) => None,
        (natural, target) => {
            let converted = strictly(array, target)?;
            let back = strictly(&converted, natural)?;
            (back.as_ref() == array.as_ref() && is_sound(&converted)).then_some(converted)
        }
    }
}

/// Whether there are such values: Arrow takes any number for a moment, and text that says so for an infinity.
fn is_sound(array: &ArrayRef) -> bool {
    if array.data_type().is_floating() {
        let floats = strictly(array, &DataType::Float64);
        return floats.is_some_and(|floats| floats.as_primitive::<Float64Type>().iter().flatten().all(f64::is_finite));
    }
    dates::are_there(array)
}

/// Whether a type is one that is sought, or holds one.
fn holds(data_type: &DataType, is_sought: fn(&DataType) -> bool) -> bool {
    is_sought(data_type)
        || match data_type {
            DataType::List(item)
            | DataType::LargeList(item)
            | DataType::FixedSizeList(item, _)
            | DataType::ListView(item)
            | DataType::LargeListView(item)
            | DataType::Map(item, _) => holds(item.data_type(), is_sought),
            DataType::Struct(fields) => fields.iter().any(|field| holds(field.data_type(), is_sought)),
            DataType::Dictionary(_, values) => holds(values, is_sought),
            DataType::RunEndEncoded(_, values) => holds(values.data_type(), is_sought),
            _ => false,
        }
}

/// Arrow's cast, which fails where a value has none.
pub(super) fn strictly(array: &ArrayRef, target: &DataType) -> Option<ArrayRef> {
    cast_with_options(array, target, &CastOptions { safe: false, ..CastOptions::default() }).ok()
}
