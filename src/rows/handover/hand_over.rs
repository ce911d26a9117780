//! The hand-over: blocks that were read ahead, in the order of the body.
//!
//! The rows of a block are taken over where the sequential reading has come to stand between two rows exactly where the
//! block begins, for there it would read the same itself; unless what is text by now became columns in the block, of
//! which text is written more slowly than read. Otherwise it reads the block, and the reading ahead was for nothing.

use crate::rows::error::DecodeError;
use crate::rows::sequential::{Adopted, Sequential};

use super::blocks::Handover;
use super::boundary::Boundary;
use super::in_flight::Returned;

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
        let is_in_place = sequential.stands_between_rows();
        let ahead = ahead.filter(|_| is_in_place);
        let whole_rows = ahead.as_ref().map_or(0, |ahead| ahead.taken);
        let adopted = ahead.map_or(Adopted::Nothing, |ahead| sequential.adopt(ahead));
        let taken = if adopted == Adopted::Rows { whole_rows } else { 0 };
        match adopted {
            Adopted::Rows if taken > 0 => self.record.took_over(),
            Adopted::Rows | Adopted::Nothing => self.record.read_again(),
            Adopted::QuickerToReadAgain => self.record.read_quicker_again(),
        }
        if taken < block.len() {
            sequential.feed(&block[taken..])?;
        }
        if !sequential.is_in_rows() || !self.record.is_good() || sequential.reads_alone() {
            return self.leave(sequential);
        }
        let is_guess = matches!(self.boundary, Some(Boundary::Guess(_)));
        if !is_in_place && is_guess {
            self.boundary = if self.record.guessed_wrong() { Some(Boundary::Counted) } else { None };
            self.is_misplaced = true;
        }
        Ok(())
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

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::rows::limits::Limits;
    use crate::rows::options::{DecodeOptions, Form};

    #[test]
    fn of_rows_that_are_alike_every_block_is_taken_over() {
        const HEAD: usize = 5_000;
        let rows: Vec<String> = (0..20_000).map(|at| format!("{{\"id\":{at},\"name\":\"n{at}\"}}")).collect();
        let body = Bytes::from(format!("[{}]", rows.join(",")));
        let options = DecodeOptions {
            form: Form::Any,
            threads: 2,
            limits: Limits { block_bytes: 60_000, ..Limits::default() },
            ..DecodeOptions::default()
        };
        for is_whole in [true, false] {
            let mut sequential = Sequential::new(options.clone());
            sequential.feed(&body[..HEAD]).unwrap();
            let mut handover = Handover::start(&options, &sequential).unwrap();
            sequential.roll_segment();
            if is_whole {
                handover.feed_whole(&body, &mut sequential).unwrap();
            } else {
                body[HEAD..].chunks(7_000).for_each(|piece| handover.feed(piece, &mut sequential).unwrap());
                handover.end(&mut sequential).unwrap();
            }
            sequential.end().unwrap();
            assert_eq!(sequential.rows_read(), 20_000);
            let (good, bad) = (handover.record.good, handover.record.bad);
            assert!(good >= 8 && bad == 0, "{good} {bad}");
        }
    }
}
