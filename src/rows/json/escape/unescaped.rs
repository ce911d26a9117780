//! Where a string with escapes is laid out that has no place to stay.

use crate::rows::memory::{Pages, Values};

/// A string, or what is left of the last one. Kept between strings, so that few of them ask for memory.
#[derive(Debug)]
pub(in crate::rows) struct Unescaped(pub(in crate::rows::json) Values<u8>);

impl Default for Unescaped {
    fn default() -> Self {
        Self(Values::new_in(Pages))
    }
}

impl Unescaped {
    /// Gives back all but `kept` bytes.
    pub(in crate::rows) fn forget(&mut self, kept: usize) {
        self.0.clear();
        self.0.shrink_to(kept);
    }
}
