//! How reading ahead went so far, which says whether it goes on.

/// After this many wrong guesses of where a row ends, braces are counted instead.
const WRONG_GUESSES: usize = 2;

/// Reading ahead stops when more than this many chunks had to be read again.
const BAD_CHUNKS: usize = 4;
/// Every so many chunks that were taken over allow one more to be read again.
const GOOD_FOR_BAD: usize = 4;

pub(super) struct TrackRecord {
    /// How many chunks may be in flight.
    in_flight: usize,
    /// Chunks whose rows were taken over, and those that had to be read again.
    pub(super) good: usize,
    pub(super) bad: usize,
    /// Those that were read again because that took less time. When a column becomes text this happens to the chunks in
    /// flight, which have it as structs or lists, and to none after them. So as many as may be in flight count as one.
    quicker_again: usize,
    /// How often a chunk was cut where no row ended.
    wrong_guesses: usize,
}

impl TrackRecord {
    pub(super) fn new(in_flight: usize) -> Self {
        Self { in_flight, good: 0, bad: 0, quicker_again: 0, wrong_guesses: 0 }
    }

    /// Takes note of a chunk whose rows were taken over.
    pub(super) fn took_over(&mut self) {
        self.good += 1;
    }

    /// Takes note of a chunk that had to be read again.
    pub(super) fn read_again(&mut self) {
        self.bad += 1;
    }

    /// Takes note of a chunk that was read again for what has become text.
    pub(super) fn read_quicker_again(&mut self) {
        self.quicker_again += 1;
    }

    /// Whether reading ahead still gains more than it costs.
    pub(super) fn is_good(&self) -> bool {
        self.bad + self.quicker_again / self.in_flight <= BAD_CHUNKS + self.good / GOOD_FOR_BAD
    }

    /// Takes note of a guess that was wrong; `true` where no other is to be made.
    pub(super) fn guessed_wrong(&mut self) -> bool {
        self.wrong_guesses += 1;
        self.wrong_guesses == WRONG_GUESSES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_column_that_becomes_text_does_not_end_reading_ahead_however_many_threads_there_are() {
        for in_flight in [3, 4, 16] {
            let mut record = TrackRecord::new(in_flight);
            (0..=in_flight).for_each(|_| record.read_quicker_again());
            assert!(record.is_good());
            (0..5 * in_flight).for_each(|_| record.read_quicker_again());
            assert!(!record.is_good());
        }
    }
}
