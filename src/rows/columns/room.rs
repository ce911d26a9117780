//! Room for values that are still to come: a column that grows step by step is copied at each.

use super::{Column, Store};

impl Column {
    /// Makes room for so many times the values that there are.
    pub(in crate::rows) fn make_room(&mut self, times: usize) {
        match &mut self.store {
            // Bits take little.
            Store::Null(_) | Store::Boolean(_) => {}
            Store::Int64(values) => values.make_room(times),
            Store::UInt64(values) => values.make_room(times),
            Store::Float64(values) => values.make_room(times),
            Store::Text(values) => values.make_room(times),
            Store::List(list) => list.make_room(times),
            Store::Struct(fields) => fields.make_room(times),
        }
    }
}
