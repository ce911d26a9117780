//! The hand-over: blocks that were read ahead, in the order of the body.
//!
//! The rows of a block are taken over where the sequential reading has come to stand between two rows exactly where the
//! block begins, for there it would read the same itself. Otherwise it reads the block, and the reading ahead was for
//! nothing.

use crate::rows::error::DecodeError;
use crate::rows::sequential::Sequential;

use super::blocks::Handover;
use super::boundary::Boundary;
use super::in_flight::Returned;

/// So many wrong guesses of where a row ends, and the braces of rows are counted instead.
const WRONG_GUESSES: usize = 2;

/// All is left to one thread once more blocks than this had to be read again; for every [`GOOD_FOR_BAD`] that were
/// taken over, one more may.
const BAD_BLOCKS: usize = 4;
const GOOD_FOR_BAD: usize = 4;

impl Handover {
    /// Hands over what is read by now.
    pub(super) fn hand_over_finished(&mut self, sequential: &mut Sequential) -> Result<(), DecodeError> {
        while let Some(returned) = self.in_flight.take_finished() {
            self.hand_over(returned, sequential)?;
        }
        Ok(())
    }

    /// Hands over the next block, whoever has to read it first. `false` where there is none.
    pub(super) fn hand_over_next(&mut self, sequential: &mut Sequential) -> Result<bool, DecodeError> {
        let Some(returned) = self.in_flight.take_next() else { return Ok(false) };
        self.hand_over(returned, sequential).map(|()| true)
    }

    /// Hands over the block that was the first in flight: its rows where they were read ahead, else its bytes.
    fn hand_over(&mut self, returned: Returned, sequential: &mut Sequential) -> Result<(), DecodeError> {
        let Returned { block, ahead } = returned;
        let mut taken = 0;
        let is_in_place = sequential.stands_between_rows();
        if is_in_place && let Some(ahead) = ahead {
            let whole_rows = ahead.taken;
            if sequential.adopt(ahead) {
                taken = whole_rows;
            }
        }
        if taken > 0 {
            self.good += 1;
        } else {
            self.bad += 1;
        }
        if taken < block.len() {
            sequential.feed(&block[taken..])?;
        }
        if !sequential.is_in_rows() || !self.is_worth_it(sequential) {
            return self.leave(sequential);
        }
        if !is_in_place && matches!(self.boundary, Some(Boundary::Guess(_))) {
            self.wrong_guesses += 1;
            if self.wrong_guesses == WRONG_GUESSES {
                self.boundary = Some(Boundary::Counted);
                self.is_misplaced = true;
            }
        }
        Ok(())
    }

    /// Whether reading ahead still gains more than it costs.
    fn is_worth_it(&self, sequential: &Sequential) -> bool {
        let are_mostly_taken = self.bad <= BAD_BLOCKS + self.good / GOOD_FOR_BAD;
        are_mostly_taken && !sequential.reads_alone() && !sequential.has_many_columns()
    }

    /// Hands over what is in flight and has the rest read as it stands.
    pub(super) fn resume(&mut self, sequential: &mut Sequential) -> Result<(), DecodeError> {
        while self.hand_over_next(sequential)? {}
        sequential.feed(&std::mem::take(&mut self.filling))
    }

    /// Leaves everything from here on to one thread.
    pub(super) fn leave(&mut self, sequential: &mut Sequential) -> Result<(), DecodeError> {
        self.is_over = true;
        for block in self.in_flight.recall() {
            sequential.feed(&block)?;
        }
        sequential.feed(&std::mem::take(&mut self.filling))
    }
}
