//! Types of which each value takes the same memory, however little of it is there: lists and bytes of a fixed size.
//!
//! Their nulls take as much as their values, so a few bytes of a schema and of the body ask for any amount of memory.
//! Values do not, for a value of another length is not of the type.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, FieldRef};

use super::nested::contains_type;

/// The most memory that the nulls of a table may take: 2 GiB, as [`TOO_LARGE`] says.
const MOST_BITS: u64 = 2 << 30 << 3;

/// Why a type whose nulls would take more is not made.
pub(in crate::rows) const TOO_LARGE: &str =
    "its nulls would take more than the 2 GiB that those of a fixed size may take in a table";

/// What the nulls of a table may still take, in bits.
#[derive(Debug)]
pub(in crate::rows) struct PaddingBudget {
    left: u64,
}

impl Default for PaddingBudget {
    fn default() -> Self {
        Self { left: MOST_BITS }
    }
}

impl PaddingBudget {
    /// Takes `bits` bits; `false` where there are not so many left, and then none are taken.
    pub(in crate::rows) fn take(&mut self, bits: u64) -> bool {
        let left = self.left.checked_sub(bits);
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }
}

/// The smallest request, in bits, that has to be dropped if the largest are dropped until the rest fit; `None` if all
/// fit. Equal requests are to be dropped together.
pub(in crate::rows) fn smallest_to_drop(mut asked: Vec<u64>) -> Option<u64> {
    asked.sort_unstable();
    let mut budget = PaddingBudget::default();
    asked.into_iter().find(|&bits| !budget.take(bits))
}

/// Whether `bits` bits are too many even if nothing else takes any.
pub(super) fn exceeds_budget(bits: u64) -> bool {
    bits > MOST_BITS
}

/// How many bits so many nulls of a type take, if that is of a fixed size.
pub(in crate::rows) fn padding_bits(nulls: usize, wanted: &DataType) -> u64 {
    if contains_type(wanted, is_of_fixed_size) { (nulls as u64).saturating_mul(bits_of_value(wanted)) } else { 0 }
}

/// How many bits the nulls of an array, and of what is in it, take as a type; `None` where a value has another length
/// than that has.
pub(super) fn padding_bits_if_lengths_match(array: &ArrayRef, wanted: &DataType) -> Option<u64> {
    if !contains_type(wanted, is_of_fixed_size) {
        return Some(0);
    }
    let of_nulls = || padding_bits(array.logical_null_count(), wanted);
    match (array.data_type(), wanted) {
        (DataType::Null, _) => Some(of_nulls()),
        (DataType::Struct(there), DataType::Struct(members)) => {
            let of_member = |bits: u64, member: &FieldRef| match there.find(member.name()) {
                Some((at, _)) => {
                    let within = padding_bits_if_lengths_match(array.as_struct().column(at), member.data_type())?;
                    Some(bits.saturating_add(within))
                }
                None => Some(bits.saturating_add(padding_bits(array.len(), member.data_type()))),
            };
            members.iter().try_fold(0, of_member)
        }
        (DataType::List(_), DataType::FixedSizeList(item, size)) => {
            let lists = array.as_list::<i32>();
            let lengths = lists.offsets().lengths().enumerate();
            let is_other = |(at, length): (usize, usize)| lists.is_valid(at) && i32::try_from(length) != Ok(*size);
            if lengths.into_iter().any(is_other) {
                return None;
            }
            Some(of_nulls().saturating_add(padding_bits_if_lengths_match(lists.values(), item.data_type())?))
        }
        (
            DataType::List(_),
            DataType::List(item) | DataType::LargeList(item) | DataType::ListView(item) | DataType::LargeListView(item),
        ) => padding_bits_if_lengths_match(array.as_list::<i32>().values(), item.data_type()),
        (DataType::Utf8, DataType::FixedSizeBinary(size)) => {
            let is_other = |text: &str| i32::try_from(text.len()) != Ok(*size);
            if array.as_string::<i32>().iter().flatten().any(is_other) { None } else { Some(of_nulls()) }
        }
        (_, DataType::Dictionary(_, values)) => padding_bits_if_lengths_match(array, values),
        (_, DataType::RunEndEncoded(_, values)) => padding_bits_if_lengths_match(array, values.data_type()),
        // A value of another kind is none of the type.
        _ => (array.logical_null_count() == array.len()).then(of_nulls),
    }
}

/// Whether a type is one of a fixed size itself.
fn is_of_fixed_size(data_type: &DataType) -> bool {
    matches!(data_type, DataType::FixedSizeList(..) | DataType::FixedSizeBinary(_))
}

/// How many bits each value of a type takes, but for what is in texts and in arrays of any length.
fn bits_of_value(data_type: &DataType) -> u64 {
    match data_type {
        DataType::FixedSizeList(item, size) => {
            u64::from(size.unsigned_abs()).saturating_mul(bits_of_value(item.data_type()))
        }
        DataType::FixedSizeBinary(size) => 8 * u64::from(size.unsigned_abs()),
        DataType::Struct(members) => {
            members.iter().fold(1, |bits, member| bits.saturating_add(bits_of_value(member.data_type())))
        }
        DataType::Boolean => 2,
        DataType::Utf8View | DataType::BinaryView | DataType::LargeListView(_) => 128,
        other => other.primitive_width().map_or(64, |bytes| 8 * bytes as u64),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::Int64Type;
    use arrow_array::{ListArray, StringArray};
    use arrow_schema::Field;

    use super::*;

    fn fixed(item: DataType, size: i32) -> DataType {
        DataType::FixedSizeList(Arc::new(Field::new_list_field(item, true)), size)
    }

    #[test]
    fn nulls_take_as_many_bits_as_values_do_and_values_of_another_length_are_none() {
        let lists: ArrayRef =
            Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(1), None, Some(1)]), None]));
        let members = (0..10).map(|at| Field::new(format!("f{at}"), DataType::Int64, true)).collect();
        let views = |item| DataType::ListView(Arc::new(Field::new_list_field(item, true)));
        for (wanted, expected) in [
            (fixed(DataType::Int64, 3), Some(3 * 64)),
            (fixed(DataType::Int64, 4), None),
            (views(DataType::Int64), Some(0)),
            (views(fixed(DataType::Int64, 1)), None),
            (DataType::Int64, Some(0)),
        ] {
            assert_eq!(padding_bits_if_lengths_match(&lists, &wanted), expected, "{wanted}");
        }
        assert_eq!(padding_bits(2, &fixed(DataType::Struct(members), 100)), 200 * (10 * 64 + 1));
        assert_eq!(padding_bits(2, &fixed(DataType::Boolean, 100)), 400);
        let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("0123456789abcdef"), None]));
        assert_eq!(padding_bits_if_lengths_match(&texts, &DataType::FixedSizeBinary(16)), Some(128));
        assert_eq!(padding_bits_if_lengths_match(&texts, &DataType::FixedSizeBinary(17)), None);
    }

    #[test]
    fn what_finds_no_room_takes_none() {
        let mut budget = PaddingBudget::default();
        let taken: Vec<bool> = [MOST_BITS / 2, MOST_BITS, MOST_BITS / 2, 1].map(|bits| budget.take(bits)).into();
        assert_eq!(taken, [true, false, true, false]);
    }
}
