//! Types of which each value takes the same memory, however little of it is there: lists and bytes of a fixed size.
//!
//! A few bytes of a schema and of the body ask for any number of cells of them. So before a column is made of such a
//! type they are counted, those that the values have by nature beside those that the type takes.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, FieldRef};

use super::nested::holds;

/// More cells than this beside those that there are by nature, and no such type is made.
const MOST_CELLS: u64 = 256 << 20;

/// Why it is not.
pub(in crate::rows) const TOO_LARGE: &str = "it would take far more memory than its values";

/// The cells of all values of such types in a table.
#[derive(Debug, Default)]
pub(in crate::rows) struct Padding {
    taken: u64,
    natural: u64,
}

impl Padding {
    /// Counts the cells that these values take as a type, where it is one of a fixed size or such are in it. `false`
    /// where those are too many, with all that were counted before: then no column is made of such a type.
    pub(super) fn has_room_for(&mut self, array: &ArrayRef, wanted: &DataType) -> bool {
        if !holds(wanted, is_of_fixed_size) {
            return true;
        }
        self.natural = self.natural.saturating_add(values_in(array));
        self.taken = self.taken.saturating_add(cells_in_arrays(array, wanted));
        self.has_room_for_nulls(array.len(), wanted)
    }

    /// The same for so many nulls.
    pub(in crate::rows) fn has_room_for_nulls(&mut self, nulls: usize, wanted: &DataType) -> bool {
        if !holds(wanted, is_of_fixed_size) {
            return true;
        }
        self.taken = self.taken.saturating_add((nulls as u64).saturating_mul(cells_of_value(wanted)));
        !self.is_full()
    }

    /// Whether there are too many cells.
    pub(super) fn is_full(&self) -> bool {
        self.taken > MOST_CELLS.saturating_add(self.natural)
    }
}

/// Whether a type is one of a fixed size itself.
pub(super) fn is_of_fixed_size(data_type: &DataType) -> bool {
    matches!(data_type, DataType::FixedSizeList(..) | DataType::FixedSizeBinary(_))
}

/// How many cells each value of a type takes, of eight bytes where they are bytes; those in arrays of any length are
/// others.
fn cells_of_value(data_type: &DataType) -> u64 {
    match data_type {
        DataType::FixedSizeList(item, size) => {
            u64::from(size.unsigned_abs()).saturating_mul(cells_of_value(item.data_type()))
        }
        DataType::FixedSizeBinary(size) => u64::from(size.unsigned_abs()).div_ceil(8),
        DataType::Struct(members) => {
            members.iter().fold(0, |cells, member| cells.saturating_add(cells_of_value(member.data_type())))
        }
        _ => 1,
    }
}

/// How many cells of a type the elements of these values' arrays take.
fn cells_in_arrays(array: &ArrayRef, wanted: &DataType) -> u64 {
    match (array.data_type(), wanted) {
        (DataType::Struct(there), DataType::Struct(members)) => {
            let of_member = |member: &FieldRef| {
                let (at, _) = there.find(member.name())?;
                Some(cells_in_arrays(array.as_struct().column(at), member.data_type()))
            };
            members.iter().filter_map(of_member).fold(0, u64::saturating_add)
        }
        (DataType::List(_), DataType::FixedSizeList(item, _)) => {
            cells_in_arrays(array.as_list::<i32>().values(), item.data_type())
        }
        (
            DataType::List(_),
            DataType::List(item) | DataType::LargeList(item) | DataType::ListView(item) | DataType::LargeListView(item),
        ) => {
            let values = array.as_list::<i32>().values();
            let of_values = (values.len() as u64).saturating_mul(cells_of_value(item.data_type()));
            of_values.saturating_add(cells_in_arrays(values, item.data_type()))
        }
        (_, DataType::Dictionary(_, values)) => cells_in_arrays(array, values),
        (_, DataType::RunEndEncoded(_, values)) => cells_in_arrays(array, values.data_type()),
        _ => 0,
    }
}

/// How many values there are, those of members and of elements included.
fn values_in(array: &ArrayRef) -> u64 {
    let within = match array.data_type() {
        DataType::Struct(_) => array.as_struct().columns().iter().map(values_in).sum(),
        DataType::List(_) => values_in(array.as_list::<i32>().values()),
        _ => 0,
    };
    array.len() as u64 + within
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::Int64Type;
    use arrow_array::{ListArray, new_null_array};
    use arrow_schema::Field;

    use super::*;

    fn fixed(item: DataType, size: i32) -> DataType {
        DataType::FixedSizeList(Arc::new(Field::new_list_field(item, true)), size)
    }

    fn has_room(array: &ArrayRef, wanted: &DataType) -> bool {
        Padding::default().has_room_for(array, wanted)
    }

    #[test]
    fn what_is_there_has_room_and_what_a_size_adds_has_as_long_as_it_is_little() {
        let lists = ListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(1); 3]), None]);
        let nested: ArrayRef = Arc::new(lists);
        let members = (0..1_000).map(|at| Field::new(format!("f{at}"), DataType::Int64, true)).collect();
        let views = |item| DataType::ListView(Arc::new(Field::new_list_field(item, true)));
        for (wanted, expected) in [
            (fixed(DataType::Int64, 3), true),
            (fixed(DataType::Int64, 1 << 26), true),
            (fixed(DataType::Int64, 1 << 28), false),
            (fixed(DataType::FixedSizeBinary(1 << 30), 1), true),
            (fixed(DataType::FixedSizeBinary(1 << 30), 2), false),
            (fixed(DataType::Struct(members), 1 << 20), false),
            (views(fixed(DataType::Int64, 1 << 27)), false),
            (DataType::Int64, true),
        ] {
            assert_eq!(has_room(&nested, &wanted), expected, "{wanted}");
        }
    }

    #[test]
    fn all_columns_share_what_room_there_is() {
        let (null, wanted) = (new_null_array(&DataType::Null, 1), fixed(DataType::Int64, 1 << 27));
        let mut padding = Padding::default();
        let has_room: Vec<bool> = (0..4).map(|_| padding.has_room_for(&null, &wanted)).collect();
        assert_eq!((has_room, padding.is_full()), (vec![true, true, false, false], true));
    }
}
