//! The hand-over: chunks that were read ahead are given to the sequential reading, in the order of the body. It takes
//! their rows over if it is sure to read the same and to meet no limit. It refuses one more kind of chunk for speed:
//! one with objects or arrays in a column that earlier rows have turned into text. To read such a chunk again is
//! quicker than to write those values as text.

use crate::rows::error::DecodeError;
use crate::rows::sequential::{Adopted, RowsAhead, Sequential};

use super::boundary::Boundary;
use super::chunks::Handover;
use super::in_flight::Returned;

impl Handover {
    /// Hands over what is read by now.
    pub(super) fn hand_over_finished(&mut self, sequential: &mut Sequential) -> Result<(), DecodeError> {
        while let Some(returned) = self.in_flight.take_finished() {
            self.hand_over(returned, sequential)?;
        }
        Ok(())
    }

    /// Hands over the next chunk, whoever has to read it first. `false` where there is none.
    pub(super) fn hand_over_next(&mut self, sequential: &mut Sequential) -> Result<bool, DecodeError> {
        let Some(returned) = self.in_flight.take_next() else { return Ok(false) };
        self.hand_over(returned, sequential).map(|()| true)
    }

    /// Hands over the chunk that was the first in flight: its rows where they were read ahead, else its bytes.
    fn hand_over(&mut self, returned: Returned, sequential: &mut Sequential) -> Result<(), DecodeError> {
        let Returned { chunk, ahead } = returned;
        // All bytes before the chunk were given to it, so where it has none left over it stands where the chunk begins.
        let is_in_place = sequential.stands_between_rows();
        let taken = self.take_over(ahead.filter(|_| is_in_place), sequential);
        if taken < chunk.len() {
            sequential.feed(&chunk[taken..])?;
        }
        if !sequential.is_in_rows() || !self.record.is_good() || sequential.must_read_alone() {
            return self.fall_back(sequential);
        }
        if !is_in_place && matches!(self.boundary, Some(Boundary::Guess(_))) {
            self.guess_anew();
        }
        Ok(())
    }

    /// Takes over what was read ahead, if any of it may be, and says how many bytes need not be read again.
    fn take_over(&mut self, ahead: Option<RowsAhead>, sequential: &mut Sequential) -> usize {
        let taken = ahead.as_ref().map_or(0, |ahead| ahead.taken);
        match ahead.map_or(Adopted::Nothing, |ahead| sequential.adopt(ahead)) {
            Adopted::Rows if taken > 0 => {
                self.record.took_over();
                return taken;
            }
            Adopted::Rows | Adopted::Nothing => self.record.read_again(),
            Adopted::QuickerToReadAgain => self.record.read_quicker_again(),
        }
        0
    }

    /// Has the next chunk cut anew: by another guess, or by counting braces once too many were wrong.
    fn guess_anew(&mut self) {
        self.boundary = self.record.guessed_wrong().then_some(Boundary::Counted);
        self.is_misplaced = true;
    }

    /// Hands over what is in flight and has the rest read as it stands.
    pub(super) fn drain(&mut self, sequential: &mut Sequential) -> Result<(), DecodeError> {
        while self.hand_over_next(sequential)? {}
        sequential.feed(&std::mem::take(&mut self.filling))
    }

    /// Leaves everything from here on to one thread.
    pub(super) fn fall_back(&mut self, sequential: &mut Sequential) -> Result<(), DecodeError> {
        self.is_over = true;
        for chunk in self.in_flight.cancel() {
            sequential.feed(&chunk)?;
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
    fn of_rows_that_are_alike_every_chunk_is_taken_over() {
        const HEAD: usize = 5_000;
        let rows: Vec<String> = (0..20_000).map(|at| format!("{{\"id\":{at},\"name\":\"n{at}\"}}")).collect();
        let body = Bytes::from(format!("[{}]", rows.join(",")));
        let options = DecodeOptions {
            form: Form::Any,
            threads: 2,
            limits: Limits { chunk_bytes: 60_000, ..Limits::default() },
            ..DecodeOptions::default()
        };
        for is_whole in [true, false] {
            let mut sequential = Sequential::new(options.clone());
            sequential.feed(&body[..HEAD]).unwrap();
            let mut handover = Handover::start(&options, &sequential).unwrap();
            sequential.seal_and_open();
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
            // Chunks take up what is left of the arenas of others.
            let arenas = sequential.spare_arenas();
            assert!((1..=handover.in_flight.most() + 1).contains(&arenas), "{arenas}");
        }
    }
}
