//! How reading ahead went so far, which says whether it goes on.

use super::in_flight::MIN_IN_FLIGHT;

/// After this many wrong guesses of where a row ends, braces are counted instead.
const WRONG_GUESSES: usize = 2;

/// Reading ahead stops when more than this many blocks had to be read again; every [`GOOD_FOR_BAD`] that were taken
/// over allow one more.
const BAD_BLOCKS: usize = 4;
const GOOD_FOR_BAD: usize = 4;

/// When a column becomes text, the blocks already in flight that still have it as structs or lists are re-read, and
/// none after them. So this many count as one failure.
const FOR_ONE_TEXT: usize = MIN_IN_FLIGHT;

#[derive(Default)]
pub(super) struct Record {
    /// Blocks whose rows were taken over, and those that had to be read again.
    pub(super) good: usize,
    pub(super) bad: usize,
    /// Those that were read again because that took less time.
    quicker_again: usize,
    /// How often a block was cut where no row ended.
    wrong_guesses: usize,
}

impl Record {
    /// Takes note of a block whose rows were taken over.
    pub(super) fn took_over(&mut self) {
        self.good += 1;
    }

    /// Takes note of a block that had to be read again.
    pub(super) fn read_again(&mut self) {
        self.bad += 1;
    }

    /// Takes note of a block that was read again for what has become text.
    pub(super) fn read_quicker_again(&mut self) {
        self.quicker_again += 1;
    }

    /// Whether reading ahead still gains more than it costs.
    pub(super) fn is_good(&self) -> bool {
        self.bad + self.quicker_again / FOR_ONE_TEXT <= BAD_BLOCKS + self.good / GOOD_FOR_BAD
    }

    /// Takes note of a guess that was wrong; `true` where no other is to be made.
    pub(super) fn guessed_wrong(&mut self) -> bool {
        self.wrong_guesses += 1;
        self.wrong_guesses == WRONG_GUESSES
    }
}
