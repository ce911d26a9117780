//! What is counted of values, the same whether they become cells or text.

/// Since the first value.
#[derive(Debug, Default, Clone, Copy)]
pub(in crate::rows) struct Tally {
    /// Lone surrogates that became U+FFFD.
    pub(in crate::rows) lone_surrogates: u64,
    /// Elements of arrays that are objects, arrays or null: those that may have cells of many columns for a few bytes.
    pub(in crate::rows) elements: u64,
}

impl Tally {
    /// Counts an element that begins with `byte`.
    #[inline]
    pub(in crate::rows) fn element(&mut self, byte: u8) {
        self.elements += u64::from(matches!(byte, b'{' | b'[' | b'n'));
    }
}
