//! Where strings with escapes are laid out for a moment, kept between strings.

use crate::rows::memory::{Pages, Values};

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
