//! Types whose nulls take as much memory as values: lists and bytes of a fixed size.

use arrow_schema::DataType;

/// More cells than this for nulls alone, and a type is not made: a few bytes of the body ask for each of them.
const MOST_CELLS: u64 = 256 << 20;

/// The cells that nulls of one type take.
#[derive(Debug, Default)]
pub(in crate::rows) struct Padding {
    cells: u64,
}

impl Padding {
    /// Whether so many nulls of a type may come to those before.
    pub(in crate::rows) fn has_room_for(&mut self, nulls: usize, data_type: &DataType) -> bool {
        self.cells = self.cells.saturating_add((nulls as u64).saturating_mul(cells_of_null(data_type)));
        self.cells <= MOST_CELLS
    }
}

/// How many cells a null takes that no other type would have: of eight bytes, where they are bytes.
fn cells_of_null(data_type: &DataType) -> u64 {
    match data_type {
        DataType::FixedSizeList(item, size) => {
            u64::from(size.unsigned_abs()).saturating_mul(cells_of_null(item.data_type()).max(1))
        }
        DataType::FixedSizeBinary(size) => u64::from(size.unsigned_abs()) / 8,
        DataType::Struct(members) => {
            members.iter().fold(0, |cells, member| cells.saturating_add(cells_of_null(member.data_type())))
        }
        _ => 0,
    }
}
