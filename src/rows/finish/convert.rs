//! Types a caller asked for: a column is converted only if every value of it survives that unchanged, and so is a member of one.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use hashbrown::{HashMap, HashSet};

use super::cast::{convert, strictly};
use super::dates::Dates;
use super::notes::{Remark, note_on};
use super::type_name::type_name;
use super::within::{Place, complete, differences, give_up};
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
    Type { target: DataType, lost: Vec<Lost>, distinct: Distinct },
    Dates { dates: Dates, is_named: bool },
}

/// A type that was asked for, of a column or within one, and that not all of its values have.
#[derive(Debug)]
struct Lost {
    path: String,
    message: String,
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
            Wish::Type { target, lost, distinct } => loop {
                let place = match convert(array, target) {
                    Ok(converted) if distinct.have_keys(&converted) => break Some(converted),
                    Ok(_) => Place::default(),
                    Err(place) => place,
                };
                lost.push(lose(target, &column.natural, &column.name, &place));
            },
            Wish::Dates { dates, .. } => {
                dates.observe(array);
                None
            }
            Wish::Nothing => None,
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
            let (is_lost, why) = match &mut column.wish {
                Wish::Nothing => continue,
                Wish::Type { target, lost, .. } => {
                    let notes = lost.drain(..).map(|lost| note_on(&lost.path, &lost.message));
                    remarks.extend(notes.map(|note| remark(note, Some(at))));
                    (*target == column.natural, None)
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

    /// The paths that become something else than they are, of a column and within it, as notes have them.
    pub(in crate::rows) fn converted(&self) -> HashSet<Option<String>> {
        let mut paths = HashSet::new();
        for (at, column) in self.columns.iter().enumerate() {
            if let Some(target) = self.target(at) {
                differences(&target, &column.natural, &column.name, &mut |path| {
                    paths.insert(note_on(path, "").column);
                });
            }
        }
        paths
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
            Wish::Type { target, .. } => convert(array, target).ok(),
            Wish::Dates { dates, .. } => dates.convert(array),
        }
    }
}

/// Gives up the type asked for at a place of a column, and says so.
fn lose(target: &mut DataType, natural: &DataType, name: &str, place: &Place) -> Lost {
    let mut path = name.to_owned();
    let (asked, kept) = give_up(target, natural, place, &mut path);
    let (asked, kept) = (type_name(&asked), type_name(&kept));
    Lost {
        path,
        message: format!("asked for as {asked}, kept as {kept}: not everything in it is known to survive that"),
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
            let natural = shape.data_type();
            let mut target = complete(target, &natural);
            if target == natural {
                return Wish::Nothing;
            }
            let lost = if may_be_full(&target) {
                vec![lose(&mut target, &natural, name, &Place::default())]
            } else {
                Vec::new()
            };
            return Wish::Type { target, lost, distinct: Distinct::default() };
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
