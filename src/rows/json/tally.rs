//! What is counted of values, the same whether they become cells or text.

/// Since the first value.
#[derive(Debug, Default, Clone, Copy)]
pub(in crate::rows) struct Tally {
    /// Lone surrogates that became U+FFFD.
    pub(in crate::rows) lone_surrogates: u64,
    /// Elements of arrays that begin with an object, an array or null: those that may have cells of many columns for a
    /// few bytes.
    pub(in crate::rows) elements: u64,
}

impl Tally {
    /// Adds what was counted of other values.
    pub(in crate::rows) fn add(&mut self, Self { lone_surrogates, elements }: Self) {
        self.lone_surrogates += lone_surrogates;
        self.elements += elements;
    }

    /// Counts the elements of an array whose first begins with `byte`. If the first element is anything but an object,
    /// an array or null, objects after it make the column text and have no cells.
    #[inline]
    pub(in crate::rows) fn array(&mut self, byte: u8, elements: usize) {
        if matches!(byte, b'{' | b'[' | b'n') {
            self.elements += elements as u64;
        }
    }
}
