//! A zstd body, inflated into room that is given: one frame after the other (RFC 8878).

use std::io;

use ::zstd::stream::raw::{Decoder, InBuffer, Operation as _, OutBuffer};
use ::zstd::zstd_safe::DParameter;

/// How many bytes of a frame say how long its head is, and how long the head of a block in it is.
const FRAME_HEAD: usize = 5;
const BLOCK_HEAD: usize = 3;

pub(super) struct Zstd {
    decoder: Decoder<'static>,
    /// How many bytes the decoder asked for: what is left of a block with the head of the next; none after the last of
    /// a frame.
    wanted: usize,
}

impl Zstd {
    /// Prepares for a body whose window may be two to this power; where nothing is said, what the library allows: 128
    /// MiB.
    pub(super) fn new(window: Option<u32>) -> io::Result<Self> {
        let mut decoder = Decoder::new()?;
        if let Some(window) = window {
            decoder.set_parameter(DParameter::WindowLogMax(window))?;
        }
        Ok(Self { decoder, wanted: FRAME_HEAD })
    }

    /// Whether the body may end here.
    pub(super) fn is_whole(&self) -> bool {
        self.wanted == 0
    }

    /// Inflates as far as there is input and unused room in `out`, and gives how many bytes it took.
    ///
    /// The decoder gets each block and each head for itself: with a fault is lost what it would have written of all
    /// that it got at once.
    pub(super) fn inflate(&mut self, input: &[u8], out: &mut Vec<u8>) -> io::Result<usize> {
        let mut taken = 0;
        loop {
            let part = &input[taken..];
            // Asked without input after a frame, the decoder would say that it waits for the next.
            if part.is_empty() && self.wanted == 0 {
                return Ok(taken);
            }
            let count = match self.wanted {
                0 => FRAME_HEAD,
                head @ ..=BLOCK_HEAD => head,
                more => more - BLOCK_HEAD,
            };
            let count = count.min(part.len());
            let start = out.len();
            let (mut block, mut output) = (InBuffer::around(&part[..count]), OutBuffer::around_pos(out, start));
            self.wanted = self.decoder.run(&mut block, &mut output)?;
            taken += block.pos();
            if taken == input.len() || out.len() == out.capacity() {
                return Ok(taken);
            }
        }
    }
}
