//! Bytes of the body that were fed and not read yet: what is left of a row, or what waits after a batch.
//!
//! Of a row of several megabytes this is much, and a stream has to do with little: so it is where it can grow in its
//! place, and what is taken away goes back at once.

use crate::rows::memory::{Pages, Values, append_bytes};

/// Taken from the front; what was taken goes when it is half of all, so that taking a little often costs linear time.
#[derive(Debug)]
pub(in crate::rows) struct Rest {
    bytes: Values<u8>,
    start: usize,
}

impl Default for Rest {
    fn default() -> Self {
        Self { bytes: Values::new_in(Pages), start: 0 }
    }
}

impl Rest {
    pub(in crate::rows) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    pub(in crate::rows) fn len(&self) -> usize {
        self.bytes.len() - self.start
    }

    pub(in crate::rows) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(in crate::rows) fn extend_from_slice(&mut self, bytes: &[u8]) {
        append_bytes(&mut self.bytes, bytes);
    }

    /// Takes the first `count` bytes away.
    pub(in crate::rows) fn skip(&mut self, count: usize) {
        self.start += count;
        if self.start >= self.bytes.len() - self.start {
            let left = self.len();
            self.bytes.copy_within(self.start.., 0);
            self.bytes.truncate(left);
            self.bytes.shrink_to_fit();
            self.start = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_what_is_left_of_a_plain_vector(steps in proptest::collection::vec((any::<bool>(), 0usize..40), 0..40)) {
            let (mut rest, mut plain) = (Rest::default(), Vec::new());
            for (is_more, count) in steps {
                if is_more {
                    let more: Vec<u8> = (0..count).map(|at| (at + plain.len()) as u8).collect();
                    rest.extend_from_slice(&more);
                    plain.extend(more);
                } else {
                    let count = count.min(plain.len());
                    rest.skip(count);
                    plain.drain(..count);
                }
                prop_assert_eq!((rest.bytes(), rest.len(), rest.is_empty()), (&plain[..], plain.len(), plain.is_empty()));
                prop_assert!(rest.start <= rest.len());
            }
        }
    }
}
