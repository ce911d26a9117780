//! Bytes of the body that were fed and not read yet: what is left of a row, or what waits behind a batch.

/// Taken from the front; what was taken goes when it is half of all, so that taking a little often costs linear time.
#[derive(Debug, Default)]
pub(super) struct Rest {
    bytes: Vec<u8>,
    start: usize,
}

impl Rest {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.start
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn extend_from_slice(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Takes the first `count` bytes away.
    pub(super) fn skip(&mut self, count: usize) {
        self.start += count;
        if self.start >= self.bytes.len() - self.start {
            *self = Self { bytes: self.bytes().to_vec(), start: 0 };
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
